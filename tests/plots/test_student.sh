#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_student.sh SCANLAB: `make plots` after `make grade`: what a student has
# right is counted and drawn beside the references' counts, and in model time,
# what is wrong is named, what is not begun is left out without a word. No
# references are needed. A folder's name is no command.
set -u
command -v gnuplot >/dev/null || {
    echo "SKIP: gnuplot is not installed (make plots installs it)"
    exit 77
}
SCANLAB=$1
root=$PWD
FIGURES="student_traffic student_model"
export SCANLAB FIGURES
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"
mkdir "$scratch/build"
# As in a copy for students: no reference/, no timing/.
mkdir "$scratch/copy"
cp -r plots labs "$scratch/copy" && cd "$scratch/copy" || exit 1
SCANLAB_ROOT=$scratch/copy
export SCANLAB_ROOT
make_plots() { plots/make.sh "$scratch/build" >"$scratch/words" 2>&1; }
solved() { # lab's file, sed: the reference's, changed
    { echo '#define SOLUTION 1' && sed "$2" "$root/reference/$1"; } >"$scratch/mine/$1"
}

make_plots || object "nothing graded is an error"
grep -q 'student_traffic is not drawn: there is no student.csv (make grade' \
    "$scratch/words" || object "it does not say that nothing was graded"

grep -q 'student_model is not drawn: there is no student-model.csv (make grade' \
    "$scratch/words" || object "it does not say so for model time"

cp -r "$root/student" "$scratch/mine"
echo "$scratch/mine" >"$scratch/build/graded"
make_plots || object "an untouched submission is an error"
grep -q "no scan in $scratch/mine is right yet" "$scratch/words" ||
    object "it does not say that nothing is right"
grep -q "no inclusive scan in $scratch/mine is right yet: no model time" "$scratch/words" ||
    object "it does not say that nothing is right, for model time"

solved lookback.cu ''
solved naive.cu 's/i < offset ? src/i <= offset ? src/'
make_plots || object "not drawn"
csv=$scratch/build/student.csv
[ -s "$scratch/build/plots/student_traffic.pdf" ] || object "no figure"
grep -q "naive of $scratch/mine is not drawn: n = 256: wrong" "$scratch/words" ||
    object "a wrong scan is not named"
grep -q 'model time: naive, inclusive, int32, n = 1024: not right' "$scratch/words" ||
    object "a wrong scan is not named for its model time"
svg=$scratch/build/plots/student_model.svg
for word in 'look-back, mine' 'look-back, ref.' CUB 'copy (ceiling)' \
    'model time, profile h200 (not measured on a GPU); error of the model: median'; do
    grep -q "$word" "$svg" || object "student_model has no '$word'"
done
! grep -q 'naive, mine' "$svg" || object "a wrong scan has a curve"
# The same solution has the reference's model times.
sed -n 's/^mine\(.*,65536,1,\)/reference\1/p' "$scratch/build/student-model.csv" >"$scratch/one"
awk -F, 'FNR == NR { was[$1 $2 $3 $4 $5 $6] = $8; next }
    { w = was[$1 $2 $3 $4 $5 $6]; good += $8 < 1.02 * w && w < 1.02 * $8 }
    END { exit good != 1 }' plots/data/model-h200.csv "$scratch/one" ||
    object "the same solution has other model times"
! grep -q 'chained of' "$scratch/words" || object "a stub is named"
grep -q '^# origin: counts of mine, virtual GPU' "$csv" || object "no origin"
# Line by line what the reference counts.
[ "$(grep -c '^lookback,' "$csv")" = 5 ] || object "not all sizes of look-back"
! grep -q '^naive,' "$csv" || object "a wrong scan was counted"
grep '^lookback,' "$csv" >"$scratch/words"
grep -v -x -F -f plots/data/counts.csv "$scratch/words" &&
    object "the same solution counts otherwise"

# Names of folders are chosen by whoever hands them in.
odd=$(printf 'a"; system("touch RAN"); x="`touch RAN`\\n$(touch RAN)\033[2J')
mv "$scratch/mine" "$scratch/$odd"
plots/student.sh "$scratch/$odd" >"$csv" 2>"$scratch/words" || object "not counted: odd name"
! grep -q "$(printf '\033')" "$scratch/words" || object "a name reaches the terminal"
STUDENT=$csv FIGURES=student_traffic FORMATS=svg plots/draw.sh "$scratch/odd" \
    >"$scratch/words" 2>&1 || object "not drawn: odd name"
grep -q 'counts of a___system__touch_RAN_' "$scratch/odd/student_traffic.svg" ||
    object "the figure does not say of what it is"
# What lies in a folder of data is a stranger's, too.
mkdir "$scratch/data" && sed "/^# origin/ s/.*/# origin: a\"; system(\"touch RAN\"); x=\"/
    s/^naive,/x';touch\${IFS}RAN;',/" plots/data/counts.csv >"$scratch/data/counts.csv"
STUDENT=$csv FIGURES="student_traffic traffic" FORMATS=svg plots/draw.sh "$scratch/odd" \
    "$scratch/data" >"$scratch/words" 2>&1 || object "not drawn: odd data"
cp "$scratch/data/counts.csv" "$scratch/data/counts'.csv"
! plots/draw.sh "$scratch/odd" "$scratch/data" >"$scratch/words" 2>&1 ||
    object "a quote in the name of a file is passed over"
ran=$(find "$scratch" -name RAN)
[ -z "$ran" ] || object "a name was run: $ran"

echo "$scratch/gone" >"$scratch/build/graded"
make_plots || object "a submission that is gone is an error"

echo "$failures failures"
[ "$failures" = 0 ]
