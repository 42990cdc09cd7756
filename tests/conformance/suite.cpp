#include "suite.hpp"

#include "bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace graphdedup::conformance {
namespace {

std::vector<std::string>& complaints() {
    static std::vector<std::string> all;
    return all;
}

// What doctest's macros call when they fail: no doctest test case is running.
void note_failed_assert(const doctest::AssertData& failed) {
    std::string text = std::string(failed.m_file) + ":" + std::to_string(failed.m_line) + ": " + failed.m_expr;
    if (failed.m_decomp.size() != 0) text += std::string(" with ") + failed.m_decomp.c_str();
    complaints().push_back(std::move(text));
}

std::string run_one(const case_function& run, bench& where) {
    std::string seen;
    try {
        seen = run(where);
    } catch (const std::exception& error) {
        complaints().emplace_back(error.what());
    } catch (...) {  // what a failed REQUIRE throws: already noted
        if (complaints().empty()) complaints().emplace_back("an unknown exception");
    }
    return seen;
}

void print(const std::string& name, const std::string& seen) {
    const bool passed = complaints().empty();
    std::printf("case %s: %s%s%s\n", name.c_str(), passed ? "ok" : "FAILED", seen.empty() ? "" : ", ", seen.c_str());
    for (const std::string& complaint : complaints()) std::printf("    %s\n", complaint.c_str());
    std::fflush(stdout);
}

}  // namespace

void complain(std::string text) { complaints().push_back(std::move(text)); }

void suite::add(std::string name, case_function run) {
    const auto has_name = [&](const named_case& known) { return known.name == name; };
    if (std::any_of(cases_.begin(), cases_.end(), has_name)) throw std::logic_error("two cases are named " + name);
    cases_.push_back({std::move(name), std::move(run)});
}

std::vector<const suite::named_case*> suite::chosen(std::string_view filter) const {
    std::vector<const named_case*> all;
    for (const named_case& c : cases_) {
        if (c.name.find(filter) != std::string::npos) all.push_back(&c);
    }
    return all;
}

void suite::list(std::string_view filter) const {
    for (const named_case* c : chosen(filter)) std::puts(c->name.c_str());
}

int suite::run(bench& where, std::string_view filter) const {
    doctest::Context context;
    context.setAsDefaultForAssertsOutOfTestCases();
    context.setAssertHandler(note_failed_assert);
    const auto all = chosen(filter);
    int passed = 0;
    for (const named_case* c : all) {
        complaints().clear();
        const std::string seen = run_one(c->run, where);
        print(c->name, seen);
        if (complaints().empty()) ++passed;
        if (where.is_usable()) continue;
        std::printf("the device cannot be used any more: the cases after this one were not run\n");
        break;
    }
    const int failed = static_cast<int>(all.size()) - passed;
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed;
}

}  // namespace graphdedup::conformance
