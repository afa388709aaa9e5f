#!/bin/bash
# SPDX-License-Identifier: MIT
# What only a real GPU can say, in steps chosen by name (timing/docs/bench.md).
#
#   research/on-gpu/measure.sh OUT STEP...
#
#   prepare      compiles what the steps need and the pack lacks, on all cores
#   bench        bench-h200.csv     scanlab bench --suite full
#   fast         fast.txt           the timed checks (fast.sh)
#   binding      binding-h200.csv   Nsight Compute on the fast scans (binding.sh)
#   variants     shapes-h200.csv    variants of the fast scans (shapes.sh)
#   trace        trace-h200.csv     where their warps spend cycles (trace.sh)
#   programs     programs.csv       vgpu/tests/programs on the GPU (programs.sh)
#   conformance  conformance.csv    vgpu/tests/conformance on the GPU
#   alu          raw: forms of arithmetic, digests, distances (alu_on_gpu)
#   random       random PTX programs, both devices (ptx_referee)
#
# Steps joined by + run at the same time; never one of the timed ones, which
# are the first six but prepare. Each has its own limit, and none begins or
# lasts beyond LIMIT seconds in all (570). OUT: these files, measure.log and
# raw.tar.gz, with what else was written: 8 files at most.
#
# Needs a folder made by pack.sh (SCANLAB_PACK, build/on-gpu), nvcc, for binding
# ncu. BENCH_SECONDS (330), SHAPES_SECONDS (150), RANDOM_RUNS, a list of
# SEED:SECONDS:OPTIMISE ("6:50:0 7:50:4"); NAME: the h200 in files' names.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -ge 2 ] || { sed -n 's/^# \{0,1\}//; 3,27p' "$0" >&2 && exit 2; }
out=$1
shift
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2
export SCANLAB_PACK=${SCANLAB_PACK:-$root/build/on-gpu} SCANLAB_ROOT=$root
pack=$SCANLAB_PACK name=${NAME:-h200} limit=${LIMIT:-570}
. "$here/toolkit.sh"
work=$(mktemp -d)
raw=$work/raw shapes=${SHAPES_WORK:-$pack/shapes}
mkdir -p "$raw" "$shapes"

scanlab() {
    LD_LIBRARY_PATH=$pack/lib/needed:$LD_LIBRARY_PATH "$pack/bin/scanlab" "$@"
}
steps=$(tr + ' ' <<<"$*")
export -f scanlab
export steps pack out raw work shapes name root here

