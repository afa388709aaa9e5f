#!/bin/sh
# SPDX-License-Identifier: MIT
# program.sh VGPU PROGRAM: a CUDA program under the clock. The same times twice;
# under kmodel, model time is shared memory's wavefronts (those of the whole run:
# the host takes no steps); unknown profiles are refused.
vgpu=$1 program=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

run() { # CLOCK FILE
    "$vgpu" --check=none --clock="$1" -o "$folder/$2" "$program" plain 512 32 \
        > "$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
}
number() { # COUNTER FILE
    grep -o " $1 *[0-9]*" "$folder/$2" | head -1 | grep -o '[0-9]*$'
}
run h200 first
run h200 second
cmp "$folder/first" "$folder/second" || exit 1
grep -q "no GPU's time" "$folder/first" || { echo "it does not say so"; exit 1; }
[ "$(number model_ns first)" -gt 0 ] || { echo "no model time"; exit 1; }
run kmodel k
[ "$(number model_cycles k)" = "$(number shared_wavefronts k)" ] ||
    { cat "$folder/k"; exit 1; }
if "$vgpu" --clock=sundial "$program" > /dev/null 2> "$folder/why"; then
    echo "an unknown profile was taken"; exit 1
fi
grep -q sundial "$folder/why"
