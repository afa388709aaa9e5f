# SPDX-License-Identifier: MIT
# How the virtual GPU, and what is built with it, is compiled.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # POSIX and Linux calls; the language itself is ISO C17
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(VGPU_WERROR "Warnings are errors" OFF)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(VGPU_WERROR)
  add_compile_options(-Werror)
endif()
# A build type of its own: little optimisation (the sanitizers make large
# functions slow to compile), and assertions stay. Of the ALU's instruction sets
# only the baseline: the sanitizers look at what the source says, which is the
# same, and each set took 40 % of this build.
set(sanitizers "-fsanitize=address,undefined")
set(CMAKE_C_FLAGS_SANITIZE
  "-O1 -g1 ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -DVGPU_ONE_ISA")
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE ${sanitizers})
set(CMAKE_SHARED_LINKER_FLAGS_SANITIZE ${sanitizers})

# For clang and its libFuzzer, see tests/fuzz/Fuzz.cmake: the libraries with coverage.
set(CMAKE_C_FLAGS_FUZZ
  "-O1 -g ${sanitizers},fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer")
set(CMAKE_EXE_LINKER_FLAGS_FUZZ ${sanitizers})
set(CMAKE_SHARED_LINKER_FLAGS_FUZZ ${sanitizers})
