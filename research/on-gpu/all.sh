#!/bin/bash
# SPDX-License-Identifier: MIT
# All that a machine with a GPU can say about ScanLab, in one go, under eight
# minutes; each step has its own limit and none stops the others.
#
#   bash research/on-gpu/all.sh OUT
#
# In OUT: all.log, patterns.csv labs.csv opcodes.csv sass.txt (referee.sh),
# reduced/ (what tests/referee/data holds of them, reduce.py),
# grades.txt (grade.sh), instructions.txt, record.tar (what the
# referees of instructions recorded).
# Needs: a folder made by pack.sh (SCANLAB_PACK, build/on-gpu), nvcc, ncu.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
mkdir -p "$out" && out=$(cd "$out" && pwd)
exec >"$out/all.log" 2>&1 </dev/null
export SCANLAB_PACK=${SCANLAB_PACK:-$root/build/on-gpu}
export PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
here=$root/research/on-gpu

step() { # LIMIT COMMAND...
    local begin=$SECONDS limit=$1
    shift
    timeout -k 5 "$limit" "$@"
    echo "== exit $? after $((SECONDS - begin)) s (at $SECONDS s): $*"
}

instructions() {
    local program name
    mkdir -p "$work/record"
    for program in "$SCANLAB_PACK"/bin/*on_gpu*; do
        [ -x "$program" ] || continue
        case $program in */conform_on_gpu) continue ;; esac
        name=$(basename "$program")
        echo "== $name"
        LD_LIBRARY_PATH=$SCANLAB_PACK/lib/needed:${LD_LIBRARY_PATH:-} \
            timeout 110 "$program" "" "$work/record/$name.txt"
        echo "== exit $?"
    done >"$out/instructions.txt" 2>&1
    {
        echo "== conform_on_gpu"
        find "$root/vgpu/tests/conformance" -name '*.ptx' ! -path '*/wrong/*' |
            sort | xargs timeout 110 "$SCANLAB_PACK/bin/conform_on_gpu"
        echo "== exit $?"
    } >>"$out/instructions.txt" 2>&1
    tar -C "$work" -cf "$out/record.tar" record
}

date -u
uname -sr
nvidia-smi
nvcc --version | tail -2
ldconfig -p | grep 'libcuda\.so\|libnvidia-ptxjit'
echo "LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}"

# What needs the processor only, all at once.
step 150 bash "$here/grade.sh" vgpu "$work/grades" &
step 100 bash "$here/referee.sh" build "$work/referee" &
wait
# The counters are one program's at a time.
step 180 bash "$here/referee.sh" run "$work/referee" "$out"
mkdir -p "$out/reduced"
step 30 "$here/reduce.py" "$out" "$out/reduced" \
    "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader |
        head -1 | sed 's/, /, driver /')," \
    "CUDA $(nvcc --version | sed -n 's/.*, V//p')," \
    "Nsight Compute $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')," \
    "$(date -u +%F). research/on-gpu/reduce.py of what referee.sh wrote."
instructions &
step 170 bash "$here/grade.sh" gpu "$work/grades" &
wait
step 20 bash "$here/grade.sh" table "$work/grades" >"$out/grades.txt"
grep "verdicts the same" "$out/grades.txt"
find "$out" -size +15M -exec truncate -s 15M {} +
ls -l "$out"
