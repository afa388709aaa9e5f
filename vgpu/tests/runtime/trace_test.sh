#!/bin/sh
# SPDX-License-Identifier: MIT
#
# trace_test.sh VGPU PROGRAM: vgpu --trace on a program that nvcc made: the chosen
# instructions with source lines and values, and the same report as without.
set -u
vgpu=$1 program=$2
source=$(dirname "$0")/../programs/classics.cu
line=$(grep -n 'y\[i\] = a \* x\[i\] + y\[i\];' "$source" | cut -d: -f1)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
that() { # NAME COMMAND...: the command succeeds.
    name=$1
    shift
    "$@" || {
        failures=$((failures + 1))
        echo "FAILED: $name"
    }
}
"$vgpu" -o plain "$program" saxpy >/dev/null
# Block 1 is y[i] = 2 * (i % 17) + i from i = 256 on.
"$vgpu" --trace=kernel=saxpy,block=1,warp=0,lanes=0-3,lines=$line,limit=8 -o traced \
    "$program" saxpy >out 2>trace
that "the exit status is the program's" [ $? = 0 ]
that "the report is the same" cmp plain traced
that "the program's output is its own" grep -q right out
that "it says of what" [ "$(head -1 trace)" = "launch 1, saxpy, block (1,0,0), warp 0" ]
that "8 instructions" [ "$(grep -c "^  classics.cu:$line .* lanes 0xffffffff\$" trace)" = 8 ]
that "the fused multiply-add" grep -q "^ *classics.cu:$line *fma.rn.f32 %f[0-9]*, " trace
that "what it reads" grep -q 'reads .*= 1 2 3 4 .*= 2 .*= 256 257 258 259$' trace
that "what it writes" grep -q 'writes .*= 258 261 264 267$' trace
that "its end" [ "$(tail -1 trace)" = "the trace is cut: its limit of 8 instructions is reached" ]
[ "$failures" = 0 ] || cat trace
[ "$failures" = 0 ]
