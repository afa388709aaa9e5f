# SPDX-License-Identifier: MIT
# Targets that look at the sources, or make sources from sources.
add_custom_target(check-format
  COMMAND tools/check_format.sh
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
add_custom_target(format
  COMMAND tools/check_format.sh --fix
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
add_custom_target(check-tidy
  COMMAND tools/check_tidy.sh ${CMAKE_BINARY_DIR}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
add_custom_target(student
  COMMAND tools/make_student.sh
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
