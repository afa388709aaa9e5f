#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw.sh OUT [DATA]: draws every figure of this folder that DATA allow, as SVG,
# PNG and PDF, into OUT, and says of each other one what is missing. DATA is a
# folder of CSV files (plots/data) or one file of timing data. A script says what
# it draws in lines
#   # data: NAME.csv...    of DATA; published.csv is taken from here if it is not
#                          there; bench-gpu and bench-cpu are files of timing data
#                          (rows.py), told apart by their line "# gpu: ...";
#                          bench-model is a file of model times, with a line
#                          "# model: profile"
#   # highlights: KEY=SERIES,SERIES...   is drawn as NAME-KEY.pdf, too, with the
#                          other curves in grey (labels.gp)
#   # needs: CONDITIONS    rows of the timing data without which it is not drawn
# With several files of timing data of a kind the figures of all but the first
# are called NAME-FILE; the first is the GPU that the model times are of.
#   STUDENT=FILE  counts of the student's own solutions (student.sh), as student.csv
#   STUDENT_MODEL=FILE  model times of the references and of theirs, likewise, as
#                 student-model.csv
#   SWEEP=FILE    what `scanlab sweep -o FILE.csv` wrote, as sweep.csv
#   FIGURES="A B" these scripts only
#   FORMATS="svg" not all of svg, png, pdf
#   exit 0  all that there are data for are drawn
#   exit 1  gnuplot complained, or data cannot be used; the words are shown
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1
data=${2:-$here/data}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
status=0
say() { printf '%s\n' "plots: $*" | LC_ALL=C tr '\000-\011\013-\037\177' '?' >&2; }

# gnuplot and the shell that it starts get paths between quotes.
for path in "$out" "$data" "$data"/*.csv; do
    case $path in
    *\'* | *'
'*)
        say "no figures: a quote or a new line in the name $path"
        exit 1
        ;;
    esac
done

# The interpreter itself: python3 may be a script that looks for one, and a
# figure asks rows.py a dozen times.
python=$(python3 -ISc 'import sys; print(sys.executable)') || exit 1
answers=$(mktemp -d)
trap 'rm -rf "$answers"' EXIT
ask() { "$here/ask.sh" "$python" "$answers" "$@"; }

# The first line that is no comment.
names_of() { awk '!/^#/ && NF { print; exit }' "$1"; }

# Sorts timing data: gpus, cpus are lists of paths, one a line; a file that
# cannot be used is said so and left out.
gpus='' cpus='' models=''
newline='
'
add_timing() { # file
    words=$("$python" -IS "$here/rows.py" check "$1")
    bad=$?
    [ -z "$words" ] || echo "$words" | sed 's/^/plots: /' >&2
    if [ $bad != 0 ]; then
        say "$(basename "$1") is not used"
        status=1
    elif grep -q '^# model: *[^ ]' "$1"; then
        models="$models$1$newline"
    elif grep -q '^# gpu: *[^ ]' "$1"; then
        gpus="$gpus$1$newline"
    else
        cpus="$cpus$1$newline"
    fi
}

shown=$data
if [ -f "$data" ]; then
    file=$(cd "$(dirname "$data")" && pwd)/$(basename "$data")
    add_timing "$file"
    data=$(dirname "$file")
    alone=yes beside=/dev/null # nothing that lies beside the file
elif [ -d "$data" ]; then
    data=$(cd "$data" && pwd)
    alone='' beside=$data
    for file in "$data"/*.csv; do
        [ -f "$file" ] || continue
        case $(basename "$file")/$(names_of "$file") in
        shapes-*/*) ;; # variants of one machine
        bench-*/* | *.csv/who,*) add_timing "$file" ;;
        esac
    done
else
    say "there is no file or folder $data"
    exit 1
fi

# The GPU that the model times are of comes first, and they stand beside no other:
# bench-PROFILE.csv, if it is there.
profile=$(sed -n 's/^# model: *//p' "${models%%"$newline"*}" 2>/dev/null)
is_of_model="/bench-$profile\\.csv\$"
of_model=$(printf '%s' "$gpus" | grep "$is_of_model")
if [ -n "$of_model" ]; then
    of_model=$of_model$newline
    gpus=$of_model$(printf '%s' "$gpus" | sed "\\|$is_of_model|d"; echo .)
    gpus=${gpus%.}
fi

# Sets path to the first that can be read.
first_readable() {
    for path; do [ ! -r "$path" ] || return 0; done
    path=
}

