#!/bin/bash
# SPDX-License-Identifier: MIT
# Times kernels of many kinds on this machine's GPU, by which the clock's model
# times are judged (vgpu/docs/clock.md):
#
#   research/on-gpu/kinds.sh OUT.csv [REPEATS [[LEAST:]MOST [NAME...]]]
#
# LEAST, MOST: elements, 2^10 and 2^24. ARCH: 90. Needs nvcc and a GPU; half a minute.
set -eu
[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//; 3,8p' "$0" >&2 && exit 2; }
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash "$(dirname "$0")/../clock/kinds/build.sh" "$work/kinds"
{
    echo "# $(date -u +%F), $(nvcc --version | sed -n 's/.*release \([^,]*\).*/nvcc \1/p')"
    "$work/kinds" "$@"
} >"$out"