wanted() { # STEP...: is one of them asked for? prepare alone: all
    local step
    [ "${steps// /}" = prepare ] && return
    for step; do [[ " $steps " == *" $step "* ]] && return; done
    return 1
}
step_prepare() {
    local status=0 job jobs=()
    # Peers, then the labs by a short run, as scanlab bench will want them;
    # variants at the same time.
    {
        scanlab bench --prepare "${ARCH:-90}" || exit 1
        if wanted bench fast; then
            scanlab bench --seconds 1 -n 1024 --type double -o "$work/first.csv"
        fi
    } >"$work/first.log" 2>&1 &
    jobs+=($!)
    wanted trace && { bash "$here/trace.sh" build "$shapes" & jobs+=($!); }
    if wanted binding variants; then
        wanted variants || export ONLY=committed
        HAVE_PEERS=yes bash "$here/shapes.sh" build "$shapes" || status=1
    fi
    for job in "${jobs[@]}"; do wait "$job" || status=1; done
    grep -v '^\[' "$work/first.log" | tail -n 5
    return $status
}
step_bench() {
    scanlab bench --suite full --seconds "${BENCH_SECONDS:-330}" \
        -o "$out/bench-$name.csv" 2>&1 | grep -v '^\[' | tail -n 25
    return "${PIPESTATUS[0]}"
}
step_fast() { bash "$here/fast.sh" "$work/fast" >"$out/fast.txt" 2>&1; }
step_binding() {
    bash "$here/binding.sh" "$shapes" "$raw" "$out/binding-$name.csv"
}
step_variants() {
    bash "$here/shapes.sh" run "$shapes" "$out/shapes-$name.csv" \
        "${SHAPES_SECONDS:-150}"
    local status=$?
    cp "$shapes/shapes.log" "$raw/" 2>/dev/null
    return $status
}
step_trace() {
    bash "$here/trace.sh" hop "$shapes" "$raw/hop-$name.csv"
    bash "$here/trace.sh" run "$shapes" "$out/trace-$name.csv"
}
step_programs() { bash "$here/programs.sh" "$out/programs.csv"; }
# One process for each: an error may cost its context.
one_case() {
    local said result
    said=$(timeout 60 "$pack/bin/conform_on_gpu" "$1" 2>&1)
    case $? in
    0) result=pass ;;
    1) result=FAIL ;;
    *) result="no end or no GPU" ;;
    esac
    case $said in *"1 left out"*) result="left out" ;; esac
    said=$(grep -v 'passed, .* failed' <<<"$said" | tr ',\n' '; ')
    echo "${1#"$root"/vgpu/tests/conformance/},$result,${said::300}"
}
export -f one_case
step_conformance() {
    {
        echo case,result,said
        find "$root/vgpu/tests/conformance" -name '*.ptx' ! -path '*/wrong/*' |
            sort | xargs -P 8 -I{} bash -c 'one_case {}' | sort
    } >"$out/conformance.csv"
    tail -n +2 "$out/conformance.csv" | cut -d, -f2 | sort | uniq -c
    ! grep -q ',FAIL,\|,no ' "$out/conformance.csv"
}
step_alu() {
    LD_LIBRARY_PATH=$pack/lib/needed:$LD_LIBRARY_PATH "$pack/bin/alu_on_gpu" \
        "" "$raw/alu-exact.txt" "$raw/alu-approximate.txt"
}
step_random() {
    local run seed seconds optimise status=0
    for run in ${RANDOM_RUNS:-6:50:0 7:50:4}; do
        IFS=: read -r seed seconds optimise <<<"$run"
        mkdir -p "$raw/random-$seed"
        echo "seed $seed, $seconds s, optimisation $optimise:"
        LD_LIBRARY_PATH=$pack/lib/needed:$LD_LIBRARY_PATH \
            "$pack/bin/ptx_referee" "$seed" 0 1000000 "$raw/random-$seed" \
            --workers "$(nproc)" --explained 3 --seconds "$seconds" \
            --optimise "$optimise" || status=1
    done
    return $status
}
export -f wanted step_prepare step_bench step_fast step_binding step_variants \
    step_trace step_programs step_conformance step_alu \
    step_random

limit_of() {
    case $1 in
    prepare) echo 240 ;;
    bench) echo 500 ;;
    fast) echo 200 ;;
    binding) echo 120 ;;
    variants) echo 300 ;;
    trace) echo 30 ;;
    programs | conformance | alu) echo 110 ;;
    random) echo 200 ;;
    *) return 1 ;;
    esac
}
# What it says comes into the log in one piece.
one_step() {
    local step=$1 begin=$SECONDS most left=$((limit - SECONDS)) status
    most=$(limit_of "$step")
    [ "$left" -lt "$most" ] && most=$left
    if [ "$most" -lt 5 ]; then
        echo "== $step: not begun, no time is left"
        return
    fi
    timeout -k 5 "$most" bash -c "step_$step" >"$work/$step.log" 2>&1
    status=$?
    cp "$work/$step.log" "$raw/"
    {
        echo "== $step: exit $status after $((SECONDS - begin)) s, at $SECONDS s"
        tail -n 60 "$raw/$step.log"
    } >"$work/$step.said"
    cat "$work/$step.said"
}

for word; do
    for step in ${word//+/ }; do
        limit_of "$step" >/dev/null ||
            { echo "measure.sh: no step $step" >&2 && exit 2; }
    done
done
exec > >(tee "$out/measure.log") 2>&1 </dev/null
date -u
uname -sr
nvidia-smi -L 2>/dev/null || echo "no nvidia-smi"
nvcc --version | tail -n 2
cat "$pack/describe" 2>/dev/null
for word; do
    begun=()
    for step in ${word//+/ }; do
        one_step "$step" &
        begun+=($!)
    done
    wait "${begun[@]}"
done
tar -C "$work" -czf "$out/raw.tar.gz" raw
find "$out" -size +15M -exec truncate -s 15M {} +
rm -rf "$work"
ls -l "$out"
