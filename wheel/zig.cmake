# SPDX-License-Identifier: MIT
# CMake's toolchain for a wheel. WHEEL_MACHINE is x86_64 or aarch64; WHEEL_TOOLS
# has cc, ar and ranlib for it, WHEEL_LIBRARIES what wheel/libraries made, if it
# did. zig cannot strip an ELF file, but its linker can leave symbols out.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${WHEEL_MACHINE})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WHEEL_MACHINE WHEEL_TOOLS WHEEL_LIBRARIES)
set(CMAKE_C_COMPILER ${WHEEL_TOOLS}/cc)
set(CMAKE_AR ${WHEEL_TOOLS}/ar)
set(CMAKE_RANLIB ${WHEEL_TOOLS}/ranlib)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=all -Wno-unknown-pragmas -Wno-unused-command-line-argument")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")
if(WHEEL_LIBRARIES)
  set(CMAKE_C_STANDARD_LIBRARIES "-L${WHEEL_LIBRARIES}/lib -lolder_glibc -ldl -lunwind")
  set(CMAKE_PREFIX_PATH ${WHEEL_LIBRARIES})
  set(ENV{PKG_CONFIG_LIBDIR} ${WHEEL_LIBRARIES}/lib/pkgconfig)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH ${WHEEL_LIBRARIES})
