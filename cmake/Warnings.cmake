# graphdedup_warnings: what every target of this project is compiled with. Third-party headers are SYSTEM includes.
option(GRAPHDEDUP_WERROR "Treat compiler warnings as errors" OFF)

add_library(graphdedup_warnings INTERFACE)
target_compile_options(
  graphdedup_warnings
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wcast-qual
            -Wold-style-cast
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wextra-semi
            -Wformat=2
            -Wundef
            -Wunused
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-branches>
            $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
            # GCC 12 is wrong about additions to a std::string and comparisons of std::vector<std::byte>.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
            $<$<CXX_COMPILER_ID:Clang>:-Wimplicit-fallthrough>
            $<$<BOOL:${GRAPHDEDUP_WERROR}>:-Werror>)
