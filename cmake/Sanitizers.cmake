# GRAPHDEDUP_SANITIZE=address,undefined builds everything with these sanitizers; a finding ends the program.
# GRAPHDEDUP_BUILD_FUZZERS adds libFuzzer's instrumentation to the library (Clang only).
set(GRAPHDEDUP_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize= takes them; empty for none")
option(GRAPHDEDUP_BUILD_FUZZERS "Build the fuzz targets (needs Clang)" OFF)

if(GRAPHDEDUP_SANITIZE)
  add_compile_options(-fsanitize=${GRAPHDEDUP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  # Not enum: ids newer than the headers cross the driver's interface in its enumeration types.
  add_compile_options(-fno-sanitize=enum)
  add_link_options(-fsanitize=${GRAPHDEDUP_SANITIZE})
endif()

if(GRAPHDEDUP_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "GRAPHDEDUP_BUILD_FUZZERS needs Clang, not ${CMAKE_CXX_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
