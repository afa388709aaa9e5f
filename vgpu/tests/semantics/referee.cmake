# SPDX-License-Identifier: MIT
# ptx_referee with a driver that faults at every third launch (stub_driver.c):
# which programs it names, that it goes on behind them, and runs them alone.
# cmake -DREFEREE=... -DSTUB=FOLDER -DOUT=FOLDER -P referee.cmake
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/all ${OUT}/again)
set(ENV{LD_LIBRARY_PATH} ${STUB})
# Workers end with what the driver gave them still held; in a build with
# sanitizers that would be taken for their failure.
set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:detect_leaks=0")

function(referee)
  execute_process(COMMAND ${REFEREE} ${ARGN} OUTPUT_VARIABLE said
    ERROR_VARIABLE said RESULT_VARIABLE status)
  set(said "${said}" PARENT_SCOPE)
  set(status ${status} PARENT_SCOPE)
endfunction()

function(expect text wanted)
  string(FIND "${text}" "${wanted}" at)
  if(at LESS 0)
    message(FATAL_ERROR "\"${wanted}\" is not in\n${text}")
  endif()
endfunction()

referee(1 30 38 ${OUT}/all --workers 1 --explained 0)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "exit status ${status}: ${said}")
endif()
expect("${said}" "no answer from the GPU: 32 35\n")
file(READ ${OUT}/all/faults.txt faults)
if(NOT faults STREQUAL "32\n35\n")
  message(FATAL_ERROR "faults.txt: ${faults}")
endif()
file(READ ${OUT}/all/report.txt report)
expect("${report}" "program 35 on the GPU: CUDA error 715")
file(STRINGS ${OUT}/all/answers.txt answers REGEX "^1 ")
list(LENGTH answers n)
if(NOT n EQUAL 6)
  message(FATAL_ERROR "${n} answers of 6 programs that ran: ${answers}")
endif()

# The two alone: neither is a process's third.
referee(1 list ${OUT}/all/faults.txt ${OUT}/again --workers 1 --explained 0)
expect("${said}" "2 programs")
string(FIND "${said}" "no answer" at)
if(at GREATER_EQUAL 0)
  message(FATAL_ERROR "a fault: ${said}")
endif()
file(STRINGS ${OUT}/again/answers.txt answers REGEX "^1 3[25] ")
list(LENGTH answers n)
if(NOT n EQUAL 2)
  message(FATAL_ERROR "the list's programs did not run: ${answers}")
endif()
