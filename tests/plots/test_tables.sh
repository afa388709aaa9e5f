#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tables of timings in the documentation are what the committed CSV say today; a
# number changed by hand, or a CSV changed without them, is found.
set -u
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"
tables() { plots/tables.py "$@" >"$scratch/words" 2>&1; }
says() { grep -q -e "$1" "$scratch/words" || object "it does not say: $1"; }

# ---- every document ----
docs=$(find README.md docs labs timing research -name '*.md' 2>/dev/null)
# shellcheck disable=SC2086 # several words
tables --check $docs || object "tables of $docs"

# ---- made-up data, in a copy of the folder ----
cp -r plots "$scratch/plots"
awk -v kind=gpu -f tests/plots/synthetic.awk </dev/null >"$scratch/plots/data/bench-x.csv"
awk -v kind=cpu -f tests/plots/synthetic.awk </dev/null >"$scratch/plots/data/bench-y.csv"
tables() { "$scratch/plots/tables.py" "$@" >"$scratch/words" 2>&1; }
doc=$scratch/doc.md
{
    echo '# Numbers'
    for name in bars orders tuples applications small ladder; do
        printf '<!-- table %s bench-x.csv -->\n<!-- end of table -->\n' $name
    done
    printf '<!-- table cpu bench-y.csv -->\n<!-- end of table -->\nThe end.\n'
} >"$doc"
! tables --check "$doc" || object "tables that are not there pass"
tables --write "$doc" || object "tables cannot be written"
cp "$doc" "$scratch/once"
tables --check "$doc" || object "what was written does not pass"
tables --write "$doc" && cmp -s "$doc" "$scratch/once" || object "writing twice differs"
[ "$(head -n 1 "$doc") $(tail -n 1 "$doc")" = '# Numbers The end.' ] ||
    object "the text around the tables is lost"
[ "$(grep -c 'synthetic GPU, CUDA 0.0, CUB 0.0, 2000-01-01; medians' "$doc")" = 6 ] ||
    object "not every table says where it is from"

# One cell from first principles: at 2^28 int32 the copy moves 2^31 bytes at 4200
# bytes/ns after 6000 ns, look-back at 0.95 of that after 7000 ns.
cell=$(awk 'BEGIN {
    b = 2 ^ 31
    printf "| int32 | 2^28 | %.1f | %.2f | %.2f |", 2 ^ 28 / (6000 + b / 4200),
        (6000 + b / 4200) / (7000 + b / 4200 / 0.95),
        (9000 + b / 4200 / 0.73) / (7000 + b / 4200 / 0.95)
}')
grep -qF "$cell" "$doc" || object "no cells $cell"

sed '0,/| 0\.9/s//| 0.8/' "$scratch/once" >"$doc"
! cmp -s "$doc" "$scratch/once" || object "sed changed nothing"
! tables --check "$doc" || object "a number changed by hand passes"
says "$doc: a table is not what its CSV says"
cp "$scratch/once" "$doc"
sed -i 's/^\(memcpy,copy,int32,1,1,268435456,15\),[0-9.]*,/\1,520000,/
    s/^\(memcpy,copy,int32,1,1,268435456,15,520000\),[^,]*,[^,]*,[^,]*,/\1,520000,520000,520000,/' \
    "$scratch/plots/data/bench-x.csv"
! tables --check "$doc" || object "a changed CSV passes"
says 'a table is not what its CSV says'

# A wrong answer is no number.
sed -i '/^fast\/lookback,inclusive_sum,int32,1,1,268435456,/s/,1$/,0/' "$scratch/plots/data/bench-x.csv"
tables bars "$scratch/plots/data/bench-x.csv"
grep -q '^| int32 | 2^28 | [0-9.]* | – | – |' "$scratch/words" || object "a wrong answer is in the table"

# ---- CUB that waits for its count: a column where it was timed ----
cp "$scratch/plots/data/bench-x.csv" "$scratch/counted.csv"
sed -n 's/^cub,select_half,/cub-counted,select_half,/p' "$scratch/counted.csv" >"$scratch/rows"
[ -s "$scratch/rows" ] || object "no rows of CUB's selection"
tables applications "$scratch/counted.csv"
says '| × CUB | ours of copy |$'
cat "$scratch/rows" >>"$scratch/counted.csv"
tables applications "$scratch/counted.csv"
says '| × CUB | × CUB with its count | ours of copy |$'
says '^| select_half |.*| \([0-9.]*\) | \1 | [0-9.]* |$'
says '^| sort_keys |.*| [0-9.]* | – | [0-9.]* |$'

