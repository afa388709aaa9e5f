#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh VGPU CASE PROGRAM...: programs that use the driver: what they print, their exit status, what vgpu says.
set -u
vgpu=$1 case=$2
shift 2
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
# run STATUS COMMAND...; has WORDS
run() {
    wanted=$1
    shift
    "$vgpu" --check all "$@" >"$out" 2>&1
    status=$?
    [ "$status" -eq "$wanted" ] && return
    echo "exit status $status, not $wanted:"
    cat "$out"
    exit 1
}
has() {
    grep -qF -- "$1" "$out" && return
    echo "missing: $1"
    cat "$out"
    exit 1
}
case $case in
own_ptx)
    run 86 "$1"
    for words in "before cuInit: CUDA_ERROR_NOT_INITIALIZED" "1 device, named: 1, capability: 1" \
        "threads 1024, time 1, wrong 0" "variable of 4 bytes, wrong 0" "filled with 01020304 01020304 07070707" \
        "range 1 of 4000 bytes" "no such kernel: CUDA_ERROR_NOT_FOUND" "no such variable: CUDA_ERROR_NOT_FOUND" \
        "no PTX: CUDA_ERROR_INVALID_PTX" "no kernel: CUDA_ERROR_INVALID_HANDLE" \
        "no context: CUDA_ERROR_INVALID_CONTEXT" "1 finding" "PTX line 2: expected a directive before 'nothing'"; do
        has "$words"
    done
    ;;
compiled)
    run 0 "$1"
    has "compiled and linked: 1, blocks 1, wrong 0"
    has "no findings"
    ;;
sides)
    run 0 "$1" right
    has "result 0, value 9"
    has "runtime 0"
    has "no findings"
    run 86 "$1" past
    has "result 700, value 0"
    has "1. out-of-bounds in kernel put"
    run 86 "$1" refused
    has "graph 801"
    has "cuGraphCreate is not supported by the virtual GPU"
    run 86 "$1" cubin
    has "cubin 209"
    has "bad-image"
    run 86 "$1" static
    has "table 801"
    has "a CUDA runtime that is linked statically does not run"
    run 0 "$1" errors
    has "driver's 500, runtime's 0"
    ;;
numba)
    python=${NUMBA_PYTHON:-python3}
    "$python" -c 'import numba.cuda' 2>"$out" || { echo "SKIP: no numba (NUMBA_PYTHON names a Python that has it)"; exit 77; }
    run 0 "$python" "$1"
    has "right True"
    has "no findings"
    ;;
esac
