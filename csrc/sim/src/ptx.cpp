#include "ptx.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace graphdedup_sim {
namespace {

std::string without_comments(std::string_view text) {
    std::string kept;
    kept.reserve(text.size());
    while (!text.empty()) {
        const bool line = text.starts_with("//");
        const bool block = text.starts_with("/*");
        if (!line && !block) {
            kept.push_back(text.front());
            text.remove_prefix(1);
            continue;
        }
        const std::size_t end = line ? text.find('\n') : text.find("*/", 2);
        if (end == std::string_view::npos) break;
        text.remove_prefix(line ? end : end + 2);
        kept.push_back(' ');
    }
    return kept;
}

// Words (directives, names, numbers) and single punctuation characters.
std::vector<std::string_view> tokens_of(std::string_view text) {
    const auto in_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' || c == '%';
    };
    std::vector<std::string_view> tokens;
    for (std::size_t at = 0; at < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        while (in_word(text[at]) && end < text.size() && in_word(text[end])) ++end;
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::optional<unsigned int> to_number(std::string_view token) {
    unsigned int value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
    return value;
}

// 8 for ".u64"; 0 for what is not a type.
std::size_t size_of_type(std::string_view token) {
    constexpr std::string_view kinds = "usbf";
    if (token == ".f16x2") return 4;
    if (token.size() < 3 || token[0] != '.' || kinds.find(token[1]) == std::string_view::npos) return 0;
    const std::optional<unsigned int> bits = to_number(token.substr(2));
    constexpr unsigned int bits_per_byte = 8;
    return bits && *bits % bits_per_byte == 0 ? *bits / bits_per_byte : 0;
}

class entry_reader {
  public:
    explicit entry_reader(const std::vector<std::string_view>& tokens) : tokens_(tokens) {}

    // `at`: behind ".entry". Left at the brace that opens the body, or at the end of a declaration without one.
    std::optional<function_object> read(std::size_t& at) {
        at_ = at;
        function_.attributes = plain_attributes();
        function_.name = next();
        if (peek() == "(" && !read_parameters()) return std::nullopt;
        while (at_ < tokens_.size() && peek() != "{" && peek() != ";") read_directive();
        at = at_;
        if (function_.name.empty()) return std::nullopt;
        return std::move(function_);
    }

  private:
    [[nodiscard]] std::string_view peek() const { return at_ < tokens_.size() ? tokens_[at_] : std::string_view{}; }
    std::string_view next() {
        const std::string_view token = peek();
        ++at_;
        return token;
    }

    bool read_parameters() {
        next();  // (
        while (peek() != ")") {
            if (at_ >= tokens_.size() || !read_parameter()) return false;
            if (peek() == ",") next();
        }
        next();
        return true;
    }

    // .param [.align N] .TYPE [.ptr [.SPACE] [.align N]] NAME [ [COUNT] ]
    bool read_parameter() {
        if (next() != ".param") return false;
        std::size_t align_bytes = 0;
        std::size_t type_bytes = 0;
        bool is_pointer = false;  // the alignment behind .ptr is that of what it points to
        while (peek().starts_with('.')) {
            const std::string_view token = next();
            if (token == ".ptr") is_pointer = true;
            if (token == ".align") {
                const std::optional<unsigned int> value = to_number(next());
                if (!value) return false;
                if (!is_pointer) align_bytes = *value;
            } else if (type_bytes == 0) {
                type_bytes = size_of_type(token);
            }
        }
        next();  // the name
        std::size_t size_bytes = type_bytes;
        if (peek() == "[") {
            next();
            const std::optional<unsigned int> count = to_number(next());
            if (!count || next() != "]") return false;
            size_bytes *= *count;
        }
        return type_bytes != 0 && add_parameter(size_bytes, std::max(align_bytes, type_bytes));
    }

    bool add_parameter(std::size_t size_bytes, std::size_t align_bytes) {
        const std::size_t end_bytes = function_.arguments_size_bytes();
        function_.parameters.push_back({(end_bytes + align_bytes - 1) / align_bytes * align_bytes, size_bytes});
        return true;
    }

    void read_directive() {
        const std::string_view token = next();
        if (token == ".explicitcluster") function_.attributes[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = 1;
        if (token != ".reqnctapercluster") return;
        constexpr CUfunction_attribute ids[] = {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                                CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
        for (const CUfunction_attribute id : ids) {
            const std::optional<unsigned int> value = to_number(peek());
            if (value) next();
            function_.attributes[id] = value ? static_cast<int>(*value) : 1;
            if (peek() == ",") next();
        }
    }

    const std::vector<std::string_view>& tokens_;
    std::size_t at_ = 0;
    function_object function_;
};

}  // namespace

std::map<int, int> plain_attributes() {
    return {{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
            {CU_FUNC_ATTRIBUTE_NUM_REGS, 32},
            {CU_FUNC_ATTRIBUTE_PTX_VERSION, 78},
            {CU_FUNC_ATTRIBUTE_BINARY_VERSION, 90},
            {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152},
            {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1}};
}

std::optional<std::vector<function_object>> parse_ptx(std::string_view text) {
    const std::string code = without_comments(text);
    const std::vector<std::string_view> tokens = tokens_of(code);
    if (std::find(tokens.begin(), tokens.end(), ".version") == tokens.end()) return std::nullopt;
    std::vector<function_object> entries;
    for (std::size_t at = 0; at < tokens.size();) {
        if (tokens[at++] != ".entry") continue;
        std::optional<function_object> read = entry_reader(tokens).read(at);
        if (!read) return std::nullopt;
        entries.push_back(std::move(*read));
    }
    return entries;
}

}  // namespace graphdedup_sim
