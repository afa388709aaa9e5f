#!/bin/sh
# SPDX-License-Identifier: MIT
#
# build.sh PLOTS OUT [DECK...]: sets every deck NN-name.tex of this folder, or
# those named, as OUT/NN-name.pdf, and with the speaker's notes beside each slide
# as OUT/NN-name-notes.pdf. PLOTS is the folder of figures (make plots).
#   exit 0  all were set; a line that sticks out by more than 2 pt is a warning
#   exit 1  LaTeX found an error: its words and the line are shown
set -u
here=$(cd "$(dirname "$0")" && pwd)
plots=$(cd "$1" && pwd) || exit 1
mkdir -p "$2/log" || exit 1
out=$(cd "$2" && pwd)
shift 2

# One pass; LaTeX's log lies in $out/log.
pass() { # job what
    (cd "$here" && TEXINPUTS="$here:$plots:$out/log:" max_print_line=1000 \
        pdflatex -interaction=batchmode -halt-on-error -file-line-error \
        -output-directory "$out/log" -jobname "$1" "$2" >/dev/null 2>&1)
}

# What LaTeX says went wrong, from its log.
complain() { # job
    echo "slides: $1: LaTeX stopped:" >&2
    grep -A 3 -E '^(!|[^ ]+:[0-9]+:) ' "$out/log/$1.log" | head -n 8 >&2
    echo "slides: the whole log is $out/log/$1.log" >&2
}

# Lines and slides that do not fit, and letters that are not there.
warn() { # job
    awk -v job="$1" '
        /^Overfull/ {
            # Once, though a slide built step by step has it on each page.
            if (!seen[$0]++ && match($0, /\([0-9.]+pt/) &&
                substr($0, RSTART + 1, RLENGTH - 3) + 0 > 2)
                print "slides: warning: " job ": " $0
        }
        /^Missing character/ { print "slides: warning: " job ": " $0 }' \
        "$out/log/$1.log" >&2
}

set_one() { # job what
    rm -f "$out/log/$1.pdf"
    for _ in 1 2 3; do
        pass "$1" "$2" || { complain "$1" && return 1; }
        grep -q '^LaTeX Warning: .*Rerun' "$out/log/$1.log" || break
    done
    warn "$1"
    mv "$out/log/$1.pdf" "$out/$1.pdf"
}

# For test_slides.sh and people: how many slides; one that is built step by step
# has a page for each step.
frames() { # job
    grep -c 'beamer@framepages' "$out/log/$1.nav"
}

deck() { # name
    if [ ! -r "$here/$1.tex" ]; then
        echo "slides: there is no deck $1" >&2
        return 1
    fi
    set_one "$1" "\\input{$1.tex}" && set_one "$1-notes" \
        "\\def\\withnotes{}\\input{$1.tex}" || return 1
    echo "slides: $1.pdf, $(frames "$1") slides"
}

# Two decks at a time; what they say comes in their order.
[ $# != 0 ] || set -- "$here"/[0-9]*.tex
words=$(mktemp -d)
trap 'rm -rf "$words"' EXIT
n=0
for deck; do
    n=$((n + 1))
    (deck "$(basename "$deck" .tex)" || echo failed >"$words/$n.failed") \
        >"$words/$n.out" 2>"$words/$n.err" &
    [ $((n % 2)) = 1 ] || wait
done
wait
status=0
for k in $(seq "$n"); do
    cat "$words/$k.out"
    cat "$words/$k.err" >&2
    [ ! -e "$words/$k.failed" ] || status=1
done
exit $status
