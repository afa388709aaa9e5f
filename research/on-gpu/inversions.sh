#!/bin/bash
# SPDX-License-Identifier: MIT
# What binds the kernels that model time puts in another order than a GPU does
# (vgpu/docs/clock.md, inversions), as Nsight Compute sees it:
#
#   research/on-gpu/inversions.sh KINDS OUT.csv
#
# KINDS: the program that research/clock/kinds/build.sh makes, or the one of
# research/clock/scans/build.sh. Needs ncu and the right to read the GPU's
# counters; a minute. SIZES: "1048576 4096"; NAMES: what the program times;
# WANTED: a pattern of kernels' names.
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 2 ] || { sed -n 's/^# \{0,1\}//; 3,11p' "$0" >&2 && exit 2; }
kinds=$1 out=$2
. "$here/toolkit.sh"
command -v ncu >/dev/null || { echo "inversions.sh: no ncu" && exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The kinds, and their kernels.
names=${NAMES:-"histogram_global histogram_shared transpose_plain transpose_conflicts
    bit_reversal scatter sparse_rows xorshift stencil_5_points binary_search
    merge_by_rank all_pairs matrix_vector list_jump"}
wanted='^(histogram_global|histogram_shared|transpose_plain|transpose_tiles'
wanted="$wanted|bit_reversal|scatter|sparse_rows|xorshift|stencil_5_points|find"
wanted=${WANTED:-"$wanted|merge_by_rank|all_pairs|matrix_vector|jump)\$"}
sections=()
for name in SpeedOfLight MemoryWorkloadAnalysis ComputeWorkloadAnalysis \
    SchedulerStats WarpStateStats Occupancy LaunchStats; do
    sections+=(--section "$name")
done
global=l1tex__t_sectors_pipe_lsu_mem_global_op
metrics=smsp__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum
metrics=$metrics,${global}_ld.sum,${global}_st.sum,${global}_red.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
look() { # SIZE WORDS...: one call of each
    local size=$1
    shift
    # shellcheck disable=SC2086 # names are words
    ncu --csv --page raw --print-units base --clock-control none \
        --cache-control all --kernel-name-base function \
        --kernel-name "regex:$wanted" "${sections[@]}" "$@" \
        --log-file "$work/$size.ncu" \
        "$kinds" 1 "$size:$size" $names >"$work/$size.said" 2>&1
    echo "$size: ncu ended with $?, $(grep -c '^"' "$work/$size.ncu") lines"
    grep -h '^==ERROR\|^==WARNING' "$work/$size.ncu" | sort -u | head -n 5
    [ "$(grep -c '^"' "$work/$size.ncu")" -gt 2 ]
}
files=()
for size in ${SIZES:-1048576 4096}; do
    # An ncu without one of the metrics says nothing at all.
    look "$size" --metrics "$metrics" || look "$size"
    files+=("$size=$work/$size.ncu")
done
"$here/binding.py" --kernels "$out" "${files[@]}"
