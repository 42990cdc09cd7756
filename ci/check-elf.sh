#!/usr/bin/env bash
# check-elf.sh FILE...: no file may need a library of CUDA, and what libgraphdedup.so and the extension module export is
# checked name by name. Folders are searched for shared objects and programs.
set -euo pipefail

failed=0
complain() {
    echo "elf: $*" >&2
    failed=1
}

count=0
while IFS= read -r file; do
    readelf -h "$file" >/dev/null 2>&1 || continue
    case $file in *.o | *.a) continue ;; esac
    count=$((count + 1))
    needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    if grep -qE '^lib(cuda|cudart|nv|torch|c10)' <<<"$needed"; then
        complain "$file needs $(tr '\n' ' ' <<<"$needed")"
    fi
    exported=$(nm -D --defined-only --demangle "$file" 2>/dev/null | cut -d' ' -f3-)
    case $(basename "$file") in
        libgraphdedup.so*)
            others=$(grep -vE '^((typeinfo|typeinfo name|vtable) for )?graphdedup::' <<<"$exported" || true)
            [ -z "$others" ] || complain "$file exports foreign names:"$'\n'"$others"
            ;;
        _core*.so)
            [ "$exported" = PyInit__core ] || complain "$file exports more than its entry point:"$'\n'"$exported"
            ;;
    esac
done < <(for path in "$@"; do find "$path" -type f; done | sort)

[ $count -gt 0 ] || complain "no ELF file in: $*"
echo "elf: $count files checked"
exit $failed
