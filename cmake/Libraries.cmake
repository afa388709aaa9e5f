# SPDX-License-Identifier: MIT
# The libraries of tools/packages.txt, looked for once and for all rooms.
find_package(PkgConfig REQUIRED)
# What `make dist` packs runs where they are not: they go into the programs.
option(SCANLAB_PORTABLE "Programs need nothing but libc" OFF)
if(SCANLAB_PORTABLE)
  set(shared_or_static ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  # The folder that it was built in shows nowhere.
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=)
endif()
pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(MD REQUIRED IMPORTED_TARGET libmd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(Threads REQUIRED)
if(SCANLAB_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${shared_or_static})
endif()
