#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh NM CALLS LIBRARY VERSION [TOOLKIT_LIBRARY]: the library exports exactly the functions that calls.def lists
# for CUDA 12 or 13, each under the version node that nvcc's output asks for; and, where there is a toolkit of that
# version, all that its own library exports.
set -eu
nm=$1 calls=$2 library=$3 version=$4 theirs=${5:-}
names() { "$nm" -D --defined-only "$1" | awk '$2 ~ /[TW]/ { print $3 }' | LC_ALL=C sort; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows='^X('
[ "$version" != 12 ] || rows='^X\(12\)*('
sed -n "s/$rows\(.*\))\$/&/p" "$calls" | sed "s/.*(\(.*\))/\1@@libcudart.so.$version/" | LC_ALL=C sort >"$work/listed"
names "$library" >"$work/exported"
count=$(wc -l <"$work/exported")
[ "$count" -gt 400 ] || { echo "only $count functions"; exit 1; }
if ! diff "$work/listed" "$work/exported" >"$work/diff"; then
    echo "calls.def and $library differ (< listed, > exported):"
    cat "$work/diff"
    exit 1
fi
"$nm" -D --defined-only "$library" | grep -q " A libcudart.so.$version" || { echo "no version node"; exit 1; }
echo "$count functions with version libcudart.so.$version"
[ -n "$theirs" ] || { echo "no toolkit's library to compare with"; exit 0; }
names "$theirs" >"$work/theirs"
missing=$(LC_ALL=C comm -13 "$work/exported" "$work/theirs")
[ -z "$missing" ] || { echo "in $theirs only:"; echo "$missing"; exit 1; }
echo "all of $theirs"
