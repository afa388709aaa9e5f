#!/bin/bash
# SPDX-License-Identifier: MIT
# The constants of the clock (vgpu/docs/clock.md), measured on this machine's GPU.
#
#   research/on-gpu/clock.sh OUT.csv [GROUP...]
#
# GROUP: arithmetic, shared, memory, l2, atomics, messages, launches, pool,
# async, starts, cached, written; all of them in two minutes.
# ARCH: 90. Needs nvcc and a GPU.
set -eu
[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//; 3,9p' "$0" >&2 && exit 2; }
out=$1
shift
here=$(cd "$(dirname "$0")/../clock" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.cu; do
    nvcc -O3 -std=c++17 "-arch=sm_${ARCH:-90}" -c "$source" \
        -o "$work/$(basename "$source").o" &
    compilers="${compilers:-} $!"
done
for one in $compilers; do wait "$one"; done
nvcc "-arch=sm_${ARCH:-90}" -cudart shared "$work"/*.o -o "$work/clock"
{
    echo "# $(date -u +%F), $(nvcc --version | sed -n 's/.*release \([^,]*\).*/nvcc \1/p')"
    "$work/clock" "$@"
} >"$out"
