# SPDX-License-Identifier: MIT
# Target docs: build/docs/html/index.html. Doxygen is looked for when the target
# is built, not here: nobody else needs it. What is handed out to students is
# without: tools/setup.sh says so.
if(NOT EXISTS ${CMAKE_SOURCE_DIR}/docs/Doxyfile.in)
  return()
endif()
configure_file(${CMAKE_SOURCE_DIR}/docs/Doxyfile.in
  ${CMAKE_BINARY_DIR}/Doxyfile @ONLY)
add_custom_target(docs
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/docs
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/docs
  COMMAND doxygen ${CMAKE_BINARY_DIR}/Doxyfile
  COMMAND ${CMAKE_COMMAND} -E echo
    "Documentation: ${CMAKE_BINARY_DIR}/docs/html/index.html"
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
