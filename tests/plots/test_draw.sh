#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every figure is drawn: from the committed data what they allow, at night in
# three formats, and from made-up data the others, at night all, as SVG. A figure without data is named with
# what it lacks; timing data that cannot be used are refused with a reason; one
# that gnuplot cannot draw, or that is empty of data, fails.
set -u
command -v gnuplot >/dev/null || {
    echo "SKIP: gnuplot is not installed (make plots installs it)"
    exit 77
}
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"
draw() { # out data: draws and keeps the words
    plots/draw.sh "$scratch/$1" "$2" >"$scratch/words" 2>&1
}
says() { grep -q -e "$1" "$scratch/words" || object "it does not say: $1"; }
figures=$(for script in plots/*.gp; do
    name=$(basename "$script" .gp)
    case $name in style | bench | model | labels) ;; *) echo "$name" ;; esac
done)

# Each is there in all formats, or named; a script has what makes it readable.
check_all() { # out format...
    folder=$1
    shift
    for name in ${FIGURES:-$figures}; do
        if grep -q "^plots: $name is not drawn: " "$scratch/words"; then
            [ ! -e "$scratch/$folder/$name.svg" ] || object "$name was drawn all the same"
            continue
        fi
        for format; do
            [ -s "$scratch/$folder/$name.$format" ] || object "no $name.$format"
        done
        grep -q '</svg>' "$scratch/$folder/$name.svg" || object "$name.svg breaks off"
    done
}
formats='svg png pdf'
case ",${SCANLAB_TEST:-}," in *,all,*) ;; *) formats=svg ;; esac
for name in $figures; do
    script=plots/$name.gp
    # A script may be another one with other numbers.
    base=plots/$(sed -n '/style.gp/d; /bench.gp/d; /"model.gp"/d; /"labels.gp"/d; s/^load "\(.*\)"$/\1/p' "$script")
    text=$(cat "$script" && [ ! -f "$base" ] || cat "$base")
    origin='eval set_origin'
    case $text in *'load "model.gp"'*) origin='eval set_model' ;; esac
    for line in 'load "style.gp"' 'set xlabel' 'set ylabel' "$origin"; do
        echo "$text" | grep -q "^$line" || object "$name.gp has no '$line'"
    done
done
[ "$(echo "$figures" | wc -w)" -ge 30 ] || object "there are fewer figures"

# ---- the committed data ----
FORMATS=$formats
export FORMATS
draw committed plots/data || object "draw.sh failed on the committed data"
# shellcheck disable=SC2086
check_all committed $formats
! grep ' is not drawn' "$scratch/words" |
    grep -v -e '^plots: student_' -e '^plots: sweep ' ||
    object "committed data do not suffice for a figure"

# The GPU that the model is of comes first; no other stands beside model times.
grep -q 'NVIDIA H200' "$scratch/committed/of_copy.svg" || object "of_copy is not of the H200"
grep -q 'NVIDIA H100' "$scratch/committed/of_copy-h100.svg" || object "no figure of the H100"
grep -q 'GPU: NVIDIA H200' "$scratch/committed/model_int32.svg" || object "another GPU's model"
[ ! -e "$scratch/committed/model_int32-h100.svg" ] || object "the H200's model beside an H100"

# Every figure of model time says so, and how wrong the model is.
for svg in "$scratch"/committed/model_*.svg "$scratch/committed/timeline.svg"; do
    grep -q 'model time, profile h200 (not measured on a GPU); error of the model: median [0-9]* %' \
        "$svg" || object "$svg does not say that it is model time"
done

# ---- made-up data: every figure ----
mkdir "$scratch/data"
cp plots/data/bank_conflicts.csv plots/data/counts*.csv \
    plots/data/depth.csv plots/data/timeline.csv plots/data/scan-steps-h200.csv "$scratch/data"
sed 's/^# origin: .*/# origin: made up/' plots/data/counts.csv >"$scratch/data/student.csv"
{ cat plots/data/model-h200.csv && sed -n 's/^reference\(.*,inclusive_sum,int32,1,1,\)/student\1/p' \
    plots/data/model-h200.csv; } >"$scratch/data/student-model.csv"
printf '%s\n' '# origin: made up' constant,value,n,model_ns,limited_by,result \
    B,32,256,40000,warps,right B,32,512,50000,warps,right B,64,256,45000,warps,right \
    B,64,512,0,,wrong >"$scratch/data/sweep.csv"
for kind in gpu cpu; do
    awk -v kind=$kind -f tests/plots/synthetic.awk </dev/null \
        >"$scratch/data/bench-made-up-$kind.csv"
done
gpu=$scratch/data/bench-made-up-gpu.csv cpu=$scratch/data/bench-made-up-cpu.csv
FORMATS=svg
if [ "$formats" = svg ]; then
    FIGURES="throughput_int32 $(cd "$scratch/committed" && for name in $figures; do
        [ -e "$name.svg" ] || echo "$name"
    done)"
    export FIGURES
fi
draw made-up "$scratch/data" || object "draw.sh failed on made-up data"
check_all made-up svg
unset FIGURES # and FORMATS stays svg: test_student.sh draws all
! grep -q 'is not drawn' "$scratch/words" || object "some are not drawn"
says 'bench-made-up-gpu.csv is of synthetic GPU, CUDA 0.0, CUB 0.0, 2000-01-01'
for word in 'copy (ceiling)' CUB Thrust 'SAM, fast' 'look-back, yours'; do
    grep -q "$word" "$scratch/made-up/throughput_int32.svg" ||
        object "throughput_int32 has no curve '$word'"
done

