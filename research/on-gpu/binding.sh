#!/bin/bash
# SPDX-License-Identifier: MIT
# What binds the fast scans: Nsight Compute on one launch each of the cells of
# binding-cells.txt, timing/fast and CUB's DeviceScan.
#
#   research/on-gpu/binding.sh SHAPES RAW OUT
#
# SHAPES: where shapes.sh build has put its programs; RAW: a folder for what
# ncu says; OUT: the CSV made of it (binding.py). Needs the right to read the
# GPU's counters. CELLS: another file than binding-cells.txt.
set -u
here=$(cd "$(dirname "$0")" && pwd)
shapes=$1 raw=$2 out=$3 cells=${CELLS:-$here/binding-cells.txt}
. "$here/toolkit.sh"
# CUB of the toolkit, not the newer one, nor floors.
mapfile -t peers < <(bash "$here/shapes.sh" peers "$shapes" |
    grep -v '/next_\|/floors')
libraries=("$shapes/committed/lookback.so" "$shapes/committed/sam.so"
    "${peers[@]}")
sections=()
for name in SpeedOfLight MemoryWorkloadAnalysis ComputeWorkloadAnalysis \
    SchedulerStats WarpStateStats Occupancy LaunchStats; do
    sections+=(--section "$name")
done
command -v ncu >/dev/null || { echo "binding.sh: no ncu" && exit 2; }
ncu --csv --page raw --print-units base --clock-control none \
    --cache-control none --kernel-name-base function \
    --kernel-name 'regex:scan_(stream|tiles|wave)_kernel|DeviceScanKernel' \
    "${sections[@]}" --log-file "$raw/binding-ncu.csv" \
    "$shapes/shapes" --once "$cells" "${libraries[@]}" \
    >"$raw/binding-launches.txt" 2>"$raw/binding-errors.txt"
echo "ncu ended with $?, $(grep -c '^"' "$raw/binding-ncu.csv") lines"
grep -h '^==ERROR\|^==WARNING' "$raw/binding-ncu.csv" | sort -u | head -n 10
if grep -q ERR_NVGPUCTRPERM "$raw/binding-ncu.csv"; then
    echo "binding.sh: this user may not read the GPU's counters"
    exit 1
fi
"$here/binding.py" "$raw/binding-launches.txt" "$raw/binding-ncu.csv" "$out" \
    "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader |
        head -n 1 | sed 's/, /, driver /'), CUDA" \
    "$(nvcc --version | sed -n 's/.*, V//p'), Nsight Compute" \
    "$(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')," \
    "$(date -u +%F)"
