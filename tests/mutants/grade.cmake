# SPDX-License-Identifier: MIT
# Makes a submission, grades it, compares the grade with what is expected.
#
#   SCANLAB EXPECT      the programs
#   REFERENCE           folder with the reference solutions
#   OUT                 folder to work in; emptied first
#   EXPECTATIONS EXIT   file of expectations, exit status of scanlab
#   SEED                of the grade
# The submission is, unless SUBMISSION names one, the reference, with
#   LAB SOURCE PATCH    SOURCE changed by PATCH, and only LAB graded (several:
#                       with blanks between them)
#   WITHOUT             this file missing
#   BREAK               a line that is not C at the end of this file
#   SAME_AS             OUT of another run of the same seed, and its grade is
#                       the same but for times
#   ARCH                the PTX is compiled for compute_ARCH
# LABS: another folder of labs.
# In the environment, SCANLAB_TEST_SEED is a seed that takes SEED's place.
cmake_minimum_required(VERSION 3.22)
if(DEFINED ENV{SCANLAB_TEST_SEED})
  set(SEED $ENV{SCANLAB_TEST_SEED})
endif()
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})

if(NOT SUBMISSION)
  set(SUBMISSION ${OUT}/submission)
  file(COPY ${REFERENCE}/ DESTINATION ${SUBMISSION})
endif()
if(PATCH)
  execute_process(COMMAND patch --silent --no-backup-if-mismatch
      ${SUBMISSION}/${SOURCE} ${PATCH}
    RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "${PATCH} does not fit reference/${SOURCE}")
  endif()
endif()
if(WITHOUT)
  file(REMOVE ${SUBMISSION}/${WITHOUT})
endif()
if(BREAK)
  file(APPEND ${SUBMISSION}/${BREAK} "this is not C;\n")
endif()

separate_arguments(LAB)
if(ARCH)
  set(ARCH --arch ${ARCH})
endif()
if(LABS)
  set(LABS --labs ${LABS})
endif()

function(grade json)
  execute_process(
    COMMAND ${SCANLAB} grade ${LAB} ${LABS} ${ARCH} --submission ${SUBMISSION}
      --seed ${SEED} --device vgpu --format json -o ${json}
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL EXIT)
    if(EXISTS ${json})
      file(READ ${json} grade)
    endif()
    message(FATAL_ERROR
      "scanlab ended with ${status}, expected ${EXIT}\n${said}\n${grade}")
  endif()
endfunction()

grade(${OUT}/grade.json)
execute_process(COMMAND ${EXPECT} ${EXPECTATIONS} ${OUT}/grade.json
  RESULT_VARIABLE status)
if(status)
  file(READ ${OUT}/grade.json grade)
  message(FATAL_ERROR "not the expected grade\n${grade}")
endif()

if(SAME_AS)
  file(READ ${OUT}/grade.json grade)
  file(READ ${SAME_AS}/grade.json other)
  foreach(text grade other)
    string(REGEX REPLACE "\"seconds\": *[-+.0-9e]+" "" ${text} "${${text}}")
  endforeach()
  if(NOT grade STREQUAL other)
    message(FATAL_ERROR "same seed, other grade: compare ${OUT}/grade.json with ${SAME_AS}/grade.json")
  endif()
endif()
