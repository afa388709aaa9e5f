#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh NM CALLS LIBRARY [STUB]: the library exports exactly the functions that driver_calls.def lists, and, where there
# is a toolkit, all that its stub of libcuda exports.
set -eu
nm=$1 calls=$2 library=$3 theirs=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names() { "$nm" -D --defined-only "$1" | awk '$2 ~ /[TW]/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }
grep -o 'X(cu[A-Za-z0-9_]*, [0-9]*)' "$calls" | sed 's/X(\(.*\),.*/\1/' | LC_ALL=C sort >"$work/listed"
names "$library" >"$work/exported"
diff "$work/listed" "$work/exported" || { echo "driver_calls.def and $library differ (< listed, > exported)"; exit 1; }
echo "$(wc -l <"$work/exported") functions"
[ -n "$theirs" ] || { echo "no toolkit's library to compare with"; exit 0; }
names "$theirs" >"$work/theirs"
missing=$(LC_ALL=C comm -13 "$work/exported" "$work/theirs")
[ -z "$missing" ] || { echo "in $theirs only:"; echo "$missing"; exit 1; }
echo "all of $theirs"
