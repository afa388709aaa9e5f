#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every figure is drawn from the committed data in three formats; one without
# data is named; one that gnuplot cannot draw, or that is empty of data, fails.
set -u
command -v gnuplot >/dev/null || {
    echo "SKIP: gnuplot is not installed (make plots installs it)"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
object() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat "$scratch/words"
}

plots/draw.sh "$scratch/out" >"$scratch/words" 2>&1 ||
    object "draw.sh failed on the committed data"
! grep -q 'not drawn' "$scratch/words" || object "there are figures without data"
figures=0
for script in plots/*.gp; do
    name=$(basename "$script" .gp)
    [ "$name" != style ] || continue
    figures=$((figures + 1))
    # A script may be another one with other numbers.
    base=plots/$(sed -n '/style.gp/d; s/^load "\(.*\)"$/\1/p' "$script")
    text=$(cat "$script" && [ ! -f "$base" ] || cat "$base")
    for line in 'load "style.gp"' 'set xlabel' 'set ylabel' 'eval set_origin'; do
        echo "$text" | grep -q "^$line" || object "$name.gp has no '$line'"
    done
    for format in svg png pdf; do
        [ -s "$scratch/out/$name.$format" ] || object "no $name.$format"
    done
    grep -q '</svg>' "$scratch/out/$name.svg" || object "$name.svg breaks off"
done
[ "$figures" -ge 3 ] || object "only $figures figures"

# A copy of the folder with a fault each.
cp -r plots "$scratch/plots"
mkdir "$scratch/none"
"$scratch/plots/draw.sh" "$scratch/out2" "$scratch/none" >"$scratch/words" 2>&1 ||
    object "missing data are an error"
grep -q "traffic is not drawn: there is no $scratch/none/counts.csv" \
    "$scratch/words" || object "a figure without data is not named"
[ ! -e "$scratch/out2/traffic.svg" ] || object "it was drawn without data"

printf '# data: counts.csv\nload "style.gp"\nplot no_such_function(x)\n' \
    >"$scratch/plots/traffic.gp"
! "$scratch/plots/draw.sh" "$scratch/out3" >"$scratch/words" 2>&1 ||
    object "a script that gnuplot refuses went through"
grep -q 'no_such_function' "$scratch/words" || object "gnuplot's words are lost"
[ -s "$scratch/out3/networks_work.pdf" ] || object "the others were not drawn"

echo "$figures figures, $failures failures"
[ "$failures" = 0 ]
