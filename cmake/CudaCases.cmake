# SPDX-License-Identifier: MIT
# cuda_cases(PREFIX LABEL FLAGS...): every .cu of this folder becomes a program, and every "// case NAME" comment in one
# a test that runs it under the tool; tests/bugs/run_case.sh says what such comments hold. "// nvcc: flags" in a source
# adds flags. Not under the sanitizers: the programs are not sanitized.
function(cuda_cases prefix label)
  if(NOT SCANLAB_NVCC OR CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS *.cu)
  file(GLOB headers CONFIGURE_DEPENDS *.h parts/* ${CMAKE_SOURCE_DIR}/tests/bugs/check.h)
  set(programs)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/${name}.program)
    file(STRINGS ${source} flags REGEX "^// nvcc: ")
    string(REGEX REPLACE "^// nvcc: *" "" flags "${flags}")
    separate_arguments(flags)
    add_custom_command(OUTPUT ${program} DEPENDS ${source} ${headers} ${ARGN}
      COMMAND ${SCANLAB_NVCC} -cudart shared -lineinfo -gencode arch=compute_75,code=compute_75 ${flags}
              -o ${program} ${source}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMENT "nvcc ${name}.cu" VERBATIM)
    list(APPEND programs ${program})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} cases REGEX "^// case ")
    foreach(line ${cases})
      string(REGEX REPLACE "^// case ([^ ]+).*" "\\1" case ${line})
      add_test(NAME ${prefix}.${case}
        COMMAND sh ${CMAKE_SOURCE_DIR}/tests/bugs/run_case.sh $<TARGET_FILE:vgpu_tool> ${program} ${source} ${case}
                ${CMAKE_CURRENT_BINARY_DIR})
      set_tests_properties(${prefix}.${case} PROPERTIES TIMEOUT 120 LABELS "${label};nvcc")
    endforeach()
  endforeach()
  add_custom_target(${prefix}_programs ALL DEPENDS ${programs})
endfunction()
