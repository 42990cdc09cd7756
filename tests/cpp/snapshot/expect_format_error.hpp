// What each reader owes on bad input: a format_error that names operation and origin, and says where.
#pragma once

#include <graphdedup/error.hpp>

#include <doctest/doctest.h>

#include <string>

namespace graphdedup::snapshot::testing {

template <typename Read>
void expect_format_error(const char* operation, const std::string& part_of_message, Read read) {
    CAPTURE(part_of_message);
    try {
        read("the origin");
    } catch (const format_error& e) {
        const std::string message = e.what();
        CAPTURE(message);
        CHECK(e.operation() == operation);
        CHECK(e.object() == "the origin");
        CHECK(message.find("the origin") != std::string::npos);
        CHECK(message.find(part_of_message) != std::string::npos);
        return;
    }
    FAIL_CHECK("nothing was thrown");
}

}  // namespace graphdedup::snapshot::testing
