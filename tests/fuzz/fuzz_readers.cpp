// Whatever the bytes, a reader gives a result or a format_error; and a graph that was read can be written and read again.
#include "../cpp/snapshot/same_graph.hpp"
#include "snapshot/dot.hpp"
#include "snapshot/recorded.hpp"

#include <graphdedup/error.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace graphdedup::snapshot;  // every name here is from there

// With ids as low as the recordings of the corpus have.
const function_table& known_functions() {
    static const function_table table = read_function_table(
        R"({"functions":[{"id":0,"name":"a","param_layout":[[0,4],[8,8]],"attributes":{"num_regs":24}},)"
        R"({"id":1,"name":"b","param_layout":null,"attributes":{}},{"id":2,"name":null,"param_layout":[],"attributes":{}},)"
        R"({"id":8,"name":"c","param_layout":[[0,1]],"attributes":{}},{"id":9,"name":"d","param_layout":[],"attributes":{}},)"
        R"({"id":10,"name":"e","param_layout":[],"attributes":{}},{"id":11,"name":"f","param_layout":[],"attributes":{}}]})",
        "known functions");
    return table;
}

template <typename Read>
auto read_or_refuse(Read read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const graphdedup::format_error&) {
        return std::nullopt;
    }
}

[[noreturn]] void stop(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::abort();
}

std::string written(const graph& g, std::string& functions) {
    recorder recorded;
    std::string text = recorded.write_graph(g);
    functions = recorded.write_function_table("");
    return text;
}

void check_round_trip(const graph& g) {
    std::string functions;
    const std::string text = written(g, functions);
    const graph back = read_graph(text, read_function_table(functions, "written functions"), "written graph");
    const std::string differing = testing::difference(g, back);
    if (!differing.empty()) stop("comes back different: " + differing);
    std::string functions_again;
    if (written(back, functions_again) != text || functions_again != functions) stop("is written differently the second time");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(is_dot(text));
    static_cast<void>(is_function_table(text));
    if (const auto g = read_or_refuse([&] { return read_graph(text, known_functions(), "fuzz"); })) check_round_trip(*g);
    if (const auto table = read_or_refuse([&] { return read_function_table(text, "fuzz"); })) {
        static_cast<void>(read_function_table(recorder().write_function_table(table->meta), "meta"));
    }
    // Not compared: a name in a dump can be any bytes, one in JSON cannot.
    if (const auto g = read_or_refuse([&] { return read_dot(text, "fuzz"); })) {
        std::string functions;
        const std::string again = written(*g, functions);
        static_cast<void>(read_graph(again, read_function_table(functions, "written functions"), "written dump"));
    }
    return 0;
}
