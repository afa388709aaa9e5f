#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_variants.sh [NVCC]: variants.txt and the lists of cells are what shapes.sh
# can read; each -D of a variant is a number that timing/fast lets one choose,
# and with an nvcc: it makes blocks that there can be (the static_asserts hold;
# nvcc's front end alone, so lab 7's file stands for both).
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/research/tests/on-gpu/objects.sh"
known=$(grep -ho '^#ifndef [A-Z0-9_]*' "$root"/timing/fast/*.cuh |
    cut -d' ' -f2 | tr '\n' ' ')
check() { # FILE: complaints
    awk -v known=" $known" '
        { sub(/#.*/, "") }
        !NF { next }
        $1 !~ /^[A-Za-z0-9_.-]+$/ { print "a name: " $1 }
        $2 !~ /^(sam|lookback|both|applications)$/ { print $1 ": lab " $2 }
        seen[$1]++ { print $1 ": twice" }
        {
            for (i = 3; i <= NF; i++) {
                d = $i
                if (d !~ /^-D[A-Z0-9_]+=[0-9]+$/) print $1 ": " d
                sub(/^-D/, "", d)
                sub(/=.*/, "", d)
                if (!index(known, " " d " ") || d !~ /^(SHAPE_|STREAM_FROM)/)
                    print $1 ": no number " d
            }
        }' "$1"
}
: >"$scratch/out"
check "$root/research/on-gpu/variants.txt" >"$scratch/words"
[ -s "$scratch/words" ] && object "variants.txt"
printf '%s\n' 'a both -DSHAPE_STAGE=3' 'a sam' 'b labs -O3' >"$scratch/bad"
check "$scratch/bad" >"$scratch/words"
[ "$(wc -l <"$scratch/words")" = 5 ] || object "not five complaints"
for cells in cells cells-small cells-peers cells-every-n binding-cells; do
    awk '{ sub(/#.*/, "") }
        NF && !($1 ~ /^(int32|int64|float|double)$/ && $2 ~ /^[1-8]$/ &&
            $3 ~ /^[1-8]$/ && $4 ~ /^(2\^)?[0-9]+$/ && NF == 4)' \
        "$root/research/on-gpu/$cells.txt" >"$scratch/words"
    [ -s "$scratch/words" ] && object "$cells.txt"
done
if [ -n "${1:-}" ]; then
    export nvcc=$1 root scratch
    front_end() { # NAME WORDS: prints the name when it fails
        local file=research/tests/on-gpu/largest.cu
        [ "$3" = applications ] && file=timing/fast/applications.cu
        "$nvcc" -std=c++17 -arch=sm_90 -fdevice-syntax-only -DSOLUTION $2 \
            -I "$root/timing/fast" -I "$root/labs/common" \
            -I "$root/labs/08-applications" -c -o /dev/null "$root/$file" \
            >"$scratch/$1.log" 2>&1 ||
            echo "$1: $(grep -m 1 error "$scratch/$1.log")"
    }
    export -f front_end
    front_end too-many-stages -DSHAPE_STAGES=5 sam >"$scratch/words"
    grep -q 'shared memory' "$scratch/words" || object "five stages compile"
    sed 's/#.*//' "$root/research/on-gpu/variants.txt" | awk 'NF {
        name = $1; lab = $2; $1 = $2 = ""
        printf "%s%c%s%c%s%c", name, 0, $0, 0, lab, 0 }' |
        xargs -0 -n 3 -P 2 bash -c 'front_end "$@"' front_end >"$scratch/words"
    [ -s "$scratch/words" ] && object "variants that do not compile"
fi
verdict
