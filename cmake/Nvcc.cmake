# SPDX-License-Identifier: MIT
# Where nvcc is: SCANLAB_NVCC from the environment, else what tools/setup.sh
# found (build/nvcc-path), else PATH and the usual folder. Every build folder
# gets its own nvcc-path, which is where scanlab looks (tools/setup.sh has
# written the one of build/, and left its stamp, setup-nvcc). Leaves SCANLAB_NVCC
# empty where there is none: scanlab says so when it is to compile.
set(setup_found ${CMAKE_SOURCE_DIR}/build/nvcc-path)
if(DEFINED ENV{SCANLAB_NVCC})
  set(SCANLAB_NVCC $ENV{SCANLAB_NVCC})
elseif(EXISTS ${setup_found})
  file(STRINGS ${setup_found} SCANLAB_NVCC LIMIT_COUNT 1)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${setup_found})
else()
  find_program(SCANLAB_NVCC_FOUND nvcc
    HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(SCANLAB_NVCC_FOUND)
    set(SCANLAB_NVCC ${SCANLAB_NVCC_FOUND})
  endif()
endif()
if(SCANLAB_NVCC AND NOT EXISTS ${CMAKE_BINARY_DIR}/setup-nvcc)
  file(WRITE ${CMAKE_BINARY_DIR}/nvcc-path "${SCANLAB_NVCC}\n")
endif()
