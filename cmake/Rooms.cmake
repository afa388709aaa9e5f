# SPDX-License-Identifier: MIT
# Rooms: folders that see what grader/rooms.txt says, and nothing else.
# timing/ and research/ have tables of their own, and may be missing.
set(rows)
file(GLOB rooms_timing CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/timing/rooms.txt)
file(GLOB rooms_research CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/research/rooms.txt)
foreach(table ${CMAKE_SOURCE_DIR}/grader/rooms.txt ${rooms_timing} ${rooms_research})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} more REGEX "^[^#]")
  list(APPEND rows ${more})
endforeach()
foreach(row ${rows})
  string(REGEX MATCH "^([^| ]+) *\\| *([^| ]+) *\\| *([^|]*[^| ]|) *\\|" _ "${row}")
  set(name ${CMAKE_MATCH_1})
  set(room_${name}_folders ${CMAKE_SOURCE_DIR}/${CMAKE_MATCH_2})
  separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_3}")
  foreach(used ${uses}) # stands above, so that its folders are known
    list(APPEND room_${name}_folders ${room_${used}_folders})
  endforeach()
  list(REMOVE_DUPLICATES room_${name}_folders)
endforeach()

# TARGET, and what links it, finds the headers of ROOM and of the rooms below.
function(use_room target room)
  target_include_directories(${target} PUBLIC ${room_${room}_folders})
endfunction()
