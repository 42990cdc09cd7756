#!/usr/bin/env bash
# Format and lint: ruff for Python, clang-format for C++. With --fix it rewrites the files instead of complaining.
# PYTHON names the interpreter whose environment has the tools (extra "test").
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(dirname "$(command -v "${PYTHON:-python3}")")
PATH="$bin:$PATH"

mapfile -t cpp_files < <(find csrc tests -name third_party -prune -o \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.def' \) -print | sort)
# clang-format does not know what a .def file holds: it is given to it as a header.
format_def() { clang-format --assume-filename="${1%.def}.hpp" <"$1"; }

if [ "${1:-}" = --fix ]; then
    ruff check --fix .
    ruff format .
    for file in "${cpp_files[@]}"; do
        case $file in
            *.def) format_def "$file" >"$file.new" && mv "$file.new" "$file" ;;
            *) clang-format -i "$file" ;;
        esac
    done
    exit 0
fi

failed=0
ruff check . || failed=1
ruff format --check . || failed=1
for file in "${cpp_files[@]}"; do
    case $file in
        *.def) format_def "$file" | diff -u --label "$file" --label formatted "$file" - || failed=1 ;;
        *) clang-format --dry-run --Werror "$file" || failed=1 ;;
    esac
done
[ $failed = 0 ] || echo "format: run ci/check-format.sh --fix" >&2
exit $failed
