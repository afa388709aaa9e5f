#!/bin/bash
# SPDX-License-Identifier: MIT
# Nsight Compute as referee of the virtual GPU's counts. Needs a GPU, nvcc, ncu
# and the right to read the counters.
#
#   research/on-gpu/referee.sh build WORK    builds the programs
#   research/on-gpu/referee.sh run WORK OUT  patterns, mixed, labs, opcodes (.csv)
#
# Then: research/on-gpu/reduce.py, tests/referee/compare.py (docs/counts.md). A
# metric that this ncu does not have is left out.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
step=$1 work=$2
# The toolkit's runtime, which the programs name, lies beside nvcc.
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
for folder in lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib; do
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:$toolkit/$folder
done
export LD_LIBRARY_PATH

# What is compared; compare.py says with what.
wanted='
l1tex__data_pipe_lsu_wavefronts_mem_shared
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom
l1tex__data_bank_conflicts_pipe_lsu_mem_shared
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom
smsp__inst_executed_op_shared_ld
smsp__inst_executed_op_shared_st
smsp__inst_executed_op_shared_atom
smsp__inst_executed_op_shared_atom_dot_alu
smsp__inst_executed_op_shared_atom_dot_cas
l1tex__t_requests_pipe_lsu_mem_global_op_ld
l1tex__t_requests_pipe_lsu_mem_global_op_st
l1tex__t_requests_pipe_lsu_mem_global_op_atom
l1tex__t_requests_pipe_lsu_mem_global_op_red
l1tex__t_sectors_pipe_lsu_mem_global_op_ld
l1tex__t_sectors_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_atom
l1tex__t_sectors_pipe_lsu_mem_global_op_red
smsp__inst_executed_op_global_ld
smsp__inst_executed_op_global_st
smsp__inst_executed_op_global_atom
smsp__inst_executed_op_global_red
smsp__inst_executed_pipe_adu
smsp__inst_executed_op_ldc_pred_on_any
idc__requests
smsp__inst_executed
smsp__thread_inst_executed
'
# From instrumented code: exact per instruction.
wanted_sass='
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal
smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared
smsp__sass_inst_executed_op_shared
smsp__sass_inst_executed_op_global
smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global
smsp__sass_branch_targets_threads_divergent
sass__inst_executed_per_opcode
'

build() {
    mkdir -p "$work" || return
    local flags=(-std=c++17 -O2 -lineinfo -cudart shared
        -gencode arch=compute_75,code=compute_75
        -gencode arch=compute_75,code=sm_90)
    nvcc "${flags[@]}" -o "$work/patterns" "$root/tests/referee/patterns.cu" &&
        nvcc "${flags[@]}" -o "$work/mixed" "$root/tests/referee/mixed.cu" &&
        nvcc "${flags[@]}" -DSOLUTION -I "$root/labs/common" \
            -I "$root/labs/01-naive" -I "$root/labs/02-work-efficient" \
            -o "$work/labs" "$root/tests/referee/labs.cu" \
            "$root/reference/naive.cu" "$root/reference/work_efficient.cu"
}

# The wanted metrics that there are, as a list with commas.
available() {
    local name list=
    for name in $1; do
        if ! [ -s "$work/metrics.txt" ]; then
            list="$list,$name.sum" # not known: ask for all
        elif [[ $name == sass__* ]]; then
            list="$list,$name"
        elif grep -qx "$name" "$work/metrics.txt"; then
            list="$list,$name.sum"
        else
            echo "no metric $name" >&2
        fi
    done
    echo "${list#,}"
}

# ncu OUT METRICS LIMIT PROGRAM...
measure() {
    local out=$1 metrics=$2 limit=$3
    shift 3
    timeout "$limit" ncu --csv --page raw --clock-control none \
        --cache-control none --print-units base \
        --print-metric-instances details --metrics "$metrics" "$@" \
        >"$work/ncu.out" 2>"$work/ncu.err"
    local status=$?
    # What ncu and the program say begins with ==; the table with a quote.
    grep '^"' "$work/ncu.out" >"$out"
    echo "$out: ncu ended with $status, $(wc -l <"$out") lines"
    grep -h '^==ERROR\|^==WARNING' "$work/ncu.out" "$work/ncu.err" | sort -u |
        head -20
    [ "$(wc -l <"$out")" -gt 2 ]
}

run() {
    local out=$1 metrics sass
    ncu --version | tail -2
    timeout 60 ncu --query-metrics --csv 2>/dev/null | sed 's/^"//; s/".*//' |
        awk '{ print $1 }' >"$work/metrics.txt"
    timeout 60 ncu --query-metrics-collection source --query-metrics --csv \
        2>/dev/null | sed 's/^"//; s/".*//' | awk '{ print $1 }' \
        >>"$work/metrics.txt"
    echo "$(wc -l <"$work/metrics.txt") metrics known"
    [ "$(wc -l <"$work/metrics.txt")" -gt 100 ] || : >"$work/metrics.txt"
    metrics=$(available "$wanted")
    sass=$(available "$wanted_sass")
    measure "$out/patterns.csv" "$metrics" 150 "$work/patterns"
    measure "$out/mixed.csv" "$metrics" 100 "$work/mixed"
    measure "$out/labs.csv" "$metrics" 100 "$work/labs" 1024 100000
    measure "$out/opcodes.csv" "$sass" 120 "$work/patterns" ||
        measure "$out/opcodes.csv" sass__inst_executed_per_opcode 60 \
            "$work/patterns"
    cuobjdump -sass -arch sm_90 "$work/patterns" 2>/dev/null |
        awk '/Function :/ { f = $3 }
             / (LDS|STS|LDG|STG|ATOM|RED|BAR|LD|ST)[A-Z]*[. ]/ {
                 sub(/\/\*[^*]*\*\//, ""); sub(/;.*/, ""); print f, $0 }' \
            >"$out/sass.txt"
    [ -s "$out/patterns.csv" ] && [ -s "$out/labs.csv" ]
}

case $step in
build) build ;;
run) run "$3" ;;
*) echo "referee.sh: build or run" >&2 && exit 2 ;;
esac