# ---- is anything slower than the reference? Every n by itself ----
{
    printf '# machine: none\n# gpu: made up\n# date: 2000-01-01\n'
    echo who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns,min_ns,bytes,ok
    row() { echo "$1,inclusive_sum,$2,$3,9,$4,$5,$6,$5,8192,${7:-1}"; }
    #                              n    median q1 q3
    row reference/sam int32,1,1 1024 400 390 420
    row reference/sam int32,1,1 1025 400 390 420
    row reference/sam int32,1,1 1536 300 290 310
    row reference/sam int32,1,1 2048 500 490 510
    row fast/sam int32,1,1 1024 100 90 110  # four times as fast
    row fast/sam int32,1,1 1025 410 400 430 # 0.98, within the spread
    row fast/sam int32,1,1 1536 400 320 410 # 0.75, and beyond it
    row fast/sam int32,1,1 2048 900 890 910 0 # a wrong answer is no number
    row fast/sam int32,1,1 4096 900 890 910 # nothing beside it
    row reference/lookback int32,1,1 1024 100 100 100
    row fast/lookback int32,1,1 1024 50 40 80
    row reference/sam int64,5,1 33 200 190 210
    row fast/sam int64,5,1 33 100 95 105
    row fast/sam double,1,1 1024 100 95 105 # no reference
    row cub int32,1,1 1024 300 290 310
} >"$scratch/every.csv"
tables never-below "$scratch/every.csv" || object "no table of what is below"
says '^| fast/sam | inclusive_sum | int32 | 1 | 1 | 3 | 0.75 (0.71 to 0.97) | 3·2^9 | 2 | 1 |$'
says '^| fast/lookback | inclusive_sum | int32 | 1 | 1 | 1 | 2.00 (1.25 to 2.50) | 2^10 | 0 | 0 |$'
says '^| fast/sam | inclusive_sum | int64 | 5 | 1 | 1 | 2.00 (1.81 to 2.21) | 2^5 + 1 | 0 | 0 |$'
[ "$(grep -c '^| ' "$scratch/words")" = 4 ] || object "rows without a reference"

# ---- variants in turns ----
grep '^#' "$scratch/every.csv" >"$scratch/turns.csv" # what every such file begins with
{
    grep -m 1 '^who,' "$scratch/every.csv"
    row memcpy int32,1,1 1024 100 95 105
    row committed/sam int32,5,3 1024 200 190 210
    row other/sam int32,5,3 1024 125 120 130
    row other/lookback int32,1,1 1024 150 120 190
    row committed/sam int32,1,1 2048 150 120 190 # no copy
} >>"$scratch/turns.csv"
tables variants:sam:committed,other "$scratch/turns.csv" || object "no table of variants"
says '^| type | order | tuple | n | committed, of copy | other |$'
says '^| int32 | 5 | 3 | 2^10 | 0.500 | 0.800 |$'
[ "$(grep -c '^| ' "$scratch/words")" = 2 ] || object "rows without a copy"
tables variants:sam "$scratch/turns.csv" || object "no table of all variants"
says '^| type | order | tuple | n | committed, of copy | other |$'
grep -v '^memcpy' "$scratch/turns.csv" >"$scratch/alone.csv"
tables variants:sam:committed,other "$scratch/alone.csv" || object "none without a copy"
says '^| int32 | 5 | 3 | 2^10 | 1.000 | 1.600 |$'
says '^| int32 | 1 | 1 | 2^11 | 1.000 | – |$'
! tables variants:sam:committed,none "$scratch/turns.csv" || object "an absent variant"
says 'has no none of sam'

# ---- measurements that scanlab bench did not make ----
{
    printf '# origin: here\n'
    echo page,table,row,column,value,high,unit,kind,n,machine,note
    echo x,speeds,first,left,1.50,,,measured,,one core,
    echo x,speeds,first,left,1.60,,,measured,,one core,
    echo x,speeds,second,right,2,2.5,,measured,,one core,
    echo x,others,third,right,9,,,measured,,one core,
} >"$scratch/plots/data/steps-x.csv"
tables pivot:speeds:which-one "$scratch/plots/data/steps-x.csv" || object "no pivot"
says '^| which one | left | right |$'
says '^| first | 1.50, 1.60 |  |$'
says '^| second |  | 2 to 2.5 |$'
says '^(one core; plots/data/steps-x.csv)$'
! grep -q third "$scratch/words" || object "a row of another table"
! tables pivot:none:x "$scratch/plots/data/steps-x.csv" || object "a pivot of nothing"
says "steps-x.csv has no rows for the table 'pivot:none:x'"
# One cell each from first principles.
file=$scratch/plots/data/applications-h200.csv
awk -F, '$3 == "sort" && $4 == 1048576 && $1 == 1 { ms[$5] = $6 }
    END { printf "%.2f", ms["cub"] / ms["fast"] }' "$file" >"$scratch/ratio"
tables smaller "$file"
says "^| 2^20 | .* | $(cat "$scratch/ratio") | [0-9.]* |\$"
tables floor "$file"
says '^| partition | 8 | 0.512 | 0.562, 0.558 | 0.91 | 0.841 | 1.50, 1.53 |$'
tables reached "$scratch/plots/data/scan-steps-h200.csv"
says '^| int64, A .*| 0.778; 0.95 |  |$'
tables widths "$scratch/plots/data/scan-steps-h200.csv"
says '^| tuple, int64, C | 0.832 | .* | 0.787 |$'

# ---- what cannot be made ----
! tables nonsense "$scratch/plots/data/bench-x.csv" || object "a table of nonsense"
says "there is no table 'nonsense'"
! tables cpu "$scratch/plots/data/bench-x.csv" || object "a table without rows"
says "bench-x.csv has no rows for the table 'cpu'"
printf '<!-- table bars bench-none.csv -->\n<!-- end of table -->\n' >"$doc"
! tables --check "$doc" || object "a table of a file that is not there passes"
says 'there is no .*bench-none.csv'
printf '<!-- table bars bench-x.csv -->\n' >"$doc"
! tables --check "$doc" || object "a table without an end passes"
says 'a table without an end'

echo "$failures failures"
[ "$failures" = 0 ]
