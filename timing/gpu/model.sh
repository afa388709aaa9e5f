#!/bin/sh
# SPDX-License-Identifier: MIT
#
# model.sh BUILD PROFILE: rows of CUB, Thrust and the copies in model time, for
# plots/model.sh: the peers that scanlab bench times on a GPU, run by vgpu with
# the clock (model.cu). BUILD/model keeps what nvcc made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) profile=$2
root=$here/../..
nvcc=${SCANLAB_NVCC:-$(cat "$build/nvcc-path")}
mkdir -p "$build/model"

# program LIBRARY [OPTION]: compiled when a source is newer than it.
program() {
    out=$build/model/$1${2:+-${2##*=}}
    if [ -e "$out" ] && [ -z "$(find "$here" "$root/grader/judge/gpu" -newer "$out" -name '*.cu*')" ]; then
        return
    fi
    # shellcheck disable=SC2086 # none or one
    "$nvcc" -std=c++17 -O3 -cudart shared -arch=compute_90 -code=compute_90 \
        -I "$root/grader/contract" -I "$root/grader/judge/gpu" ${2-} \
        "$here/model.cu" "$here/peers_$1.cu" -o "$out"
}

# rows PROGRAM MOST-ORDER N...
rows() {
    name=$1
    shift
    "$build/bin/vgpu" --check none "--clock=$profile" -o /dev/null \
        "$build/model/$name" "$profile" "$@"
}

sizes="1024 4096 16384 65536 262144 1048576 4194304"
program copy
# shellcheck disable=SC2086
rows copy 1 $sizes | grep -E ',(int32|int64|float|double),'
for type in int32 int64 float double; do
    program scan -DPEER_TYPE=$type
    # shellcheck disable=SC2086
    rows "scan-$type" 1 $sizes
done
for type in int32 int64; do
    rows "scan-$type" 8 1048576 | grep -v ,1,1,1048576,
    program tuple -DPEER_TYPE=$type
    rows "tuple-$type" 1 1048576
done
