#!/bin/bash
# SPDX-License-Identifier: MIT
# Where the warps of the streaming scans (timing/fast/stream.cuh) spend their
# cycles: a copy of them with clocks (trace/clocks.diff), and trace/trace.cu.
#
#   research/on-gpu/trace.sh build WORK [-DSHAPE_...]   WORK/trace, WORK/hop
#   research/on-gpu/trace.sh run WORK OUT               OUT: a CSV
#   research/on-gpu/trace.sh hop WORK OUT               what a chain's step takes
#
# ARCH: 90. Needs nvcc and patch to build, a GPU to run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${SCANLAB_ROOT:-$here/../..}" && pwd)
step=${1:-} work=${2:-}
[ -n "$work" ] || { sed -n 's/^# \{0,1\}//; 3,10p' "$0" >&2 && exit 2; }

case $step in
build)
    . "$here/toolkit.sh"
    mkdir -p "$work"
    rm -rf "$work/fast"
    cp -r "$root/timing/fast" "$work/fast"
    patch -s -d "$work/fast" -p1 <"$here/trace/clocks.diff"
    nvcc -O3 -std=c++17 -cudart static "-arch=sm_${ARCH:-90}" "${@:3}" \
        -I "$work/fast" -I "$root/labs/common" \
        -I "$(echo "$root"/labs/*-lookback)" \
        "$here/trace/trace.cu" -o "$work/trace" &
    nvcc -O2 -std=c++17 -cudart static "-arch=sm_${ARCH:-90}" \
        -I "$root/labs/common" -I "$(echo "$root"/labs/*-chained)" \
        "$here/trace/hop.cu" -o "$work/hop"
    wait $!
    ;;
run) "$work/trace" >"${3:?}" ;;
hop) "$work/hop" >"${3:?}" ;;
*) echo "trace.sh: build, run or hop" >&2 && exit 2 ;;
esac
