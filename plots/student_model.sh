#!/bin/sh
# SPDX-License-Identifier: MIT
#
# student_model.sh SUBMISSION: model times of a student's own scans over n, and
# of what student_model.gp draws beside them, which is committed
# (data/model-h200.csv: made by model.sh, so that nobody needs the references).
# `make plots` calls it with the folder that was last graded.
#   SCANLAB=PATH   the program (build/bin/scanlab)
#   exit 1         none is right: there is nothing to draw
set -u
here=$(cd "$(dirname "$0")" && pwd)
submission=$(cd "$1" && pwd) || exit 1
shown=$(printf '%s' "$submission" | LC_ALL=C tr -c '[:print:]' '?')
scanlab=${SCANLAB:-$here/../build/bin/scanlab}
beside=$here/data/model-h200.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$scanlab" bench --clock=h200 --arch 90 -s "$submission" --type int32 \
    --operation inclusive_sum --seconds 60 -n 1024 -n 4096 -n 16384 -n 65536 \
    -n 262144 -n 1048576 -o "$work/rows" naive work-efficient shared-tiled \
    chained lookback sam 2>"$work/words"
sed -n 's/^scanlab bench: \(.*[a-z] not right\|.*: not \|.*compile\)/plots: model time: \1/p
        /^scanlab: / p' "$work/words" >&2
grep -q '^[^#].*,model h200$' "$work/rows" 2>/dev/null || {
    printf '%s\n' "plots: no inclusive scan in $shown is right yet: no model time of it" >&2
    exit 1
}
grep '^#' "$beside"
grep -e '^who,' -e '^[^#]*_sum,int32,1,1,' -e '^[^#]*,copy,int32,' "$beside" |
    grep -v ,exclusive_sum,
# A folder that is called as ours is a student's all the same.
grep '^[^#].*,model h200$' "$work/rows" | sed -E 's#^(reference|fast)/#student/#'
