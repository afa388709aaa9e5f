#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The clocks of tools/on-gpu/trace.sh still fit the streaming scans.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/on-gpu/objects.sh"
cp -r "$root/reference/fast" "$scratch/fast"
patch -s -d "$scratch/fast" -p1 -F0 <"$root/tools/on-gpu/trace/clocks.diff" \
    >"$scratch/words" 2>&1 || object "clocks.diff"
grep -q 'watch.keep(3, k)' "$scratch/fast/stream.cuh" || object "no clocks"
verdict
