# SPDX-License-Identifier: MIT
# Grades one file as a student's would be and compares with its lines; for tests/cheats and tests/hostile.
#   SCANLAB EXPECT   the programs        LAB SOURCE   its lab, the name it takes
#   FILE             the submission      OUT          folder to work in
#   WITH             files beside it, may be empty
#   LABS             the labs: "// limit-ms: N" in FILE is a shorter time limit
#                    for it, where the limit is what ends it anyway
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
set(labs)
file(STRINGS ${FILE} limit REGEX "^// limit-ms: *[0-9]+$")
if(limit)
  string(REGEX REPLACE "^// limit-ms: *" "" limit "${limit}")
  file(COPY ${LABS}/ DESTINATION ${OUT}/labs)
  file(GLOB ini ${OUT}/labs/*-${LAB}/lab.ini)
  file(READ ${ini} text)
  string(REGEX REPLACE "time_limit_ms = [0-9]+" "time_limit_ms = ${limit}"
    shorter "${text}")
  if(text STREQUAL shorter)
    message(FATAL_ERROR "${ini} has no time_limit_ms of its own")
  endif()
  file(WRITE ${ini} "${shorter}")
  set(labs --labs ${OUT}/labs)
endif()
execute_process(
  COMMAND ${watch} ${SCANLAB} grade ${LAB} ${labs} --submission ${OUT}/submission
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
