#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds what measures links between GPUs, and what is compared with the model's
# times (vgpu/docs/clock.md):
#
#   research/clock/links/build.sh FOLDER [ARCH]   FOLDER/links, FOLDER/across (90)
#
# For the virtual GPU: CUDART=shared.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
to=${1:?folder} arch=${2:-90}
nvcc=${SCANLAB_NVCC:-nvcc}
mkdir -p "$to"
"$nvcc" -std=c++17 -O3 "-arch=sm_$arch" -cudart "${CUDART:-static}" "$here/links.cu" -o "$to/links"
"$nvcc" -std=c++17 -O3 "-arch=sm_$arch" -cudart "${CUDART:-static}" -DSOLUTION \
    -I "$root/timing/fast" -I "$root/labs/common" -I "$root/labs/09-many-gpus" \
    "$here/across.cu" "$root/reference/many_gpus.cu" -o "$to/across"
