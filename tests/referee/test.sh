#!/bin/sh
# SPDX-License-Identifier: MIT
# The virtual GPU counts what the recorded hardware counted (docs/counts.md).
#   test.sh VGPU LIBRARIES NVCC WORK
set -eu
vgpu=$1 libraries=$2 nvcc=$3 work=$4
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
skip() { echo "SKIP: $1"; exit 77; }
[ -f "$here/data/patterns.csv" ] || skip "no recorded counts in data/"
[ -x "$nvcc" ] || skip "no nvcc"
command -v python3 >/dev/null || skip "no python3"

mkdir -p "$work"
build() {
    out=$1
    shift
    "$nvcc" -std=c++17 -O2 -lineinfo -cudart shared -L"$libraries" \
        -gencode arch=compute_75,code=compute_75 -o "$work/$out" "$@"
}
build patterns "$here/patterns.cu" &
build mixed "$here/mixed.cu" &
build labs -DSOLUTION -I"$root/labs/common" -I"$root/labs/01-naive" \
    -I"$root/labs/02-work-efficient" "$here/labs.cu" \
    "$root/reference/naive.cu" "$root/reference/work_efficient.cu"
wait
count() {
    out=$1
    shift
    "$vgpu" --check none --device h200 --format json -o "$work/$out" "$@"
}
count patterns.json "$work/patterns"
count mixed.json "$work/mixed"
count labs.json "$work/labs" 1024 100000
compare() {
    python3 "$here/compare.py" "$here/data" --patterns "$work/patterns.json" \
        --mixed "$work/mixed.json" --labs "$work/labs.json" --explained "$here/data/explained.txt" "$@"
}
compare

# The tables of docs/counts.md are these numbers: per row all its cells, which
# may stand in several tables.
cells() { # FILE: label: cells
    awk -F' *[|] *' '/^[|].* [0-9]+ [/] [0-9]+/ {
        sub(/ launches\)/, " launch)", $2)
        sub(/@1 /, ", n = 1024 ", $2)
        sub(/@2 /, ", n = 100000 ", $2)
        if (!($2 in of)) order[++n] = $2
        for (i = 3; i < NF; i++) of[$2] = of[$2] " | " $i
    } END { for (k = 1; k <= n; k++) print order[k] of[order[k]] }' "$1" | sort
}
compare --markdown >"$work/tables.md"
cells "$work/tables.md" >"$work/tables.cells"
cells "$root/docs/counts.md" >"$work/page.cells"
[ -s "$work/tables.cells" ]
diff "$work/tables.cells" "$work/page.cells" || {
    echo "docs/counts.md does not say (>) what was counted (<)"
    exit 1
}
