// The recorded form: graphs and their functions as JSON, read and written without a driver.
//
// A recorded set is a folder: `functions.json` names the functions of the set once, `<graph>.json` holds a graph each and refers
// to functions by id. The format's page in docs says what every field means.
#pragma once

#include "snapshot/snapshot.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace graphdedup::snapshot {

struct function_table {
    std::vector<function> functions;  // `identity` is the recorded id
    std::string meta;                 // the "meta" object of the file as JSON text, kept as it is; may be empty
};

// `origin` names the text in errors: a file name.
// Throws format_error on anything that is not a complete, consistent recording.
[[nodiscard]] function_table read_function_table(std::string_view text, std::string_view origin);
[[nodiscard]] graph read_graph(std::string_view text, const function_table& functions, std::string_view origin);

// True if the text looks like a function table rather than a graph: tools take both from one list of files.
[[nodiscard]] bool is_function_table(std::string_view text) noexcept;

// Collects the functions of several graphs under ids of the set's own, in order of first appearance.
class recorder {
  public:
    // JSON text of the graph. Functions are told apart by identity.
    [[nodiscard]] std::string write_graph(const graph& g);
    // JSON text of the function table of all graphs written so far. `meta` is JSON text of an object, or empty.
    [[nodiscard]] std::string write_function_table(std::string_view meta) const;

  private:
    std::vector<function> functions_;
};

}  // namespace graphdedup::snapshot
