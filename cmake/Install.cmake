# SPDX-License-Identifier: MIT
# cmake --install (make install): what grades on another place, or another machine
# of the same kind. All of it lies in PREFIX/lib/scanlab as in a build folder, with
# the labs beside bin/, so that programs find everything from where they lie: the
# prefix can be moved and be read-only. PREFIX/bin has links. The component cuda is
# nvcc, or where it is; all else is the component scanlab.
set(home lib/scanlab)
install(TARGETS scanlab vgpu_tool
  RUNTIME DESTINATION ${home}/bin COMPONENT scanlab)
install(TARGETS scanlab_runner scanlab_walled
  RUNTIME DESTINATION ${home}/libexec COMPONENT scanlab)
if(TARGET scanlab_serve)
  install(TARGETS scanlab_serve RUNTIME DESTINATION ${home}/libexec COMPONENT scanlab)
endif()
install(TARGETS ${vgpu_given}
  LIBRARY DESTINATION ${home}/lib/vgpu COMPONENT scanlab)
install(TARGETS ${vgpu_given_driver}
  LIBRARY DESTINATION ${home}/lib/vgpu/driver COMPONENT scanlab)
if(translated)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/locale DESTINATION ${home}/share COMPONENT scanlab)
endif()
install(FILES LICENSE DESTINATION ${home} COMPONENT scanlab)
# Nothing that happens to lie there goes with it, so each kind is named.
install(DIRECTORY labs DESTINATION ${home} COMPONENT scanlab
  FILES_MATCHING PATTERN lab.ini PATTERN given.txt PATTERN *.h PATTERN README.md)
# Stubs: `scanlab class` tries the compilers with them. course.ini and lab.ini of
# courses that can be laid over the labs.
install(DIRECTORY student DESTINATION ${home} COMPONENT scanlab
  FILES_MATCHING PATTERN *.cu PATTERN *.c)
install(DIRECTORY courses DESTINATION ${home} COMPONENT scanlab OPTIONAL
  FILES_MATCHING PATTERN *.ini)
install(FILES tools/start.py DESTINATION ${home}/tools COMPONENT scanlab OPTIONAL)
install(DIRECTORY tools/class DESTINATION ${home}/tools COMPONENT scanlab OPTIONAL
  FILES_MATCHING PATTERN *.py)
# `scanlab stats`, with the template of its pages, the look of figures, its sentences.
install(DIRECTORY tools/stats DESTINATION ${home}/tools COMPONENT scanlab OPTIONAL
  FILES_MATCHING PATTERN *.py PATTERN *.gp)
install(DIRECTORY tools/gradebook DESTINATION ${home}/tools COMPONENT scanlab OPTIONAL
  FILES_MATCHING PATTERN *.py)
install(FILES plots/style.gp DESTINATION ${home}/plots COMPONENT scanlab OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/share/pages/class.html DESTINATION ${home}/share/pages
  COMPONENT scanlab)
install(FILES vgpu/include/vgpu_findings.def vgpu/include/vgpu_counters.def
  DESTINATION ${home}/vgpu/include COMPONENT scanlab)
# What learning systems start (kits/).
install(PROGRAMS kits/grade.py kits/gpu.sh DESTINATION ${home}/kits COMPONENT scanlab OPTIONAL)
install(PROGRAMS kits/slurm/class.sh DESTINATION ${home}/kits/slurm COMPONENT scanlab OPTIONAL)
# What timed checks on a real GPU compile.
install(DIRECTORY grader/judge/gpu DESTINATION ${home}/grader/judge COMPONENT scanlab
  FILES_MATCHING PATTERN *.cu PATTERN *.cuh)
install(DIRECTORY grader/contract DESTINATION ${home}/grader COMPONENT scanlab
  FILES_MATCHING PATTERN *.h PATTERN *.def)
install(CODE [[
  get_filename_component(to "${CMAKE_INSTALL_PREFIX}/bin" ABSOLUTE)
  set(to "$ENV{DESTDIR}${to}")
  file(MAKE_DIRECTORY "${to}")
  foreach(program scanlab vgpu)
    file(CREATE_LINK ../lib/scanlab/bin/${program} "${to}/${program}" SYMBOLIC)
    message(STATUS "Installing: ${to}/${program}")
  endforeach()
]] COMPONENT scanlab)

# A compiler that set-up fetched into build/ goes with it, and nvcc-path then says
# where from nvcc-path's own folder; one of the machine stays where it is.
if(SCANLAB_NVCC)
  file(REAL_PATH ${SCANLAB_NVCC} nvcc)
  file(REAL_PATH ${CMAKE_SOURCE_DIR}/build fetched_into)
  if(nvcc MATCHES "^${fetched_into}/(cuda[^/]*)/bin/nvcc$")
    set(toolkit ${fetched_into}/${CMAKE_MATCH_1})
    install(DIRECTORY ${toolkit}/ DESTINATION ${home}/cuda USE_SOURCE_PERMISSIONS COMPONENT cuda)
    set(nvcc cuda/bin/nvcc)
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/install/nvcc-path "${nvcc}\n")
  install(FILES ${CMAKE_BINARY_DIR}/install/nvcc-path DESTINATION ${home} COMPONENT cuda)
endif()
