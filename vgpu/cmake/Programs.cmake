# SPDX-License-Identifier: MIT
# CUDA programs as tests, described by their own headers (vgpu/tests/README.md).
include_guard()
get_filename_component(program_tests ${CMAKE_CURRENT_LIST_DIR}/../tests ABSOLUTE)
# Hundreds of tests: without what site.py looks for, and compiled once, also where
# the environment has PYTHONDONTWRITEBYTECODE (-E), as images of containers do:
# 0.04 s of a processor for a start instead of 0.18.
set(case_python python3 -E -S -X pycache_prefix=${CMAKE_BINARY_DIR}/python)

# cuda_cases(PREFIX LABEL FILE...): each .cu becomes a program, and each of its
# cases a test PREFIX.CASE that runs it under vgpu; a file without cases is
# PREFIX.FILE. Not under the sanitizers: the programs are not sanitized. The -D
# leaves out <cmath>'s special functions, a third of nvcc's time. case_includes: -I
# and folders. The programs of files that begin with "//: when: nightly" are built
# by the target nightly.
function(cuda_cases prefix label)
  if(NOT VGPU_NVCC OR CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS *.h parts/*
    ${program_tests}/bugs/check.h)
  set(programs)
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    get_filename_component(name ${source} NAME_WE)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${name}.program)
    file(STRINGS ${source} lines REGEX "^//: (nvcc|arch|case|when): ")
    set(labels ${label} nvcc)
    set(flags)
    set(codes compute_75)
    set(cases)
    foreach(line ${lines})
      string(REGEX MATCH "^//: ([a-z]+): +([^ ]+)(.*)" whole "${line}")
      if(CMAKE_MATCH_1 STREQUAL "case")
        list(APPEND cases ${CMAKE_MATCH_2})
      elseif(CMAKE_MATCH_1 STREQUAL "when")
        list(APPEND labels nightly)
      elseif(CMAKE_MATCH_1 STREQUAL "nvcc")
        separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_2}${CMAKE_MATCH_3}")
      else()
        separate_arguments(codes UNIX_COMMAND "${CMAKE_MATCH_2}${CMAKE_MATCH_3}")
      endif()
    endforeach()
    foreach(code ${codes})
      string(REPLACE "sm_" "compute_" arch ${code})
      list(APPEND flags -gencode arch=${arch},code=${code})
    endforeach()
    add_custom_command(OUTPUT ${program} DEPENDS ${source} ${headers}
      COMMAND ${VGPU_NVCC} -cudart shared -lineinfo -D_GLIBCXX_BITS_SPECFUN_H
        ${case_includes} ${flags} -o ${program} ${source}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMENT "nvcc ${name}.cu" VERBATIM)
    if("nightly" IN_LIST labels)
      add_custom_target(${prefix}_${name} DEPENDS ${program})
      add_dependencies(nightly ${prefix}_${name})
    else()
      list(APPEND programs ${program})
    endif()
    if(NOT cases)
      set(cases ${name})
    endif()
    foreach(case ${cases})
      add_test(NAME ${prefix}.${case}
        COMMAND ${case_python} ${program_tests}/tools/program.py
          $<TARGET_FILE:vgpu_tool> ${program} ${source} ${case}
          ${CMAKE_CURRENT_BINARY_DIR}/${case})
      set_tests_properties(${prefix}.${case} PROPERTIES TIMEOUT 300
        SKIP_RETURN_CODE 77 LABELS "${labels}")
    endforeach()
  endforeach()
  add_custom_target(${prefix}_programs ALL DEPENDS ${programs})
endfunction()
