// Labels of record nodes: fields between bars, grouped by braces. CUDA's dumps make rows of them, "{title | value}", and tables,
// a group of names next to a group of values.
#pragma once

#include "snapshot/dot_lexer.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphdedup::snapshot {

// Either text or a group.
struct label_field {
    std::string text;
    std::vector<label_field> parts;

    // The first group, from the outside in, whose first field is `title`; null if there is none.
    [[nodiscard]] const label_field* find_row(std::string_view title) const {
        if (!parts.empty() && parts.front().text == title) return this;
        for (const label_field& part : parts) {
            if (const label_field* found = part.find_row(title)) return found;
        }
        return nullptr;
    }
};

struct label_table {
    const std::vector<label_field>* names = nullptr;
    const std::vector<label_field>* values = nullptr;

    // The value under `name`; with `skip`, under a later column of that name. Null if there is none.
    [[nodiscard]] const std::string* find(std::string_view name, std::size_t skip = 0) const {
        for (std::size_t i = 0; i < names->size(); ++i) {
            if ((*names)[i].text == name && skip-- == 0) return &(*values)[i].text;
        }
        return nullptr;
    }
};

// The first table that has a column `name`.
inline std::optional<label_table> find_table(const label_field& in, std::string_view name) {
    for (std::size_t i = 0; i + 1 < in.parts.size(); ++i) {
        const label_table table{&in.parts[i].parts, &in.parts[i + 1].parts};
        if (table.names->size() == table.values->size() && table.find(name) != nullptr) return table;
    }
    for (const label_field& part : in.parts) {
        if (const auto found = find_table(part, name)) return found;
    }
    return std::nullopt;
}

class label_parser {
  public:
    explicit label_parser(std::string_view text) : rest_(text) {}

    // Empty if braces do not match, or nest deeper than any dump's.
    std::optional<label_field> run() {
        label_field root;
        const bool is_complete = read_group(root, 0) && rest_.empty();
        return is_complete ? std::optional(std::move(root)) : std::nullopt;
    }

  private:
    static constexpr int max_depth = 16;

    // Fields up to the brace that closes the group, or the end.
    bool read_group(label_field& group, int depth) {
        if (depth > max_depth) return false;
        while (true) {
            if (!read_field(group.parts.emplace_back(), depth)) return false;
            if (rest_.empty() || rest_.front() == '}') return true;
            rest_.remove_prefix(1);  // the bar
        }
    }

    // Up to a bar, a closing brace or the end.
    bool read_field(label_field& field, int depth) {
        while (!rest_.empty() && rest_.front() != '|' && rest_.front() != '}') {
            const char c = take();
            if (c == '{') {
                if (!field.parts.empty() || !read_group(field, depth + 1) || rest_.empty()) return false;
                rest_.remove_prefix(1);  // the closing brace
            } else {
                const bool is_escape = c == '\\' && !rest_.empty();
                field.text += is_escape ? take() : c;
            }
        }
        trim(field.text);
        return true;
    }

    char take() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    static void trim(std::string& text) {
        while (!text.empty() && is_dot_space(text.back())) text.pop_back();
        std::size_t blank = 0;
        while (blank < text.size() && is_dot_space(text[blank])) ++blank;
        text.erase(0, blank);
    }

    std::string_view rest_;
};

}  // namespace graphdedup::snapshot
