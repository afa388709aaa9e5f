# SPDX-License-Identifier: MIT
# Grades one file as a student's would be and compares with its lines; for tests/cheats and tests/hostile.
#   SCANLAB EXPECT   the programs        LAB SOURCE   its lab, the name it takes
#   FILE             the submission      OUT          folder to work in
#   WITH             files beside it, may be empty
#   WATCH            a program in front: "// most-mib: N" in FILE is what the grader and its processes may take, each
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/submission)
configure_file(${FILE} ${OUT}/submission/${SOURCE} COPYONLY)
foreach(more ${WITH})
  get_filename_component(name ${more} NAME)
  configure_file(${more} ${OUT}/submission/${name} COPYONLY)
endforeach()
set(watch)
if(WATCH)
  file(STRINGS ${FILE} most REGEX "^// most-mib: *[0-9]+$")
  if(NOT most)
    message(FATAL_ERROR "${FILE} does not say most-mib")
  endif()
  string(REGEX REPLACE "^// most-mib: *" "" most "${most}")
  set(watch ${WATCH} ${most})
endif()
execute_process(
  COMMAND ${watch} ${SCANLAB} grade ${LAB} --submission ${OUT}/submission
    --seed 1 --device vgpu --format json -o ${OUT}/grade.json
  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
message(STATUS "${said}")
if(NOT status EQUAL 1)
  message(FATAL_ERROR "scanlab ended with ${status}, expected 1")
endif()
execute_process(COMMAND ${EXPECT} ${FILE} ${OUT}/grade.json
  RESULT_VARIABLE status)
if(status)
  file(READ ${OUT}/grade.json grade)
  message(FATAL_ERROR "not the expected grade\n${grade}")
endif()
