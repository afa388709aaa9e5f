# SPDX-License-Identifier: MIT
# Tests that are described by their own headers (tests/README.md).
set(case_tools ${PROJECT_SOURCE_DIR}/tests/tools)
# Hundreds of tests: without what site.py looks for, and compiled once, also where
# the environment has PYTHONDONTWRITEBYTECODE (-E), as images of containers do:
# 0.04 s of a processor for a start instead of 0.18.
set(case_python python3 -E -S -X pycache_prefix=${PROJECT_BINARY_DIR}/python)

# graded_case(NAME FILE): grades the submission that FILE describes.
function(graded_case name file)
  add_test(NAME ${name}
    COMMAND ${case_python} ${case_tools}/graded.py $<TARGET_FILE:scanlab>
      ${file} ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(STRINGS ${file} nightly REGEX "^(//|#): when: nightly$")
  set(labels grade)
  if(nightly OR name MATCHES "[.]honest-")
    list(APPEND labels nightly)
  endif()
  set(limit 600)
  if(name MATCHES "[.]seeds$|[.]honest-|^fast[.]")
    set(limit 7200) # `make test-seeds` has hundreds of grades in each
  endif()
  # The longest first. What the reference's test compiles, others find compiled.
  set(cost 0)
  if(name STREQUAL "control.reference")
    set(cost 100)
  elseif(name MATCHES "[.]seeds$")
    set(cost 40)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${limit} COST ${cost}
    LABELS "${labels}" ENVIRONMENT "SCANLAB_ROOT=${PROJECT_SOURCE_DIR}")
endfunction()

# seeded_case(NAME FILE [LABEL...]): a right submission under 20 seeds, of which each
# takes one check and size in turn; at night 200, each of several checks.
function(seeded_case name file)
  add_test(NAME ${name}.seeds
    COMMAND ${case_python} ${case_tools}/graded.py $<TARGET_FILE:scanlab>
      ${file} ${CMAKE_CURRENT_BINARY_DIR}/${name}.seeds --spread 20)
  set_tests_properties(${name}.seeds PROPERTIES TIMEOUT 3600 COST 10
    LABELS "grade;${ARGN}" ENVIRONMENT "SCANLAB_ROOT=${PROJECT_SOURCE_DIR}")
endfunction()

# graded_cases(PREFIX FILE...): a test PREFIX.NAME of each NAME.patch, .case, .cu
# and .c; a NAME may be LAB.NAME.
function(graded_cases prefix)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[.][a-z]+$" "" name ${name})
    graded_case(${prefix}.${name} ${file})
    if(prefix MATCHES "cpu-scan$" OR name MATCHES "^cpu-scan")
      continue() # threads of the machine's: no seed orders them
    elseif(name MATCHES "^honest-")
      seeded_case(${prefix}.${name} ${file})
    elseif(name MATCHES "[.]honest-")
      seeded_case(${prefix}.${name} ${file} nightly)
    endif()
  endforeach()
endfunction()

# cuda_cases(PREFIX LABEL FILE...): each .cu becomes a program, and each of its
# cases a test PREFIX.CASE that runs it under vgpu; a file without cases is
# PREFIX.FILE. Not under the sanitizers: the programs are not sanitized. The -D
# saves a third of nvcc's time (grader/judge/compile_words.c). case_includes: -I
# and folders. The programs of
# files that begin with "//: when: nightly" are built by the target nightly.
function(cuda_cases prefix label)
  if(NOT SCANLAB_NVCC OR CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS *.h parts/*
    ${PROJECT_SOURCE_DIR}/tests/bugs/check.h)
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
      COMMAND ${SCANLAB_NVCC} -cudart shared -lineinfo -D_GLIBCXX_BITS_SPECFUN_H
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
        COMMAND ${case_python} ${case_tools}/program.py
          $<TARGET_FILE:vgpu_tool> ${program} ${source} ${case}
          ${CMAKE_CURRENT_BINARY_DIR}/${case})
      set_tests_properties(${prefix}.${case} PROPERTIES TIMEOUT 300
        SKIP_RETURN_CODE 77 LABELS "${labels}")
    endforeach()
  endforeach()
  add_custom_target(${prefix}_programs ALL DEPENDS ${programs})
endfunction()