# ---- one file: the instructor's ----
FIGURES="cpu_int32 throughput_int32 traffic then_now_int32"
export FIGURES
draw alone "$cpu" || object "one file of timing data is refused"
[ -s "$scratch/alone/cpu_int32.svg" ] || object "its figure was not drawn"
says "throughput_int32 is not drawn: there is no timing data of a GPU in $cpu"
says 'traffic is not drawn: there is no counts.csv: .* is one file of timing data'
draw alone2 "$gpu" || object "one file of timing data is refused"
[ -s "$scratch/alone2/then_now_int32.svg" ] || object "papers' numbers are lost"
! draw nowhere-out "$scratch/nowhere" || object "a folder that is not there went through"
says "there is no file or folder $scratch/nowhere"

# ---- the order of rows means nothing ----
FIGURES="throughput_int32 tuples_int32 lightscan"
{ sed '/,[01]$/d' "$gpu" && sed -n '/,[01]$/p' "$gpu" | sed '1!G;h;$!d'; } \
    >"$scratch/backwards.csv"
draw forwards "$gpu" && draw backwards "$scratch/backwards.csv" || object "refused"
for name in $FIGURES; do
    cmp -s "$scratch/forwards/$name.svg" "$scratch/backwards/$name.svg" ||
        object "$name depends on the order of rows"
done

# ---- another folder than student/ ----
FIGURES=ladder
sed 's|^student/naive|alice/naive|' "$gpu" >"$scratch/alice.csv"
draw alice "$scratch/alice.csv" || object "another folder is refused"
grep -q 'naive, alice' "$scratch/alice/ladder.svg" || object "no curve of alice"

# ---- a CSV of another kind that has a column who ----
mkdir "$scratch/other"
cp "$gpu" "$scratch/other/bench-a.csv"
printf 'run,who,ms\n1,me,2\n' >"$scratch/other/mine.csv"
draw other-out "$scratch/other" || object "another CSV is taken for timing data"
# nor are variants another machine.
cp "$gpu" "$scratch/other/shapes-a.csv"
draw shapes-out "$scratch/other" || object "a folder with variants is refused"
[ ! -e "$scratch/shapes-out/ladder-shapes-a.svg" ] || object "variants are drawn as a machine"

# ---- two machines: the second has names of its own ----
mkdir "$scratch/two"
cp "$gpu" "$scratch/two/bench-a.csv" && cp "$gpu" "$scratch/two/bench-b.csv"
FIGURES=throughput_int32
draw two-out "$scratch/two" || object "two machines are refused"
[ -s "$scratch/two-out/throughput_int32.svg" ] &&
    [ -s "$scratch/two-out/throughput_int32-b.svg" ] || object "one is missing"

# ---- data that are not there, or wrong ----
mkdir "$scratch/none"
FIGURES="traffic ladder"
draw none-out "$scratch/none" || object "missing data are an error"
says "traffic is not drawn: there is no $scratch/none/counts.csv"
says "ladder is not drawn: there is no timing data of a GPU in $scratch/none"
[ ! -e "$scratch/none-out/traffic.svg" ] || object "it was drawn without data"

# bad WORDS SED: timing data changed by sed are refused with these words
bad() {
    sed "$2" "$gpu" >"$scratch/bad.csv"
    ! cmp -s "$gpu" "$scratch/bad.csv" || object "sed '$2' changes nothing"
    ! draw bad-out "$scratch/bad.csv" || object "accepted: $2"
    says "$1"
    says 'bad.csv is not used'
}
FIGURES=ladder
bad 'the file is empty' '1,$d'
bad 'there is no line that names the columns' '/^[^#]/d'
bad 'there are names but no rows' '/,[01]$/d'
bad 'timing data lack the columns bytes ok' 's/^who,.*/who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns,min_ns/'
bad "no line '# date: ...'" '/^# date/d'
bad 'says where the data are from' '/^# machine/d; /^# gpu/d'
bad ":9: who '/naive' is not known" '9s|^[^,]*|/naive|'
bad ':9: 12 fields, not 13' '9s/,[01]$//'
bad ":9: median_ns is 'fast', not a number above 0" '9s/,15,[^,]*,/,15,fast,/'
bad ":9: n is '0'" '9s/,1,1,[0-9]*,/,1,1,0,/'
bad ":9: who 'nobody' is not known" '9s/^[^,]*/nobody/'
bad ":9: operation 'guess' is not known" '9s/,[a-z_]*,/,guess,/'
bad ":9: type 'bits' is not known" '9s/,int8,/,bits,/'
bad ":9: ok is '2'" '9s/[01]$/2/'
bad ':9: min, q1, median, q3 do not rise' '9s/,15,[^,]*,/,15,1,/'
bad ':10: the same as line 9: ' '9{p;}'

# A wrong answer is named, and left out: with it, nobody is left.
sed '/^\(reference\|student\)\//s/,1$/,0/' "$gpu" >"$scratch/wrong.csv"
draw wrong-out "$scratch/wrong.csv" || object "wrong answers are an error"
says 'not drawn, its output was wrong (ok = 0): reference/naive inclusive_sum int32'
says 'ladder is not drawn: wrong.csv has no right row with who reference/\* or student/\*'

# ---- a copy of the folder with a fault ----
cp -r plots "$scratch/plots"
printf '# data: counts.csv\nload "style.gp"\nplot no_such_function(x)\n' \
    >"$scratch/plots/traffic.gp"
FIGURES="traffic networks_work"
! "$scratch/plots/draw.sh" "$scratch/out3" >"$scratch/words" 2>&1 ||
    object "a script that gnuplot refuses went through"
says no_such_function
[ -s "$scratch/out3/networks_work.svg" ] || object "the others were not drawn"

echo "$(echo "$figures" | wc -w) figures, $failures failures"
[ "$failures" = 0 ]
