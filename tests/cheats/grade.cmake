# SPDX-License-Identifier: MIT
# Grades one cheat as a student's file would be and compares with its lines.
#   SCANLAB EXPECT   the programs        LAB SOURCE   its lab, the name it takes
#   CHEAT            the file            OUT          folder to work in
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/submission)
configure_file(${CHEAT} ${OUT}/submission/${SOURCE} COPYONLY)
execute_process(
  COMMAND ${SCANLAB} grade ${LAB} --submission ${OUT}/submission --seed 1
    --device vgpu --format json -o ${OUT}/grade.json
  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "scanlab ended with ${status}, expected 1\n${said}")
endif()
execute_process(COMMAND ${EXPECT} ${CHEAT} ${OUT}/grade.json
  RESULT_VARIABLE status)
if(status)
  file(READ ${OUT}/grade.json grade)
  message(FATAL_ERROR "not the expected grade\n${grade}")
endif()
