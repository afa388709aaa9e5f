#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_shapes.sh VGPU FOLDER PEERS APPLICATIONS: timing/gpu/shapes.cu on the virtual GPU,
# where times mean nothing: rows of the right form, wrong outputs and refusals
# are told.
set -u
vgpu=$1 folder=$2 peers=$3 apps=$4
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/research/tests/on-gpu/objects.sh"
shapes() {
    "$vgpu" --check none -o /dev/null "$folder/shapes" "$@" \
        >"$scratch/out" 2>"$scratch/words"
}
printf '%s\n' '# cells' 'int32 1 1 2^10' 'int32 3 1 1000 # words' \
    'int32 1 2 1000' 'int32 9 1 100' 'float 1 1 100' >"$scratch/cells"

shapes --seconds 1 "$scratch/cells" "$folder/right/sam.so" "$peers"
[ $? = 1 ] || object "order 9 is refused, and the exit status is not 1"
says 'note: right/sam, int32 order 9 tuple 1 n 100: invalid argument' "$scratch/out"
rows() { grep -c "$1" "$scratch/out"; }
for row in 'right/sam,inclusive_sum,int32,1,1,1024,' \
    'right/sam,inclusive_sum,int32,3,1,1000,' \
    'right/sam,inclusive_sum,int32,1,2,1000,' \
    'memcpy,copy,int32,1,1,1024,' 'memcpy,copy,int32,1,1,1000,' \
    'memcpy,copy,float,1,1,100,'; do
    [ "$(rows "^$row.*,1\$")" = 1 ] || object "not one right row $row"
done
"$root/plots/rows.py" check "$scratch/out" >"$scratch/words" ||
    object "rows.py objects to its rows"

shapes --seconds 1 "$scratch/cells" "$folder/wrong/sam.so" "$folder/right/sam.so"
[ $? = 1 ] || object "a wrong output passes"
[ "$(rows '^wrong/sam,inclusive_sum,int32,3,1,.*,0$')" = 1 ] ||
    object "the wrong output is not told"
[ "$(rows '^right/sam,inclusive_sum,int32,3,1,.*,1$')" = 1 ] ||
    object "the right one beside it is not right"

head -n 4 "$scratch/cells" >"$scratch/few"
shapes --once "$scratch/few" "$folder/right/sam.so" "$peers" ||
    object "a right library fails its trial"
[ "$(cat "$scratch/out")" = "$(printf 'right/sam,inclusive_sum,int32,%s\n' \
    1,1,1024 3,1,1000 1,2,1000)" ] || object "not a line for every launch"
shapes --once "$scratch/few" "$folder/wrong/sam.so" &&
    object "a wrong library passes its trial"

# Every n, from 1 on: its small cells of what there is here.
awk '$1 == "int32" && (length($4) < 4 || $4 == "2^10" || $4 == "1025")' \
    "$root/research/on-gpu/cells-every-n.txt" >"$scratch/small"
[ "$(wc -l <"$scratch/small")" -gt 10 ] || object "few cells of few elements"
shapes --seconds 1 "$scratch/small" "$folder/right/sam.so" "$peers" ||
    object "a scan of few elements is wrong"
[ "$(rows '^right/sam,inclusive_sum,.*,1$')" = "$(wc -l <"$scratch/small")" ] ||
    object "not a row for every small n"
[ "$(rows '^right/sam,inclusive_sum,int32,1,1,1,')" = 1 ] || object "no row of n = 1"

operations="select_half partition_half run_length reduce_by_key sort_keys sort_pairs"
for operation in $operations; do echo "$operation 200"; done >"$scratch/lab8"
shapes --once "$scratch/lab8" "$folder/right/applications.so" "$folder/right/sam.so" ||
    object "right functions of lab 8 fail"
shapes --seconds 1 "$scratch/lab8" "$folder/wrong/applications.so" "$folder/right/applications.so"
[ $? = 1 ] || object "a wrong count or order passes"
for operation in $operations; do
    for kind in right wrong; do
        [ "$(rows "^$kind/applications,$operation,int32,1,1,200,.*,$([ $kind = right ] &&
            echo 1 || echo 0)\$")" = 1 ] || object "not one row of $operation, $kind"
    done
done
# Whoever returns a count beside CUB that leaves its own where it is, and CUB that
# does not.
head -n 4 "$scratch/lab8" >"$scratch/counts"
shapes --seconds 1 "$scratch/counts" "$folder/right/applications.so" "$apps" ||
    object "CUB's counts are wrong"
for operation in $(head -n 4 "$scratch/lab8" | cut -d' ' -f1); do
    for who in cub cub-counted; do
        [ "$(rows "^$who,$operation,int32,1,1,200,.*,1\$")" = 1 ] ||
            object "not one row of $operation, $who"
    done
done
"$root/plots/rows.py" check "$scratch/out" >"$scratch/words" ||
    object "rows.py objects to the rows of peers that count"
echo 'int32 1 2^10' >"$scratch/bad"
shapes "$scratch/bad" "$folder/right/sam.so"
[ $? = 2 ] || object "a cell without an n is taken"
verdict
