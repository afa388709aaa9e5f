# SPDX-License-Identifier: MIT
# Tests that are described by their own headers (tests/README.md).
set(case_tools ${PROJECT_SOURCE_DIR}/tests/tools)
include(${PROJECT_SOURCE_DIR}/vgpu/cmake/Programs.cmake) # case_python

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
