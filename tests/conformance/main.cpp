// graphdedup_conformance [--list] [FILTER]
//
// Tries on the driver that GRAPHDEDUP_DRIVER names (libcuda.so.1 without it) every fact that graphdedup leans on. Cases whose
// name has FILTER in it run, or are listed. The exit status says whether all passed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "bench.hpp"
#include "cases.hpp"

#include <cstdio>
#include <exception>
#include <string_view>

namespace {

using namespace graphdedup::conformance;

suite all_cases() {
    suite all;
    add_kernel_cases(all);
    add_argument_form_cases(all);
    add_cluster_cases(all);
    add_static_cluster_cases(all);
    add_attribute_cases(all);
    add_preferred_cluster_cases(all);
    add_refusal_cases(all);
    add_topology_cases(all);
    add_memcpy_cases(all);
    add_memset_cases(all);
    add_host_and_event_cases(all);
    add_special_node_cases(all);
    add_in_flight_cases(all);
    add_query_cases(all);
    add_user_object_cases(all);
    add_mixed_cluster_cases(all);
    return all;
}

int run(std::string_view filter) {
    bench where(graphdedup::driver::open());
    std::printf("%s\n", where.description().c_str());
    return all_cases().run(where, filter) == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const bool lists = count > 1 && std::string_view(arguments[1]) == "--list";
    const int used = lists ? 2 : 1;
    const std::string_view filter = count > used ? arguments[used] : "";
    try {
        if (!lists) return run(filter);
        all_cases().list(filter);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "graphdedup_conformance: %s\n", error.what());
        return 2;
    }
}
