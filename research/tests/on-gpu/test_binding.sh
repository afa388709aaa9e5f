#!/bin/bash
# SPDX-License-Identifier: MIT
#
# binding.py on made-up words of Nsight Compute, in the form of --csv --page raw.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/research/tests/on-gpu/objects.sh"
binding() {
    "$root/research/on-gpu/binding.py" "$scratch/launches" "$1" "$scratch/out" \
        a GPU, 2000-01-01 >"$scratch/words" 2>&1
}
printf '%s\n' 'committed/sam,inclusive_sum,int32,5,1,268435456' \
    'cub,inclusive_sum,int32,1,2,268435456' >"$scratch/launches"
binding "$root/research/tests/on-gpu/ncu-sample.csv" || object "the sample is refused"
cat >"$scratch/expected" <<'X'
# origin: a GPU, 2000-01-01
# made by research/on-gpu/binding.sh: one launch each; stall_*: warps waiting for it, per instruction issued
kernel,n,metric,value
fast/sam int32 5 1,268435456,time_us,612.345
fast/sam int32 5 1,268435456,dram_busy_pct,71.25
fast/sam int32 5 1,268435456,l2_busy_pct,60.5
fast/sam int32 5 1,268435456,occupancy_pct,37.5
fast/sam int32 5 1,268435456,issue_slots_pct,52
fast/sam int32 5 1,268435456,stall_barrier,1.25
fast/sam int32 5 1,268435456,stall_long_scoreboard,3.5
cub int32 1 2,268435456,time_us,1284
cub int32 1 2,268435456,dram_busy_pct,33
cub int32 1 2,268435456,l2_busy_pct,40
cub int32 1 2,268435456,occupancy_pct,50
cub int32 1 2,268435456,issue_slots_pct,25
cub int32 1 2,268435456,stall_barrier,0.5
cub int32 1 2,268435456,stall_long_scoreboard,9
X
diff "$scratch/expected" "$scratch/out" >"$scratch/words" || object "the CSV"
sed '/DeviceScanKernel/d' "$root/research/tests/on-gpu/ncu-sample.csv" >"$scratch/less"
binding "$scratch/less" && object "a launch less passes"
says '2 launches were made, 1 profiled' "$scratch/words"
tac "$scratch/launches" >"$scratch/swapped"
mv "$scratch/swapped" "$scratch/launches"
binding "$root/research/tests/on-gpu/ncu-sample.csv" && object "other kernels pass"
says 'is no kernel of cub' "$scratch/words"
# Of inversions.sh: kernels by their own names.
"$root/research/on-gpu/binding.py" --kernels "$scratch/out" \
    4096="$root/research/tests/on-gpu/ncu-sample.csv" >"$scratch/words" ||
    object "kernels by their names are refused"
says '2 kernels and sizes, 14 values' "$scratch/words"
[ "$(grep -c '^scan_stream_kernel,4096,\|^DeviceScanKernel,4096,' \
    "$scratch/out")" = 14 ] || object "rows by names of kernels"
: >"$scratch/nothing"
"$root/research/on-gpu/binding.py" --kernels "$scratch/out" 1="$scratch/nothing" \
    >"$scratch/words" 2>&1 && object "no launch at all passes"
verdict
