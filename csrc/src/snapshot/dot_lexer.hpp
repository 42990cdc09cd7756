// Splits DOT into tokens, as far as CUDA's dumps use the language: no comments, no HTML strings.
#pragma once

#include <graphdedup/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace graphdedup::snapshot {

struct dot_text {
    std::string_view text;
    std::string_view origin;

    [[noreturn]] void fail(std::size_t at, const std::string& message) const {
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n');
        throw format_error("read DOT dump", std::string(origin), "line " + std::to_string(line) + ": " + message);
    }
};

struct dot_token {
    enum class type { end, word, string, sign } kind = type::end;
    std::string_view text;  // of a string, what stands between the quotes, escapes and all; a sign is one character or "->"
    std::size_t at = 0;

    [[nodiscard]] bool is_sign(std::string_view sign) const { return kind == type::sign && text == sign; }
    [[nodiscard]] bool is_word(std::string_view word) const { return kind == type::word && text == word; }
    [[nodiscard]] bool is_name() const { return kind == type::word || kind == type::string; }
};

inline bool is_dot_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class dot_lexer {
  public:
    explicit dot_lexer(const dot_text& source) : source_(source) { advance(); }

    [[nodiscard]] const dot_token& peek() const { return token_; }
    [[nodiscard]] const dot_text& source() const { return source_; }

    dot_token take() {
        const dot_token taken = token_;
        advance();
        return taken;
    }
    bool take_if_sign(std::string_view sign) {
        const bool is_it = token_.is_sign(sign);
        if (is_it) advance();
        return is_it;
    }
    void expect_sign(std::string_view sign) {
        if (!take_if_sign(sign)) unexpected("\"" + std::string(sign) + "\"");
    }
    dot_token expect_name(const char* what) {
        if (!token_.is_name()) unexpected(what);
        return take();
    }
    [[noreturn]] void unexpected(const std::string& wanted) const {
        const bool is_end = token_.kind == dot_token::type::end;
        const std::string found = is_end ? "the end of the text" : "\"" + std::string(token_.text.substr(0, 40)) + "\"";
        source_.fail(token_.at, "expected " + wanted + ", found " + found);
    }

  private:
    static bool is_word_character(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    }

    void advance() {
        const std::string_view text = source_.text;
        while (next_ < text.size() && is_dot_space(text[next_])) ++next_;
        const std::size_t at = next_;
        if (at == text.size()) {
            token_ = {dot_token::type::end, {}, at};
        } else if (text[at] == '"') {
            token_ = {dot_token::type::string, take_string(), at};
        } else if (is_word_character(text[at])) {
            while (next_ < text.size() && is_word_character(text[next_])) ++next_;
            token_ = {dot_token::type::word, text.substr(at, next_ - at), at};
        } else {
            next_ += text.substr(at, 2) == "->" ? 2U : 1U;
            token_ = {dot_token::type::sign, text.substr(at, next_ - at), at};
        }
    }

    std::string_view take_string() {
        const std::string_view text = source_.text;
        const std::size_t first = next_ + 1;
        std::size_t end = first;
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
        if (end >= text.size()) source_.fail(next_, "the text ends inside of a string that starts here");
        next_ = end + 1;
        return text.substr(first, end - first);
    }

    const dot_text& source_;
    std::size_t next_ = 0;
    dot_token token_;
};

}  // namespace graphdedup::snapshot
