#!/bin/bash
# SPDX-License-Identifier: MIT
# The checks that are timed on a real GPU: what the references earn, and what
# hostile submissions (timing/tests/fast) do, which is to be nothing more.
#
#   research/on-gpu/fast.sh WORK
#
# SCANLAB_PACK: a folder made by pack.sh (build/on-gpu), else build/ itself.
set -u
root=$(cd "${SCANLAB_ROOT:-$(dirname "$0")/../..}" && pwd)
work=$1
pack=${SCANLAB_PACK:-$root/build/on-gpu}
[ -x "$pack/bin/scanlab" ] || pack=$root/build
export SCANLAB_ROOT=$root
mkdir -p "$work"

graded() { # SUBMISSION LAB CHECK
    local json=$work/grade.json
    LD_LIBRARY_PATH=$pack/lib/needed:${LD_LIBRARY_PATH:-} timeout 60 \
        "$pack/bin/scanlab" grade "$2" --check "$3" --fast -v \
        --submission "$1" --format json -o "$json" 2>"$work/errors"
    echo "== $(basename "$1") $2/$3: exit status $?"
    cat "$work/errors"
    grep -E '"(score|message|detail)"' "$json" | grep -v 'null' | sort -u
    rm -f "$json"
}

for check in chained/speed lookback/speed sam/speed sam/speed-orders \
    applications/speed-select applications/speed-sort; do
    for folder in reference timing/fast; do
        source=$(sed -n 's/^source *= *//p' "$root"/labs/*-"${check%/*}"/lab.ini)
        [ -f "$root/$folder/$source" ] || continue
        graded "$root/$folder" "${check%/*}" "${check#*/}"
    done
done
for cheat in "$root"/timing/tests/fast/*.cu; do
    folder=$work/$(basename "$cheat" .cu)
    mkdir -p "$folder"
    # Only the reference itself is compiled with SOLUTION defined, and a
    # submission is compiled with no headers but its own and the labs'.
    {
        echo '#define SOLUTION 1'
        sed 's/\blookback_scan_i32\b/honest_scan_i32/g' \
            "$root/reference/lookback.cu"
    } >"$folder/honest.h"
    cp "$root"/grader/contract/*.h "$root"/grader/contract/*.def "$folder"
    sed 's|@ROOT@/grader/contract/||' "$cheat" >"$folder/lookback.cu"
    graded "$folder" lookback speed
done
