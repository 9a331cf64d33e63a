# What an installation has besides the parts of darn, and the Debian package: `make package`.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/darn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/darn-config.cmake ${CMAKE_BINARY_DIR}/darn-config-version.cmake DESTINATION lib/cmake/darn)
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/instead DESTINATION lib/darn)
# Under the names that Debian's tools look for.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/darn RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/darn)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION share/doc/darn)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME darn)
set(CPACK_PACKAGE_VENDOR darn)
set(CPACK_PACKAGE_CONTACT "the darn maintainers <darn@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds, proves, replays and mends thread bugs in C and C++ programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "darn compiles a program with clang and a plugin, reports its data races and\ndeadlocks as it runs, makes predicted bugs happen under schedules that replay,\nand keeps known ones from happening.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Libraries by dpkg-shlibdeps; the plugin is loaded by clang 19, which brings LLVM.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-19")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gdb, cmake")
set(CPACK_STRIP_FILES OFF)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # what is built is packed
include(CPack)
