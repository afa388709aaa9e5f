#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_debugging.sh PAGE VGPU CLASSICS: the example of a trace in docs/debugging.md
# is what vgpu prints: each of its lines, in that order; "..." is what it leaves
# out.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -x "$3" ] || { echo "SKIP: $3 is not built (no nvcc)" && exit 77; }
sed -n '/^\$ vgpu --trace/,/^```/p' "$1" | sed '$d' >"$scratch/example"
options=$(sed -n '1s/^\$ vgpu \(.*\) \.\/classics saxpy$/\1/p' "$scratch/example")
[ -n "$options" ] || { echo "$1 has no example of a trace" && exit 1; }
"$2" "$options" "$3" saxpy 2>&1 >/dev/null | grep . >"$scratch/said"
failures=0
from=1
sed 1d "$scratch/example" | grep -vx '\.\.\.' >"$scratch/lines"
while IFS= read -r line; do
    at=$(tail -n +"$from" "$scratch/said" | grep -nxF -e "$line" | head -n 1)
    if [ -z "$at" ]; then
        failures=$((failures + 1))
        echo "not said, or not there: $line"
    else
        from=$((from + ${at%%:*}))
    fi
done <"$scratch/lines"
echo "$(wc -l <"$scratch/lines") lines, $failures failures"
[ "$failures" = 0 ] && [ "$from" -gt 5 ]
