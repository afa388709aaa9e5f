# SPDX-License-Identifier: MIT
# The style sheets and scripts of the HTML report as bytes in a C source
# (grader/report/html_page.h):  cmake -DOUT=FILE -DFILES="A;B" -P Embed.cmake
set(arrays)
set(rows)
set(number 0)
foreach(file ${FILES})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  if(file MATCHES "[.]css$")
    set(element style)
  elseif(file MATCHES "/live[.]js$")
    set(element live)
  else()
    set(element script)
  endif()
  string(APPEND arrays "static const unsigned char asset_${number}[] = {\n${bytes}};\n")
  string(APPEND rows "    {\"${element}\", asset_${number}, sizeof asset_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by cmake/Embed.cmake. */
#include \"html_page.h\"

${arrays}
const struct html_asset html_assets[] = {
${rows}    {NULL, NULL, 0}};
")
