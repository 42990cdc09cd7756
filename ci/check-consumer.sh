#!/usr/bin/env bash
# check-consumer.sh BUILD: a foreign project finds the library of a build tree and of an installation made from it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" --component cpp >"$work/install.log"
check() { # name, option that tells find_package where to look
    cmake -S tests/consumer -B "$work/$1" -G Ninja "$2" >"$work/$1.log" || { cat "$work/$1.log" >&2; return 1; }
    cmake --build "$work/$1" >"$work/$1.log" || { cat "$work/$1.log" >&2; return 1; }
    "$work/$1/consumer" | sed "s/^/consumer of the $1: /"
}
check build "-Dgraphdedup_DIR=$build"
check installation "-DCMAKE_PREFIX_PATH=$work/prefix"
