#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh NM LIBRARY CALLS [TOOLKIT_LIBRARY]: the library exports exactly the functions of calls.def, each under the
# version node that nvcc's output asks for; and, where there is a toolkit, exactly those of its own library.
set -eu
nm=$1 library=$2 calls=$3 theirs=${4:-}
names() { "$nm" -D --defined-only "$1" | awk '$2 ~ /[TW]/ { print $3 }' | LC_ALL=C sort; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^X(\(.*\))$/\1@@libcudart.so.13/p' "$calls" | LC_ALL=C sort >"$work/listed"
names "$library" >"$work/exported"
count=$(wc -l <"$work/exported")
if ! diff "$work/listed" "$work/exported" >"$work/diff"; then
    echo "calls.def and $library differ (< listed, > exported):"
    cat "$work/diff"
    exit 1
fi
# 422 functions and the node itself are the 423 names of the real library.
[ "$count" -eq 422 ] || { echo "$count functions, not 422"; exit 1; }
"$nm" -D --defined-only "$library" | grep -q ' A libcudart.so.13' || { echo "no version node"; exit 1; }
echo "$count functions with version libcudart.so.13"
[ -n "$theirs" ] || { echo "no toolkit's library to compare with"; exit 0; }
names "$theirs" >"$work/theirs"
# A later CUDA 13 may have more: those are said; what is missing there is an error.
if [ -n "$(LC_ALL=C comm -23 "$work/exported" "$work/theirs")" ]; then
    echo "not in $theirs:"
    LC_ALL=C comm -23 "$work/exported" "$work/theirs"
    exit 1
fi
missing=$(LC_ALL=C comm -13 "$work/exported" "$work/theirs")
[ -z "$missing" ] || { echo "in $theirs only:"; echo "$missing"; exit 1; }
echo "the same as $theirs"
