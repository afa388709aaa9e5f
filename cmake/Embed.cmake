# SPDX-License-Identifier: MIT
# Templates of pages as bytes in a C source (grader/report/html_page.h); a name is
# the file's, without .html:  cmake -DOUT=FILE "-DFILES=A;B" -P Embed.cmake
set(arrays)
set(rows)
set(number 0)
foreach(file ${FILES})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  cmake_path(GET file STEM name)
  string(APPEND arrays "static const unsigned char template_${number}[] = {\n${bytes}};\n")
  string(APPEND rows "    {\"${name}\", template_${number}, sizeof template_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by cmake/Embed.cmake. */
#include \"html_page.h\"

${arrays}
const struct html_template html_templates[] = {
${rows}    {NULL, NULL, 0}};
")
