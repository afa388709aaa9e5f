# SPDX-License-Identifier: MIT
# The toolchain file of the preset wasm: Debian's emscripten, and what all is
# compiled with. Every browser since 2023 has SIMD; the SSE2 that the ALU knows is
# made of it.
find_path(web_emscripten cmake/Modules/Platform/Emscripten.cmake
  HINTS ENV EMSCRIPTEN PATHS /usr/share/emscripten REQUIRED NO_CMAKE_FIND_ROOT_PATH)
include(${web_emscripten}/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_C_FLAGS_INIT "-msimd128 -msse2 -Wshorten-64-to-32 -Wno-unknown-pragmas")
# Its tools are programs for node, which may be another one than Debian's: this is
# where Debian keeps their modules.
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK
  "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs")
