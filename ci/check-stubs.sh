#!/usr/bin/env bash
# Compares the committed stubs of the extension module with fresh ones. With --update it writes the fresh ones.
# PYTHON names an interpreter that has graphdedup and the extra "test" installed.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
bin=$(dirname "$(command -v "$python")")
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

"$python" -m pybind11_stubgen graphdedup._core --exit-code --output-dir "$fresh" >"$fresh/log" 2>&1 || {
    cat "$fresh/log" >&2
    exit 1
}
# A module with submodules becomes a folder of stubs, one without a single file.
rm "$fresh/log"
for stub in $(cd "$fresh/graphdedup" && find . -name '*.pyi' | sort); do
    "$bin/ruff" format --quiet --isolated --line-length 120 "$fresh/graphdedup/$stub"
done

if [ "${1:-}" = --update ]; then
    rm -rf python/graphdedup/_core python/graphdedup/_core.pyi
    cp -R "$fresh/graphdedup/." python/graphdedup/
    exit 0
fi
failed=0
for stub in $(cd "$fresh/graphdedup" && find . -name '*.pyi' | sort); do
    diff -u "python/graphdedup/$stub" "$fresh/graphdedup/$stub" || failed=1
done
for stub in $(cd python/graphdedup && find . -path './_core*' -name '*.pyi' | sort); do
    [ -e "$fresh/graphdedup/$stub" ] || { echo "python/graphdedup/$stub: no longer generated" >&2; failed=1; }
done
[ $failed = 0 ] || echo "stubs: run ci/check-stubs.sh --update" >&2
exit $failed
