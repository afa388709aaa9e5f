#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No measured number in the documentation that is in no CSV (numbers.py), no number
# in its CSV that the documentation does not have, none that its file does not give.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
object() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    head -n 20 "$scratch/words"
}
numbers() {
    python3 research/tests/pages/numbers.py "$scratch/data" "$@" >"$scratch/words" 2>&1
}
says() { grep -q -e "$1" "$scratch/words" || object "it does not say: $1"; }
command -v python3 >/dev/null || { echo "SKIP: no python3" && exit 77; }

cp -r plots/data "$scratch/data"
cp research/data/*.csv "$scratch/data"
mkdir "$scratch/log"
cp README.md research/performance.md research/performance-applications.md \
    research/performance-cpu.md timing/docs/speed.md docs/counts.md timing/docs/bench.md "$scratch"
cp research/log/speed.md research/log/performance*.md "$scratch/log"
cd "$scratch" || exit 1
pages=$(echo *.md log/*.md)
cd - >/dev/null || exit 1
set --
for page in $pages; do set -- "$@" "$scratch/$page"; done
numbers "$@" || object "the documentation"

# A number more, of each kind that is looked for; and what is no such number.
while read -r line; do
    cp timing/docs/speed.md "$scratch/speed.md"
    printf '\n%s\n' "$line" >>"$scratch/speed.md"
    numbers "$@" && object "passes: $line"
    says 'speed.md:[0-9]*: .* is in no CSV'
done <<'X'
It reaches 2.77 of the copy.
Now 4321 GB/s.
Then 87 us.
It is 33 % faster.
3.33 × CUB.
X
for line in '`code 2.77 us`' 'CUDA 13.7 on 2031-01-01, gcc 15.2, at 2.45 GHz' \
    '    2.77 us in an example' '[a link](x-2.77.md)' 'n = 4321'; do
    cp timing/docs/speed.md "$scratch/speed.md"
    printf '\n%s\n' "$line" >>"$scratch/speed.md"
    numbers "$@" || object "does not pass: $line"
done
cp timing/docs/speed.md "$scratch/speed.md"
printf '\n| change | measured |\n|---|---|\n| x | 4321 |\n' >>"$scratch/speed.md"
numbers "$@" && object "a table's cell passes"

# The other way round.
cp timing/docs/speed.md "$scratch/speed.md"
echo 'speed,,a thing,,7.77,,times,measured,,,' >>"$scratch/data/steps-vgpu.csv"
numbers "$@" && object "a row that nobody uses passes"
says 'does not say 7.77'
sed -i '$d' "$scratch/data/steps-vgpu.csv"
echo 'speed,,a thing,,fast,,times,measured,,,' >>"$scratch/data/steps-vgpu.csv"
numbers "$@" && object "a value that is no number passes"
sed -i '$d' "$scratch/data/steps-vgpu.csv"

# A value that its file does not give any more.
sed -i '/^fast\/sam,inclusive_sum,int64,7,1,268435456,/s/,5,[0-9]*,/,5,1000000,/' \
    "$scratch/data/bench-h200.csv"
numbers "$@" && object "a derived value that the file does not give passes"
says 'order 7; tuple 1: its file does not give'
[ "$failures" = 0 ] && echo "all as expected"
exit $((failures > 0))
