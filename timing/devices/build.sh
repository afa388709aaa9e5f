#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the program that times a scan across the devices of one host
# (timing/docs/several-devices.md), and ranks-gpu.so for scanlab-exscan:
#
#   timing/devices/build.sh FOLDER [ARCH]     FOLDER/devices, FOLDER/ranks-gpu.so (90)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
to=${1:?folder} arch=${2:-90}
nvcc=${SCANLAB_NVCC:-nvcc}
mkdir -p "$to"
"$nvcc" -std=c++17 -O3 "-arch=sm_$arch" -cudart static -I "$root/timing/fast" \
    -I "$here" -I "$root/labs/common" "$here/main.cu" "$here/devices_plan.c" \
    "$here/oracle.c" -o "$to/devices"
"$nvcc" -std=c++17 -O2 "-arch=sm_$arch" -cudart "${CUDART:-static}" -shared -Xcompiler -fPIC \
    -DSOLUTION -I "$root/timing/ranks" -I "$root/labs/common" \
    -I "$root/labs/06-lookback" -I "$root/timing/fast" "$root/timing/ranks/gpu.cu" \
    "$root/timing/fast/lookback.cu" -o "$to/ranks-gpu.so"
