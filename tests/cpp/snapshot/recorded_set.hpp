// The recorded sets of tests/data, unpacked into the build folder.
#pragma once

#include "snapshot/recorded.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace graphdedup::snapshot::testing {

inline std::filesystem::path data_folder() { return GRAPHDEDUP_UNPACKED_TEST_DATA; }

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE_MESSAGE(file.is_open(), path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

struct recorded_set {
    std::string name;
    function_table functions;
    std::vector<std::pair<std::string, graph>> graphs;  // by name

    [[nodiscard]] const graph& at(const std::string& graph_name) const {
        const auto found = std::find_if(graphs.begin(), graphs.end(), [&](const auto& g) { return g.first == graph_name; });
        REQUIRE_MESSAGE(found != graphs.end(), graph_name);
        return found->second;
    }
};

inline recorded_set load_set(const std::string& name) {
    const std::filesystem::path folder = data_folder() / name;
    recorded_set set{name, read_function_table(read_text(folder / "functions.json"), name + "/functions.json"), {}};
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::filesystem::path& path = entry.path();
        if (path.extension() != ".json" || path.stem() == "functions") continue;
        set.graphs.emplace_back(path.stem().string(), read_graph(read_text(path), set.functions, path.filename().string()));
    }
    std::sort(set.graphs.begin(), set.graphs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return set;
}

inline const std::vector<recorded_set>& all_sets() {
    static const std::vector<recorded_set> sets{load_set("decode"), load_set("piecewise"), load_set("mixed")};
    return sets;
}

}  // namespace graphdedup::snapshot::testing
