# pyproject.toml is the one place that states the version.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../pyproject.toml" _version_line REGEX "^version = \"[0-9]+\\.[0-9]+\\.[0-9]+" LIMIT_COUNT 1)
if(NOT _version_line MATCHES "\"([0-9]+\\.[0-9]+\\.[0-9]+)([^\"]*)\"")
  message(FATAL_ERROR "graphdedup: pyproject.toml has no line of the form: version = \"1.2.3\"")
endif()
set(GRAPHDEDUP_VERSION "${CMAKE_MATCH_1}")
set(GRAPHDEDUP_FULL_VERSION "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/../pyproject.toml")
