// The list of cases, and the loop that runs them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace graphdedup::conformance {

class bench;

// Returns what was seen, for the log. Asserts with doctest's macros; a failed one fails the case.
using case_function = std::function<std::string(bench&)>;

// Fails the case that is running, with this text.
void complain(std::string text);
inline void expect(bool holds, const std::string& otherwise) {
    if (!holds) complain(otherwise);
}

class suite {
  public:
    // Names are unique: the logs of two drivers are compared by them.
    void add(std::string name, case_function run);

    void list(std::string_view filter) const;
    // Runs the cases whose name has `filter` in it; prints a line each and the count. Returns how many failed.
    [[nodiscard]] int run(bench& where, std::string_view filter) const;

  private:
    struct named_case {
        std::string name;
        case_function run;
    };

    [[nodiscard]] std::vector<const named_case*> chosen(std::string_view filter) const;

    std::vector<named_case> cases_;
};

}  // namespace graphdedup::conformance
