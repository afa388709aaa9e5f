# SPDX-License-Identifier: MIT
# A page's template, whole: style sheets and scripts, each kind put together in
# the order of the list, stand in it, and its policy allows these by their SHA-256
# (docs/parts.md, "Pages"). What is left to be filled in: @LANGUAGE@,
# @TITLE@, @TEXT@, @DATA@.
# And of a page that may have an engine (-DENGINE=ON): @ENGINE@, @ENGINE_POLICY@.
#   cmake -DTEMPLATE=FILE "-DPARTS=A.css;B.js" -DPOLICY="; img-src data:" -DOUT=FILE
#     -P Pages.cmake
cmake_minimum_required(VERSION 3.25) # @NAME@ in a string is no variable
set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)

# 64 hexadecimal digits as base64, as a policy has a hash.
function(base64_of result digits)
  set(text)
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${digits}00" ${at} 6 part) # 66 digits are 11 times 24 bits
    math(EXPR bits "0x${part}")
    foreach(shift 18 12 6 0)
      math(EXPR index "(${bits} >> ${shift}) & 63")
      string(SUBSTRING ${letters} ${index} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

set(css)
set(js)
foreach(part ${PARTS})
  file(READ ${part} text)
  if(part MATCHES "[.]css$")
    string(APPEND css "${text}")
  else()
    string(APPEND js "${text}")
  endif()
endforeach()
file(READ ${TEMPLATE} page)
foreach(kind STYLE SCRIPT)
  if(kind STREQUAL STYLE)
    set(text "${css}")
  else()
    set(text "${js}")
  endif()
  string(SHA256 digits "${text}")
  base64_of(hash ${digits})
  string(REPLACE "@${kind}_SHA256@" "${hash}" page "${page}")
  string(REPLACE "@${kind}@" "${text}" page "${page}")
endforeach()
string(REPLACE "@POLICY@" "${POLICY}" page "${page}")
if(NOT ENGINE)
  string(REPLACE "@ENGINE@" "" page "${page}")
  string(REPLACE "@ENGINE_POLICY@" "" page "${page}")
endif()
file(WRITE ${OUT} "${page}")
