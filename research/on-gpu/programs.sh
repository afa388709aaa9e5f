#!/bin/bash
# SPDX-License-Identifier: MIT
# vgpu/tests/programs on a real GPU, each beside the host's answer, which it has
# itself: what the virtual GPU is held to is what the GPU does.
#
#   research/on-gpu/programs.sh OUT.csv      program,case,result,said
#
# The executables are those that the virtual GPU ran (pack.sh takes them
# along: $SCANLAB_PACK/programs), else nvcc makes them. Cases whose point is a
# finding are left out, and those that say "gpu: no, reason". PROGRAMS: names of some. ON: words before each program,
# such as vgpu, to try this without a GPU. Exit status 1: a case went wrong.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$1 pack=${SCANLAB_PACK:-$root/build/on-gpu}
. "$here/toolkit.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work pack ON=${ON:-}
sources=("$root"/vgpu/tests/programs/*.cu)
if [ -n "${PROGRAMS:-}" ]; then
    sources=()
    for name in $PROGRAMS; do
        sources+=("$root/vgpu/tests/programs/$name.cu")
    done
fi

read_case=$root/vgpu/tests/tools/program.py
compile() { # SOURCE PROGRAM
    # shellcheck disable=SC2046 # flags are words
    (cd "$(dirname "$1")" && nvcc -cudart shared -lineinfo -I . -I ../bugs \
        $(python3 "$read_case" --flags "$1") -o "$2" "$1")
}

one_case() { # SOURCE NAME ARGUMENTS WHY-LEFT-OUT PRINTS
    local program case=$2 result said words
    program=$(basename "$1" .cu)
    if [ -n "$4" ]; then
        echo "$program,$case,left out,$4"
        return
    fi
    # shellcheck disable=SC2086 # arguments are words
    said=$(timeout 60 $ON "$work/$program" $3 2>&1)
    case $? in
    0) result=right ;;
    124) result="no end in 60 s" ;;
    *) result=wrong ;;
    esac
    while read -r words; do
        grep -qF -- "$words" <<<"$said" || result=wrong
    done < <(tr '\036' '\n' <<<"$5")
    [ "$result" = right ] && said=
    echo "$program,$case,$result,$(tail -n 3 <<<"$said" | tr ',\n' '; ')"
}
export -f one_case

for source in "${sources[@]}"; do
    name=$(basename "$source" .cu)
    if [ -x "$pack/programs/$name" ]; then
        cp "$pack/programs/$name" "$work/$name"
    else
        compile "$source" "$work/$name" &
    fi
done
wait
{
    echo program,case,result,said
    for source in "${sources[@]}"; do
        python3 "$read_case" --list "$source" |
            while IFS=$'\x1f' read -r case arguments why prints; do
                printf '%s\0' "$source" "$case" "$arguments" "$why" "$prints"
            done
    done | xargs -0 -n 5 -P 4 bash -c 'one_case "$@"' one_case | sort
} >"$out"
tail -n +2 "$out" | cut -d, -f3 | sort | uniq -c
! grep -q ',wrong,\|,no end' "$out"
