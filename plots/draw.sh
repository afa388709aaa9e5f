#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw.sh OUT [DATA]: draws every figure of this folder whose CSV files are in
# DATA (plots/data) as SVG, PNG and PDF into OUT, and says which it could not
# draw for want of data. A script names its files in a line "# data: NAME.csv".
#   exit 0  all that there are data for are drawn
#   exit 1  gnuplot complained; its words are shown
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1
data=${2:-$here/data}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
data=$(cd "$data" && pwd) || exit 1
status=0

lacks() { # script: the first data file that is not there
    for file in $(sed -n 's/^# data: //p' "$1"); do
        [ -r "$data/$file" ] || { echo "$file" && return; }
    done
}

draw() { # script name
    for format in svg png pdf; do
        words=$(cd "$here" && gnuplot -e "format = '$format'" \
            -e "output = '$out/$2.$format'" -e "data = '$data'" "$1" 2>&1) &&
            [ -z "$words" ] && [ -s "$out/$2.$format" ] && continue
        rm -f "$out/$2.$format"
        echo "plots: $2.gp: gnuplot could not draw $2.$format:" >&2
        echo "$words" >&2
        return 1
    done
}

for script in "$here"/*.gp; do
    name=$(basename "$script" .gp)
    [ "$name" != style ] || continue
    if ! grep -q '^# data: ' "$script"; then
        echo "plots: $name.gp names no data" >&2
        status=1
    elif file=$(lacks "$script") && [ -n "$file" ]; then
        echo "plots: $name is not drawn: there is no $data/$file" >&2
    else
        draw "$script" "$name" || status=1
    fi
done
[ $status != 0 ] || echo "plots: figures are in $out"
exit $status
