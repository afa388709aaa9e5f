#!/bin/bash
# SPDX-License-Identifier: MIT
# Fetches the newest CUB that is pinned (tools/cuda-wheels-13.5.txt: CUB 3.5),
# 6 MB, for `scanlab bench` to time beside the toolkit's own:
#
#   timing/gpu/fetch_cub.sh [BUILD]     into BUILD/bench/cccl (build)
#
# From then on the bench has the peers cub-3.5 and cub-lookahead
# (peers_next.cu). Needs pip.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$root/build}/bench
mkdir -p "$folder"
work=$(mktemp -d "$folder/cccl.XXXXXX")
trap 'rm -rf "$work"' EXIT
# The one package of that list, with its hashes.
awk '/^nvidia-/ { wanted = /^nvidia-cuda-cccl==/ } wanted && !/^#/' \
    "$root/tools/cuda-wheels-13.5.txt" >"$work/wheel.txt"
PIP_USER=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
    python3 -m pip install -q --require-hashes --no-deps \
    --only-binary :all: --target "$work/site" -r "$work/wheel.txt"
mv "$work/site/nvidia/cu13/include/cccl" "$work/cccl"
grep -m 1 -o 'CUB_VERSION [0-9].*' "$work/cccl/cub/version.cuh"
cp "$work/wheel.txt" "$work/cccl/fetched"
rm -rf "$folder/cccl"
mv "$work/cccl" "$folder/cccl"
