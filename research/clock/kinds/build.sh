#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh PROGRAM: compiles the kernels of many kinds. NVCC: nvcc; ARCH: 90.
set -eu
program=$1 nvcc=${NVCC:-nvcc}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$here"/*.cu; do
    "$nvcc" -O3 -std=c++17 "-arch=sm_${ARCH:-90}" -c "$source" \
        -o "$work/$(basename "$source").o" &
    compilers="${compilers:-} $!"
done
for one in $compilers; do wait "$one"; done
"$nvcc" "-arch=sm_${ARCH:-90}" -cudart shared "$work"/*.o -o "$program"
