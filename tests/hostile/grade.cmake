# SPDX-License-Identifier: MIT
# Grades a hostile submission and compares with its lines.
#   SCANLAB EXPECT WATCH  the programs       LAB SOURCE  its lab, the name it takes
#   FILE                  the submission     OUT         folder to work in
# In FILE: "// most-mib: N", what the grader and its processes may take, each; and
# the lines of expect_grade.c.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/submission)
configure_file(${FILE} ${OUT}/submission/${SOURCE} COPYONLY)
get_filename_component(folder ${FILE} DIRECTORY)
configure_file(${folder}/channel.h ${OUT}/submission/channel.h COPYONLY)
file(STRINGS ${FILE} most REGEX "^// most-mib: ")
string(REGEX REPLACE "^// most-mib: *([0-9]+)$" "\\1" most "${most}")
execute_process(
  COMMAND ${WATCH} ${most} ${SCANLAB} grade ${LAB} --submission ${OUT}/submission
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
