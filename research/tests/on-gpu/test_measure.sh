#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_measure.sh CONFORM_ON_GPU: measure.sh where there is no GPU: its steps
# fail, each by itself, in its time, and all is told in one log.
set -u
conform=$1
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/research/tests/on-gpu/objects.sh"
mkdir -p "$scratch/pack/bin" "$scratch/pack/lib/needed" "$scratch/pack/programs"
cp "$conform" "$scratch/pack/bin/"
echo packed-by-hand >"$scratch/pack/describe"
printf '#!/bin/sh\necho "$@" 7 programs; exit 0\n' >"$scratch/pack/bin/ptx_referee"
printf '#!/bin/sh\nsleep 100\n' >"$scratch/pack/bin/scanlab"
printf '#!/bin/sh\necho no device; exit 1\n' >"$scratch/pack/programs/linked"
chmod +x "$scratch"/pack/bin/* "$scratch"/pack/programs/*
measure() {
    SCANLAB_PACK=$scratch/pack PROGRAMS=linked bash \
        "$root/research/on-gpu/measure.sh" "$@" >"$scratch/words" 2>&1
}
measure "$scratch/result" bench nonsense
[ $? = 2 ] || object "a step that there is not is taken"
LIMIT=9 measure "$scratch/result" random+programs conformance bench fast
cp "$scratch/result/measure.log" "$scratch/out" || object "no log"
says '^packed-by-hand' "$scratch/out"
says '^== random: exit 0 ' "$scratch/out"
says 'seed 6, 50 s, optimisation 0:' "$scratch/out"
says '^== programs: exit 1 ' "$scratch/out"
# Without a driver nothing conforms.
if ! ldconfig -p | grep -q 'libcuda\.so\.1'; then
    says '^== conformance: exit [1-9]' "$scratch/out"
fi
says '^== bench: \(exit 124\|not begun\)' "$scratch/out"
says '^== fast: not begun, no time is left' "$scratch/out"
says '^linked,linked-run,wrong,no device' "$scratch/result/programs.csv"
# What is compiled is what the call's steps need.
printf '#!/bin/sh\necho "scanlab $*"\n' >"$scratch/pack/bin/scanlab"
measure "$scratch/second" prepare bench
cp "$scratch/second/measure.log" "$scratch/out"
says '^scanlab bench --prepare 90' "$scratch/out"
says '^scanlab bench --seconds 1 -n 1024' "$scratch/out"
[ ! -e "$scratch/pack/shapes/shapes" ] || object "variants are compiled for bench"
measure "$scratch/third" prepare random
cp "$scratch/third/measure.log" "$scratch/out"
says '^scanlab bench --prepare 90' "$scratch/out"
grep -q 'seconds 1 ' "$scratch/out" && object "labs are compiled for random"
tar -tzf "$scratch/result/raw.tar.gz" | grep -q '^raw/random.log$' ||
    object "raw.tar.gz lacks a step's words"
[ "$(find "$scratch/result" -type f | wc -l)" -le 8 ] || object "too many files"
verdict
