#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [NAME...]: compiles the programs of this folder, which call the
# references' kernels, runs them on the virtual GPU and writes what they print
# into OUT/NAME.tex, where the decks find it.
#   VGPU=PATH   build/bin/vgpu      NVCC=PATH   nvcc      OUT=FOLDER  this folder
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
vgpu=${VGPU:-$root/build/bin/vgpu}
nvcc=${NVCC:-$(cat "$root/build/nvcc-path" 2>/dev/null || echo nvcc)}
out=${OUT:-$here}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

[ $# != 0 ] || set -- "$here"/*.cu
for program; do
    name=$(basename "$program" .cu)
    # shellcheck disable=SC2046 # several words
    "$nvcc" -cudart shared -DSOLUTION -I "$root/reference" \
        -I "$root/labs/common" \
        $(printf -- '-I %s ' "$root"/labs/[0-9]*) \
        -gencode arch=compute_75,code=compute_75 \
        -o "$scratch/$name" "$here/$name.cu" 2>"$scratch/words" || {
        cat "$scratch/words" >&2
        exit 1
    }
    {
        echo "% SPDX-License-Identifier: MIT"
        echo "% printed by slides/runs/$name.cu on the virtual GPU"
        "$vgpu" --memcheck --initcheck "$scratch/$name" 2>"$scratch/words" || {
            cat "$scratch/words" >&2
            exit 1
        }
    } >"$scratch/$name.tex"
    mv "$scratch/$name.tex" "$out/$name.tex"
done
