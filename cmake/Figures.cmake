# SPDX-License-Identifier: MIT
# Targets plots, slides: build/plots and build/slides. gnuplot and LaTeX are
# looked for when the targets are built: nobody else needs them.
add_custom_target(plots
  COMMAND plots/draw.sh ${CMAKE_BINARY_DIR}/plots
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
add_custom_target(slides
  COMMAND slides/build.sh ${CMAKE_BINARY_DIR}/plots ${CMAKE_BINARY_DIR}/slides
  DEPENDS plots
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM)
