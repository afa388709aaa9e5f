#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_student.sh SCANLAB: `make plots` after `make grade`: what a student has
# right is counted and drawn beside the references' counts, what is wrong is
# named, what is not begun is left out without a word.
set -u
command -v gnuplot >/dev/null || {
    echo "SKIP: gnuplot is not installed (make plots installs it)"
    exit 77
}
SCANLAB=$1
FIGURES=student_traffic
export SCANLAB FIGURES
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
object() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat "$scratch/words"
}
mkdir "$scratch/build"
make_plots() { plots/make.sh "$scratch/build" >"$scratch/words" 2>&1; }
solved() { # lab's file, sed: the reference's, changed
    { echo '#define SOLUTION 1' && sed "$2" "reference/$1"; } >"$scratch/mine/$1"
}

make_plots || object "nothing graded is an error"
grep -q 'student_traffic is not drawn: there is no student.csv (make grade' \
    "$scratch/words" || object "it does not say that nothing was graded"

cp -r student "$scratch/mine"
echo "$scratch/mine" >"$scratch/build/graded"
make_plots || object "an untouched submission is an error"
grep -q "no scan in $scratch/mine is right yet" "$scratch/words" ||
    object "it does not say that nothing is right"

solved lookback.cu ''
solved naive.cu 's/i < offset ? src/i <= offset ? src/'
make_plots || object "not drawn"
csv=$scratch/build/student.csv
[ -s "$scratch/build/plots/student_traffic.pdf" ] || object "no figure"
grep -q "naive of $scratch/mine is not drawn: n = 256: wrong" "$scratch/words" ||
    object "a wrong scan is not named"
! grep -q 'chained of' "$scratch/words" || object "a stub is named"
grep -q '^# origin: counts of mine, virtual GPU' "$csv" || object "no origin"
# Line by line what the reference counts.
[ "$(grep -c '^lookback,' "$csv")" = 5 ] || object "not all sizes of look-back"
! grep -q '^naive,' "$csv" || object "a wrong scan was counted"
grep '^lookback,' "$csv" >"$scratch/words"
grep -v -x -F -f plots/data/counts.csv "$scratch/words" &&
    object "the same solution counts otherwise"

echo "$scratch/gone" >"$scratch/build/graded"
make_plots || object "a submission that is gone is an error"

echo "$failures failures"
[ "$failures" = 0 ]
