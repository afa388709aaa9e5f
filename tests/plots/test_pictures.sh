#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_pictures.sh SCANLAB: the pictures of runs on the slides and in the handouts
# are what the references do today, and each is shown somewhere. Of those over
# model time, who speaks to whom is compared, and times within 5 % or 1.5 mm.
set -u
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"
mkdir "$scratch/slides" "$scratch/labs"
for lab in labs/[0-9]*; do mkdir "$scratch/$lab"; done
SCANLAB=$1 OUT=$scratch/slides LABS=$scratch/labs slides/pictures/run.sh || exit 1

number='[0-9]+([.][0-9]+)?'
near() { # committed now
    sed -E "s/$number/#/g" "$1" >"$scratch/a"
    sed -E "s/$number/#/g" "$2" | cmp -s "$scratch/a" - || return 1
    grep -oE "$number" "$1" >"$scratch/a"
    grep -oE "$number" "$2" | paste "$scratch/a" - | awk '
        { d = $1 - $2; most = 1.5 + 0.05 * $1 }
        d > most || -d > most { exit 1 }'
}
same() { # committed now
    case $1 in *-time.*) near "$@" ;; *) cmp -s "$@" ;; esac
}
compared=0
compare() { # committed now shown-in
    compared=$((compared + 1))
    [ -s "$2" ] || object "run.sh does not draw $1"
    same "$1" "$2" ||
        object "$1 is not what is drawn now; for a good reason: slides/pictures/run.sh"
    # shellcheck disable=SC2086 # several files
    grep -q "$4" $3 || object "nobody shows $1"
}
for picture in slides/pictures/*.tex; do
    name=$(basename "$picture" .tex)
    compare "$picture" "$scratch/slides/$name.tex" "slides/*.tex" "trace{$name}"
done
for picture in labs/*/*.svg; do
    compare "$picture" "$scratch/$picture" "$(dirname "$picture")/README.md" \
        "]($(basename "$picture"))"
done
drawn=$(find "$scratch/slides" "$scratch/labs" -type f | wc -l)
[ "$compared" = "$drawn" ] && [ "$drawn" -gt 0 ] ||
    object "$drawn pictures are drawn, $compared are there"

# What must not be the same: a message less, a block that ends elsewhere.
time=slides/pictures/chain-time.tex
sed '0,/pic word/{/pic word/d}' $time >"$scratch/less"
sed 's/pic busy\] (\([0-9]*\)/pic busy] (9\1/' $time >"$scratch/later"
for wrong in less later; do
    ! cmp -s $time "$scratch/$wrong" || object "'$wrong' changes nothing"
    ! near $time "$scratch/$wrong" || object "'$wrong' goes unnoticed"
done

echo "$compared pictures, $failures failures"
[ "$failures" = 0 ]
