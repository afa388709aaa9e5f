#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every lab has a deck; each is set without an error or a line that sticks out, has
# 10 to 20 slides, a note on every slide, a question slide and its sources at the
# end. A deck with a mistake fails with LaTeX's words.
set -u
for need in pdflatex gnuplot; do
    command -v $need >/dev/null || {
        echo "SKIP: $need is not installed (make slides installs it)"
        exit 77
    }
done
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"

FORMATS=pdf plots/draw.sh "$scratch/plots" >/dev/null 2>&1 || object "no figures"
slides/build.sh "$scratch/plots" "$scratch/out" >"$scratch/said" \
    2>"$scratch/words" || object "a deck was not set"
[ ! -s "$scratch/words" ] || {
    object "errors or warnings:"
    cat "$scratch/words"
}

# Frames without a note, and what else a deck must have.
lint() { # deck
    awk '
        /^\\titleframe\{|^\\begin\{frame\}/ {
            if (open) print "a frame without a note before line " NR
            open = 1; frames++
        }
        /^\\titleframe\{|^\\note\{/ { open = 0 }
        /^\\begin\{frame\}.*\{Questions for you\}/ { asks = 1 }
        /^\\begin\{frame\}.*\{Sources\}/ { sources = frames }
        /includegraphics/ { print "line " NR ": figures come by \\plot" }
        END {
            if (open) print "the last frame has no note"
            if (!asks) print "no question slide"
            if (sources != frames) print "the last slide is not the sources"
        }' "$1"
}
for lab in labs/[0-9]*; do
    name=$(basename "$lab")
    [ -r "slides/$name.tex" ] || { object "no deck for $name" && continue; }
    words=$(lint "slides/$name.tex")
    [ -z "$words" ] || object "$name: $words"
    for pdf in "$name" "$name-notes"; do
        [ -s "$scratch/out/$pdf.pdf" ] || object "no $pdf.pdf"
    done
    pages=$(sed -n "s/^slides: $name.pdf, \([0-9]*\) slides/\1/p" \
        "$scratch/said")
    [ "${pages:-0}" -ge 10 ] && [ "${pages:-0}" -le 20 ] ||
        object "$name has ${pages:-no} slides"
done

# Mistakes are found: LaTeX's, a line too long, a figure that is not there.
cp -r slides "$scratch/slides"
mistake() { # text words
    printf '%s\n' '\input{style.tex}' '\deck{9}{A}{B}' '\begin{document}' \
        "\\begin{frame}{C}$1\\note{D}\\end{frame}" '\end{document}' \
        >"$scratch/slides/99-mistake.tex"
    "$scratch/slides/build.sh" "$scratch/plots" "$scratch/out" 99-mistake \
        >"$scratch/words" 2>&1
    status=$?
    grep -qF "$2" "$scratch/words" || {
        object "'$1' does not say '$2':"
        cat "$scratch/words"
    }
    return $status
}
! mistake '\nosuchcommand' 'Undefined control sequence' ||
    object "an unknown command went through"
! mistake '\plot{nosuchfigure}' 'nosuchfigure' ||
    object "a missing figure went through"
mistake '\mbox{\rule{20cm}{1mm}}' 'Overfull \hbox' ||
    object "a wide line is an error"
mistake '\rule{1mm}{20cm}' 'Overfull \vbox' || object "a tall slide is an error"

echo "$(wc -l <"$scratch/said") decks, $failures failures"
[ "$failures" = 0 ]
