# SPDX-License-Identifier: MIT
# find_libraries(NAME MODULE...): each MODULE of pkg-config becomes the target
# PkgConfig::NAME, everywhere.
include_guard()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# What `make dist` packs runs where they are not: they go into the programs.
option(VGPU_PORTABLE "Programs need nothing but libc" OFF)
if(VGPU_PORTABLE)
  # The folder that it was built in shows nowhere.
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
endif()
macro(find_libraries)
  set(shared_or_static ${CMAKE_FIND_LIBRARY_SUFFIXES})
  if(VGPU_PORTABLE)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  endif()
  set(libraries ${ARGN})
  while(libraries)
    list(POP_FRONT libraries name module)
    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  endwhile()
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${shared_or_static})
endmacro()
