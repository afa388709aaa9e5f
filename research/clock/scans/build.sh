#!/bin/bash
# SPDX-License-Identifier: MIT
# Compiles what research/clock/validate.sh times:
#
#   build.sh FOLDER [NAME...]
#
# FOLDER gets the program scans, and NAME.so for each: reference/LAB, fast/LAB,
# LAB/honest-... (a patch of tests/mutants), peers/scan, peers/apps, peers/sort;
# all if none is named. NVCC: nvcc; ARCH: 90; what is there stays.
set -u
folder=$1
shift
root=$(cd "$(dirname "$0")/../../.." && pwd)
nvcc=${NVCC:-nvcc}
words=(-O3 -std=c++17 -cudart shared "-arch=sm_${ARCH:-90}" -w
    -I"$root/grader/contract" -I"$root/grader/judge/gpu" -I"$root/timing/fast")
for lab in "$root"/labs/*/; do words+=(-I"$lab"); done
# No symbol is one for all libraries of a process.
library=("${words[@]}" -shared -Xcompiler -fPIC,-fno-gnu-unique)
mkdir -p "$folder"

names() {
    for source in "$root"/reference/*.cu; do
        lab=$(basename "$source" .cu)
        [ "$lab" = bank_conflicts ] || echo "reference/$lab"
    done
    for lab in lookback sam applications; do echo "fast/$lab"; done
    for patch in "$root"/tests/mutants/*/honest-*.patch; do
        lab=$(basename "$(dirname "$patch")")
        case $lab in cpu-scan | bank-conflicts | applications) continue ;; esac
        echo "$lab/$(basename "$patch" .patch)"
    done
    echo peers/scan
    echo peers/apps
    echo peers/sort
}

one() { # NAME
    local name=$1 to=$folder/$1.so work
    [ -s "$to" ] && return
    mkdir -p "$(dirname "$to")"
    case $name in
    reference/*) set -- "$root/$name.cu" -DSOLUTION ;;
    fast/*) set -- "$root/timing/$name.cu" ;;
    peers/scan) set -- "$root/timing/gpu/peers_scan.cu" -DPEER_TYPE=int32 ;;
    peers/*) set -- "$root/timing/gpu/peers_${name#*/}.cu" ;;
    *)
        work=$(mktemp -d)
        set -- "$work/$(dirname "$name" | tr - _).cu" -DSOLUTION
        cp "$root/reference/$(basename "$1")" "$1"
        patch -s "$1" <"$root/tests/mutants/$name.patch" || return
        ;;
    esac
    "$nvcc" "${library[@]}" "$@" -o "$to.fresh" >"$to.log" 2>&1 &&
        mv "$to.fresh" "$to" && rm "$to.log"
    [ -z "${work:-}" ] || rm -rf "$work"
    [ -s "$to" ] || echo "build.sh: $name does not compile: $to.log" >&2
}

[ $# -gt 0 ] || set -- $(names)
[ -x "$folder/scans" ] || "$nvcc" "${words[@]}" \
    "$root/research/clock/scans/scans.cu" -ldl -o "$folder/scans" || exit 1
export -f one
export folder root nvcc
running=0
for name; do
    one "$name" &
    running=$((running + 1))
    [ $running -lt "$(nproc)" ] || { wait -n && running=$((running - 1)); }
done
wait
