# find_package(darn) — lets targets be compiled and linked by darn, whatever compiler the project uses:
#
#   find_package(darn REQUIRED)
#   darn_enable(bank)                                  # this target, and no other
#   add_test(NAME bank COMMAND ${DARN_EXECUTABLE} run -- $<TARGET_FILE:bank>)
#
# darn_enable(TARGET... [FUNCTIONS]) takes executables and libraries. FUNCTIONS is `darn cc --darn-functions`.
# DARN_EXECUTABLE is the command, DARN_INCLUDE_DIR has darn.h.
get_filename_component(_darn_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(DARN_EXECUTABLE "${_darn_prefix}/bin/darn")
set(DARN_INCLUDE_DIR "${_darn_prefix}/include")
set(_darn_instead "${_darn_prefix}/lib/darn/instead")

# CMake cannot give one target another compiler, but it can put a command before the compiler's: this one runs darn in the
# compiler's place.
function(darn_enable)
  cmake_parse_arguments(PARSE_ARGV 0 darn "FUNCTIONS" "" "")
  if(NOT darn_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "darn_enable: no target")
  endif()
  if(CMAKE_GENERATOR MATCHES "Visual Studio|Xcode")
    message(FATAL_ERROR "darn_enable: the generator '${CMAKE_GENERATOR}' knows no launchers; use Makefiles or Ninja")
  endif()
  foreach(target ${darn_UNPARSED_ARGUMENTS})
    if(NOT TARGET ${target})
      message(FATAL_ERROR "darn_enable: there is no target '${target}'")
    endif()
    set_target_properties(${target} PROPERTIES
      C_COMPILER_LAUNCHER "${_darn_instead};cc" CXX_COMPILER_LAUNCHER "${_darn_instead};c++"
      C_LINKER_LAUNCHER "${_darn_instead};cc" CXX_LINKER_LAUNCHER "${_darn_instead};c++")
    if(darn_FUNCTIONS)
      target_compile_options(${target} PRIVATE --darn-functions)
    endif()
  endforeach()
endfunction()
