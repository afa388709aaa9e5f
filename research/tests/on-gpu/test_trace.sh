#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The clocks of research/on-gpu/trace.sh still fit the streaming scans.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/research/tests/on-gpu/objects.sh"
cp -r "$root/timing/fast" "$scratch/fast"
patch -s -d "$scratch/fast" -p1 -F0 <"$root/research/on-gpu/trace/clocks.diff" \
    >"$scratch/words" 2>&1 || object "clocks.diff"
grep -q 'watch.keep(3, k)' "$scratch/fast/stream.cuh" || object "no clocks"
verdict
