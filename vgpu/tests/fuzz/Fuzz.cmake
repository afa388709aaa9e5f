# SPDX-License-Identifier: MIT
# Fuzz targets, one fuzz_<name>.c each. Every build unpacks corpus/<name>.tar
# (corpus.py) into its own corpus/<name>, and replays that and regressions/<name>
# (tests fuzz.<name>; the sanitizers' run, too). With the build type Fuzz, clang and
# libFuzzer (packages clang, libclang-rt-14-dev) they search for more.
include_guard()
if(NOT TARGET fuzz)
  add_custom_target(fuzz)
endif()

# fuzz_inputs(NAME): corpus/NAME.tar as files, before fuzz_NAME is built.
function(fuzz_inputs name)
  set(archive ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name}.tar)
  set(folder ${CMAKE_BINARY_DIR}/corpus/${name})
  add_custom_command(OUTPUT ${folder}.unpacked DEPENDS ${archive}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E chdir ${folder} ${CMAKE_COMMAND} -E tar xf ${archive}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}.unpacked
    COMMENT "Unpacking ${name}.tar" VERBATIM)
  add_custom_target(fuzz_${name}_inputs DEPENDS ${folder}.unpacked)
  add_dependencies(fuzz_${name} fuzz_${name}_inputs)
endfunction()

# fuzz_target(NAME ROOM LIBRARY...): it sees the headers of ROOM.
function(fuzz_target name room)
  set(here ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  if(CMAKE_BUILD_TYPE STREQUAL Fuzz)
    add_executable(fuzz_${name} EXCLUDE_FROM_ALL fuzz_${name}.c)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz fuzz_${name})
  else()
    add_executable(fuzz_${name} fuzz_${name}.c ${here}/replay.c)
    set(inputs ${CMAKE_BINARY_DIR}/corpus/${name})
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/regressions/${name})
      list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/regressions/${name})
    endif()
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${inputs})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 300
      SKIP_RETURN_CODE 77)
  endif()
  fuzz_inputs(${name})
  use_room(fuzz_${name} ${room})
  target_include_directories(fuzz_${name} PRIVATE ${here})
  target_link_libraries(fuzz_${name} PRIVATE ${ARGN} vgpu)
endfunction()
