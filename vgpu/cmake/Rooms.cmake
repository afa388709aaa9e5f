# SPDX-License-Identifier: MIT
# Rooms: folders that see what their table, a rooms.txt, says, and nothing else.
# Folders in a table are said from the top of the tree, of which vgpu/ may be all.
include_guard()
get_filename_component(room_vgpu ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# read_rooms(TABLE): after this, use_room knows the rooms of TABLE.
macro(read_rooms table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} room_rows REGEX "^[^#]")
  foreach(row ${room_rows})
    string(REGEX MATCH "^([^| ]+) *\\| *([^| ]+) *\\| *([^|]*[^| ]|) *\\|" _ "${row}")
    set(name ${CMAKE_MATCH_1})
    set(folder ${CMAKE_MATCH_2})
    separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_3}")
    if(NOT folder MATCHES "^vgpu/")
      string(PREPEND folder "${CMAKE_SOURCE_DIR}/")
    endif()
    string(REGEX REPLACE "^vgpu/" "${room_vgpu}/" folder ${folder})
    set(room_${name}_folders ${folder})
    foreach(used ${uses}) # stands above, so that its folders are known
      list(APPEND room_${name}_folders ${room_${used}_folders})
    endforeach()
    list(REMOVE_DUPLICATES room_${name}_folders)
  endforeach()
endmacro()

# TARGET, and what links it, finds the headers of ROOM and of the rooms below.
function(use_room target room)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${room_${room}_folders}>")
endfunction()
