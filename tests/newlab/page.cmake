# SPDX-License-Identifier: MIT
# Does PAGE show FOLDER's lab.ini word for word?
cmake_minimum_required(VERSION 3.22)
file(READ ${PAGE} page)
file(READ ${FOLDER}/labs/50-segments/lab.ini ini)
string(FIND "${page}" "${ini}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${PAGE} shows another lab.ini than the one tested")
endif()