# Sets path to a script's data file; complains when it is not there.
path_of() { # word name bench
    lacking=$1
    case $1 in
    bench-gpu) path=$3 lacking="timing data of a GPU in $shown" ;;
    bench-cpu) path=$3 lacking="timing data of a CPU in $shown" ;;
    beside-cpu)
        path=${cpus%%"$newline"*} lacking="timing data of a CPU in $shown"
        ;;
    bench-model)
        path=${models%%"$newline"*} lacking="model times in $shown"
        ;;
    student-model.csv)
        first_readable "$beside/$1" "${STUDENT_MODEL:-}"
        lacking="$1 (make grade, then make plots)"
        ;;
    student.csv)
        first_readable "$beside/$1" "${STUDENT:-}"
        lacking="$1 (make grade, then make plots)"
        ;;
    sweep.csv)
        first_readable "$beside/$1" "${SWEEP:-}"
        lacking="$1 (scanlab sweep -o build/sweep.csv, then make plots)"
        ;;
    published.csv) first_readable "$beside/$1" "$here/data/$1" ;;
    *)
        first_readable "$beside/$1"
        [ -z "$alone" ] && lacking=$data/$1 ||
            lacking="$1: $shown is one file of timing data"
        ;;
    esac
    [ -n "$path" ] && return
    say "$2 is not drawn: there is no $lacking"
    return 1
}

# Are there all rows that a script needs?
has_rows() { # script name bench
    sed -n 's/^# needs: //p' "$1" | while read -r where; do
        n=$(ask count "$3" "$where")
        [ "$n" = 0 ] || continue
        say "$2 is not drawn: $(basename "$3") has no right row with" \
            "$(echo "$where" | sed 's/;/, /g; s/|/ or /g; s/=/ /g')"
        exit 1
    done
}

draw() { # script name bench [series to show [formats]]
    for format in ${5:-${FORMATS:-svg png pdf}}; do
        words=$(cd "$here" && LC_ALL=C.UTF-8 gnuplot -e "format = '$format'" \
            -e "output = '$out/$2.$format'" -e "data = '$data'" \
            -e "reader = './ask.sh \"$python\" \"$answers\"'" \
            -e "shown = '${4:-}'" -e "bench = '$3'" -e "published = '$published'" \
            -e "student = '$student'" -e "model = '$model'" -e "cpu = '$cpu'" \
            -e "sweep = '$sweep'" "$1" 2>&1) &&
            [ -z "$words" ] && [ -s "$out/$2.$format" ] && continue
        rm -f "$out/$2.$format"
        say "$2: gnuplot could not draw $(basename "$1") as $format:"
        echo "$words" >&2
        return 1
    done
}

figure() { # script name bench
    published='' student='' model='' cpu='' sweep=''
    for word in $(sed -n 's/^# data: //p' "$1"); do
        path_of "$word" "$2" "$3" || return 0
        [ "$word" != published.csv ] || published=$path
        case $word in
        student.csv) student=$path ;;
        sweep.csv) sweep=$path ;;
        beside-cpu) cpu=$path ;;
        bench-model | student-model.csv) model=$path ;;
        esac
    done
    [ -z "$3" ] || has_rows "$1" "$2" "$3" || return 0
    draw "$1" "$2" "$3" || status=1
    highlights "$1" "$2" "$3"
}

# The same with some curves in colour, for slides: NAME-KEY.pdf.
highlights() { # script name bench
    case " ${FORMATS:-pdf} " in *' pdf '*) ;; *) return ;; esac
    for word in $(sed -n 's/^# highlights: //p' "$1"); do
        draw "$1" "$2-${word%%=*}" "$3" "$(echo "${word#*=}" | tr , ' ')" pdf ||
            status=1
    done
}

# A figure of timing data, once for each file of the list.
figures() { # script name list
    [ -n "$3" ] || { figure "$1" "$2" "" && return; }
    suffix=
    while read -r bench; do
        [ -n "$bench" ] || continue
        figure "$1" "$2$suffix" "$bench"
        next=$(echo "$3" | sed -n "\\|^$bench\$|{n;p;}")
        suffix=-$(basename "$next" .csv | sed 's/^bench-//')
    done <<LIST
$3
LIST
}

for script in ${FIGURES:-"$here"/*.gp}; do
    name=$(basename "$script" .gp)
    script=$here/$name.gp
    case $name in style | bench | model | labels) continue ;; esac
    # What was drawn before is not today's.
    rm -f "$out/$name".svg "$out/$name".png "$out/$name".pdf "$out/$name"-[0-9]*.pdf
    case $(sed -n 's/^# data: //p' "$script") in
    '')
        say "$name.gp names no data"
        status=1
        ;;
    *bench-model*bench-gpu*) figures "$script" "$name" "${of_model:-$gpus}" ;;
    # A file of one machine, beside timing data of the same one.
    *-h200.csv*bench-gpu*) figures "$script" "$name" "${gpus%%"$newline"*}" ;;
    *bench-gpu*) figures "$script" "$name" "$gpus" ;;
    *bench-cpu*) figures "$script" "$name" "$cpus" ;;
    *) figure "$script" "$name" "" ;;
    esac
done
printf '%s%s%s' "$gpus" "$cpus" "$models" | while read -r file; do
    say "$(basename "$file") is of $(ask origin "$file")"
done
[ $status != 0 ] || echo "plots: figures are in $out"
exit $status
