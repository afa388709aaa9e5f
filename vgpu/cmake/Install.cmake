# SPDX-License-Identifier: MIT
# What others build with (find_package(vgpu), pkg-config vgpu) and the program
# vgpu with the libcudart that it gives to programs, which it finds from where
# it lies: the prefix can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/vgpu)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/vgpu)

set_target_properties(base PROPERTIES OUTPUT_NAME vgpu_base EXPORT_NAME base)
set_target_properties(vgpu_names PROPERTIES EXPORT_NAME names)
set_target_properties(vgpu PROPERTIES EXPORT_NAME vgpu)
target_include_directories(vgpu PUBLIC $<INSTALL_INTERFACE:${headers}>)
install(TARGETS vgpu vgpu_names base EXPORT vgpu
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT vgpu NAMESPACE vgpu:: FILE vgpuTargets.cmake DESTINATION ${package})
configure_file(cmake/vgpuConfig.cmake.in vgpuConfig.cmake @ONLY)
write_basic_package_version_file(vgpuConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vgpuConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/vgpuConfigVersion.cmake DESTINATION ${package})
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/vgpu.pc.in vgpu.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vgpu.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB interface include/*.h include/*.def)
install(FILES ${interface} DESTINATION ${headers})
install(TARGETS vgpu_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Beside bin/, where the program looks for them.
install(TARGETS ${vgpu_given} LIBRARY DESTINATION lib/vgpu)
install(TARGETS ${vgpu_given_driver} LIBRARY DESTINATION lib/vgpu/driver)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN *.sh EXCLUDE PATTERN *.py EXCLUDE)
