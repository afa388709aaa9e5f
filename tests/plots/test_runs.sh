#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_runs.sh VGPU NVCC: the cells on the slides are what the references' kernels
# compute today.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
VGPU=$1 NVCC=$2 OUT=$scratch slides/runs/run.sh || exit 1
compared=0
for program in slides/runs/*.cu; do
    name=$(basename "$program" .cu)
    if ! diff "slides/runs/$name.tex" "$scratch/$name.tex"; then
        echo "FAILED: $name.tex (<) is not what is printed now (>); for a good"
        echo "reason: slides/runs/run.sh $name"
        exit 1
    fi
    compared=$((compared + 1))
done
echo "$compared runs compared"
[ "$compared" -gt 0 ]
