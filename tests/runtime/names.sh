#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh NM LIBRARY CALLS: the library exports exactly the functions of calls.def, each under the version node that
# nvcc's output asks for.
set -eu
nm=$1 library=$2 calls=$3
wanted=$(sed -n 's/^X(\([^,]*\),.*/\1@@libcudart.so.13/p' "$calls" | LC_ALL=C sort)
got=$("$nm" -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort)
count=$(printf '%s\n' "$got" | wc -l)
if [ "$wanted" != "$got" ]; then
    echo "calls.def and $library differ (< listed, > exported):"
    printf '%s\n' "$wanted" >"${TMPDIR:-/tmp}/wanted.$$"
    printf '%s\n' "$got" | diff "${TMPDIR:-/tmp}/wanted.$$" - || true
    rm -f "${TMPDIR:-/tmp}/wanted.$$"
    exit 1
fi
# 422 functions and the node itself are the 423 names of the real library.
[ "$count" -eq 422 ] || { echo "$count functions, not 422"; exit 1; }
"$nm" -D --defined-only "$library" | grep -q ' A libcudart.so.13' || { echo "no version node"; exit 1; }
echo "$count functions with version libcudart.so.13"
