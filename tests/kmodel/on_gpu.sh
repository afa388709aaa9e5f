#!/bin/sh
# SPDX-License-Identifier: MIT
# on_gpu.sh >h200.csv: what Nsight Compute counts on a real GPU (32 banks) for the
# launches of wavefronts.c. Needs a GPU, nvcc, ncu and leave to read counters.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pipe=l1tex__data_pipe_lsu_wavefronts_mem_shared_op
stores=${pipe}_st.sum loads=${pipe}_ld.sum
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
nvcc -arch=native -lineinfo -DSOLUTION -Ilabs/03-bank-conflicts -Ilabs/common \
    -o "$work/kmodel" tests/kmodel/kmodel.cu reference/bank_conflicts.cu

for method in plain padding leftright cm; do
    for n in 32 64 128 256 512 1024 2048; do echo "$method $n 32"; done
done >"$work/calls"
ncu --target-processes all --csv --page raw --clock-control none \
    --metrics "$stores,$loads,$conflicts" \
    sh -c "while read -r call; do '$work/kmodel' \$call; done <'$work/calls'" \
    >"$work/ncu.csv"

echo "# SPDX-License-Identifier: MIT"
echo "# origin: Nsight Compute on $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)," \
    "$(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/CUDA \1/p'), $(date -u +%F)"
echo "# made by tests/kmodel/on_gpu.sh: wavefronts of shared memory; no column is a time"
echo "method,n,banks,stores,loads,conflicts"
# A line of names, one of units, then a line per launch: fields in quotes.
grep '^"' "$work/ncu.csv" |
    awk -v calls="$work/calls" -v s="$stores" -v l="$loads" -v c="$conflicts" '
        { sub(/^"/, ""); sub(/"$/, ""); n = split($0, field, /","/) }
        NR == 1 { for (i = 1; i <= n; i++) at[field[i]] = i; next }
        NR == 2 { next }
        {
            gsub(/,/, "", field[at[s]])
            gsub(/,/, "", field[at[l]])
            gsub(/,/, "", field[at[c]])
            getline call <calls
            gsub(/ /, ",", call)
            print call "," field[at[s]] "," field[at[l]] "," field[at[c]]
        }'
