#!/bin/sh
# SPDX-License-Identifier: MIT
# hardware.sh TABLE H200: stores, loads and conflicts of the table (wavefronts.c)
# are those that a real GPU counted for the same launches (on_gpu.sh).
set -eu
rows() { grep -v -e '^#' -e '^method,' "$1"; }
ours=$(rows "$1" | awk -F, '$3 == 32 { print $1 "," $2 "," $3 "," $6 "," $7 "," $8 }')
theirs=$(rows "$2")
lines=$(echo "$theirs" | wc -l)
[ "$lines" -eq 28 ] || { echo "FAIL: $lines launches in $2, not 28"; exit 1; }
[ "$ours" = "$theirs" ] && exit
echo "FAIL: not what the hardware counted ($2); ours, then its:"
echo "$ours"
echo
echo "$theirs"
exit 1
