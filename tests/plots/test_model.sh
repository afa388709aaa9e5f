#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_model.sh SCANLAB: scanlab bench --clock, and that the committed model
# times (plots/data/model-h200.csv) are those of today, within 2 %.
set -u
scanlab=$1
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"
# expect STATUS TEXT ARGUMENT...: it ends with STATUS and says TEXT.
expect() {
    status=$1 text=$2
    shift 2
    "$scanlab" bench "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    got=$?
    [ "$got" = "$status" ] && cat "$scratch/out" "$scratch/err" | grep -qF -e "$text" ||
        object "bench $*: status $got, not $status, or no '$text'"
}
committed=plots/data/model-h200.csv

expect 0 'model h200' --clock=h200 --arch 90 -s reference -n 4096 -n 65536 \
    --operation inclusive_sum naive chained lookback sam
grep '^reference/' "$scratch/out" | sort >"$scratch/now"
[ "$(wc -l <"$scratch/now")" = 14 ] || object "not 14 rows"
# Within 2 %, which no figure shows: a reference may change by an instruction.
awk -F, 'FNR == NR { if ($1 ~ /^reference/) was[$1 $2 $3 $4 $5 $6] = $8; next }
    { w = was[$1 $2 $3 $4 $5 $6]; if (!w || $8 > 1.02 * w || w > 1.02 * $8) print w, $0 }' \
    "$committed" "$scratch/now" >"$scratch/out"
[ ! -s "$scratch/out" ] || {
    object "not in $committed; where profile or references changed for a good reason:"
    grep '^#   plots/model.sh' plots/model.sh
}
expect 0 'sam,inclusive_sum,int32,1,5,4096,' --clock -s reference --wide -n 4096 sam --type int32

python3 -IS plots/rows.py check "$committed" >"$scratch/out" || object "$committed is refused"
# The error that figures name is that of vgpu/docs/clock.md's table.
error=$(sed -n 's/^| all |[^|]*| \([0-9]* %\) .*/\1/p' vgpu/docs/clock.md)
python3 -IS plots/rows.py model "$committed" >"$scratch/out"
[ -n "$error" ] && grep -q "; error of the model: median $error\$" "$scratch/out" ||
    object "the figures' error is not that of vgpu/docs/clock.md, '$error'"

# ---- a student's ----
cp -r student "$scratch/mine"
expect 1 'not implemented yet' --clock -s "$scratch/mine" -n 1024 lookback
{ echo '#define SOLUTION 1' && cat reference/chained.cu; } >"$scratch/mine/chained.cu"
{ echo '#define SOLUTION 1' && sed 's/i < offset ? src/i <= offset ? src/' reference/naive.cu; } \
    >"$scratch/mine/naive.cu"
expect 1 '# note: naive, inclusive, int32, n = 1024: not right: ' --clock -s "$scratch/mine" -n 1024
grep -q '^mine/chained,exclusive_sum,int32,1,1,1024,1,.*,8192,1,model h200$' "$scratch/out" ||
    object "no row of what is right"
! grep -q '^mine/naive' "$scratch/out" || object "a row of what is wrong"
expect 2 "'pram' counts steps, which are no time: scanlab run --clock=pram" --clock=pram
expect 2 'lab cpu-scan runs on the host' --clock cpu-scan
expect 2 'there is nothing to time in plots' --clock -s plots
expect 0 'usage: scanlab bench' --clock --help
echo "$failures failures"
[ "$failures" = 0 ]
