#!/bin/sh
# SPDX-License-Identifier: MIT
# pictures.sh VGPU PICTURE HANDOUT: the pictures in the handout are what the
# program prints. After "map MAP N K" at the start of a line, each line it
# prints must begin a line of the handout (another picture may stand beside it).
set -u
vgpu=$1 picture=$2 handout=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seen=0 failures=0
grep '^map ' "$handout" | awk '{ print $2, $3, $4 }' >"$folder/calls"
while read -r map n k; do
    seen=$((seen + 1))
    "$vgpu" "$picture" "$map" "$n" "$k" >"$folder/out" 2>"$folder/report" || {
        echo "FAIL: picture $map $n $k"
        cat "$folder/report"
        failures=$((failures + 1))
    }
    awk -v head="map $map $n $k" '
        NR == FNR { printed[++lines] = $0; next }
        index($0, head) == 1 { at = 1; next }
        at && at <= lines { if (index($0, printed[at]) == 1) at++; else exit }
        END { exit at != lines + 1 }' "$folder/out" "$handout" || {
        echo "FAIL: the handout's picture $map $n $k is not what it prints:"
        cat "$folder/out"
        failures=$((failures + 1))
    }
done <"$folder/calls"
[ "$seen" -ge 3 ] || { echo "FAIL: only $seen pictures"; exit 1; }
[ "$failures" -eq 0 ]
