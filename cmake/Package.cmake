# Makes find_package(graphdedup CONFIG) work, from the build tree and from an installation.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/graphdedup")

install(
  TARGETS graphdedup
  EXPORT graphdedupTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cpp NAMELINK_COMPONENT cpp
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/csrc/include/graphdedup"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT cpp
  FILES_MATCHING PATTERN "*.hpp")
install(EXPORT graphdedupTargets NAMESPACE graphdedup:: DESTINATION "${_package_dir}" COMPONENT cpp)
export(EXPORT graphdedupTargets NAMESPACE graphdedup:: FILE "${PROJECT_BINARY_DIR}/graphdedupTargets.cmake")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/graphdedupConfig.cmake.in" "${PROJECT_BINARY_DIR}/graphdedupConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/graphdedupConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/graphdedupConfig.cmake" "${PROJECT_BINARY_DIR}/graphdedupConfigVersion.cmake"
  DESTINATION "${_package_dir}"
  COMPONENT cpp)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT cpp)
# Notices of what is compiled in.
foreach(notice IN ITEMS nlohmann/COPYRIGHT xxhash/LICENSE)
  string(REPLACE "/" "-" name "${notice}")
  install(
    FILES "${PROJECT_SOURCE_DIR}/csrc/third_party/${notice}"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    RENAME "${name}"
    COMPONENT cpp)
endforeach()
