#!/bin/sh
# SPDX-License-Identifier: MIT
# test_gpu.sh NVCC VGPU PROGRAM MPIEXEC SCRATCH: each rank's part is scanned by
# the fast scan of lab 6, on a virtual GPU of the rank's own.
set -u
nvcc=$1 vgpu=$2 program=$3 mpiexec=${4:-mpirun} scratch=$5
root=$(cd "$(dirname "$0")/../../.." && pwd)
command -v "$mpiexec" >/dev/null || { echo "SKIP: no mpirun"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
mkdir -p "$scratch"
cp "$program" "$scratch/scanlab-exscan"
"$nvcc" -std=c++17 -O2 -arch=compute_75 -cudart shared -shared -Xcompiler -fPIC \
    -DSOLUTION -I "$root/timing/ranks" -I "$root/labs/common" \
    -I "$root/labs/06-lookback" -I "$root/timing/fast" "$root/timing/ranks/gpu.cu" \
    "$root/timing/fast/lookback.cu" -o "$scratch/ranks-gpu.so" >"$scratch/words" 2>&1 ||
    { cat "$scratch/words"; exit 1; }
failed=0
for case in "1 100003" "2 65537" "3 2"; do
    # shellcheck disable=SC2086 # two words
    set -- $case
    said=$(timeout 60 "$mpiexec" -n "$1" "$vgpu" "$scratch/scanlab-exscan" --runs 3 -n "$2" 2>&1)
    status=$?
    echo "$said" | grep '^[ag#]'
    if [ $status != 0 ] || ! echo "$said" | grep -q "^gpu,$1,$2," ||
        ! echo "$said" | grep -q "^# 0 of $2 elements are wrong"; then
        echo "not ok: $2 elements over $1 ranks, status $status: $said"
        failed=1
    fi
done
exit $failed
