# graphdedup_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [DRIVER <target>])
#
# A doctest program of the given sources, run by ctest under the same name. Sees the headers of all layers. DRIVER names a
# library target that the environment variable GRAPHDEDUP_DRIVER then points to; the program is built after it.
# GRAPHDEDUP_TEST_DATA, a macro, is the folder tests/data.
function(graphdedup_add_test name)
  cmake_parse_arguments(arg "" "DRIVER" "SOURCES;LIBRARIES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "graphdedup_add_test(${name}): SOURCES missing or unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE graphdedup_doctest_main graphdedup_core_objects graphdedup_warnings ${arg_LIBRARIES})
  target_compile_definitions(${name} PRIVATE "GRAPHDEDUP_TEST_DATA=\"${PROJECT_SOURCE_DIR}/tests/data\"")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  if(arg_DRIVER)
    add_dependencies(${name} ${arg_DRIVER})
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "GRAPHDEDUP_DRIVER=$<TARGET_FILE:${arg_DRIVER}>")
  endif()
endfunction()
