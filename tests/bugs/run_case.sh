#!/bin/sh
# SPDX-License-Identifier: MIT
# run_case.sh VGPU PROGRAM SOURCE.cu CASE FOLDER: runs one case that the source's comments describe.
#
#   // case NAME [arguments of the program]
#   //   vgpu: options. The case runs once, or, when SEED stands in them, once per seed; several lines: each of them.
#   //   seeds: N             1..N instead of 1..5 (environment BUGS_SEEDS: instead of either)
#   //   finding: KIND at LABEL   the report must have it, at the line that ends in "// BUG LABEL" ("-": no line);
#   //                            no finding of a kind that no such line names may be there
#   //   no findings
#   //   other: LABEL         and a finding's other access is at that line
#   //   says: words          of one of the expected findings' text
#   //   stdout: words        somewhere on the program's stdout
#   //   exit: CODE           of vgpu; default 86 with findings, 0 without
#   //   at-least: N of M     not every seed has to show it, but this share
#
#   //   once: reason         why two runs may differ (host threads, say)
#   //   not on a card: reason    timing/on-gpu/programs.sh leaves it out
#
# The first run of each option line is done twice: both reports must be the same to the byte, unless "once:" says why not.
set -u
vgpu=$1 program=$2 source=$3 name=$4 folder=$5
work=$folder/$name
mkdir -p "$work" || exit 1
spec=$work/spec
awk -v name="$name" '
    $1 == "//" && $2 == "case" { on = $3 == name; if (on) print; next }
    on && /^\/\/   / { print; next }
    { on = 0 }' "$source" >"$spec"
[ -s "$spec" ] || { echo "$source has no case $name"; exit 1; }
says() { sed -n "s|^//   $1: *||p" "$spec"; }
arguments=$(sed -n "s|^// case $name *||p" "$spec")

line_of() { # LABEL
    [ "$1" = - ] && { echo 0; return; }
    at=$(grep -nE "// BUG $1\$" "$source" | cut -d: -f1)
    case $at in
    '' | *[!0-9]*) echo "label $1: not on exactly one line" >&2; echo none ;;
    *) echo "$at" ;;
    esac
}
: >"$work/expected"
says finding | while read -r kind _ label; do
    echo "finding $kind $(line_of "$label")"
done >>"$work/expected"
says other | while read -r label; do
    echo "other $(line_of "$label")"
done >>"$work/expected"
says says | sed 's/^/says /' >>"$work/expected"
! grep -q none "$work/expected" || exit 1

wanted=$(says exit)
if [ -z "$wanted" ]; then
    wanted=0
    ! grep -q '^finding' "$work/expected" || wanted=86
fi

run() { # REPORT OPTIONS...: sets code
    report=$1
    shift
    # shellcheck disable=SC2086 # arguments are words
    timeout 60 "$vgpu" -o "$report" "$@" "$program" $arguments \
        >"$work/stdout" 2>"$work/stderr"
    code=$?
}

# What is wrong with the run, or nothing.
complaint() {
    [ "$code" -eq "$wanted" ] || { echo "exit code $code, not $wanted"; return; }
    says stdout | while read -r words; do
        grep -qF -- "$words" "$work/stdout" || echo "stdout lacks: $words"
    done
    awk -v file="$(basename "$source")" '
        FNR == NR {
            if ($1 == "finding") { kind[++n] = $2; line[n] = $3; known[$2] = 1 }
            if ($1 == "other") other[++n_other] = $2
            if ($1 == "says") words[++n_words] = substr($0, 6)
            next
        }
        /^[0-9]+\. / {
            found = 1; text = ""
            if (!($2 in known)) print "unexpected finding: " $0
            here = 0
            if (match($0, "/" file ":[0-9]+"))
                here = substr($0, RSTART + length(file) + 2,
                              RLENGTH - length(file) - 2)
            for (k = 1; k <= n; k++)
                if (kind[k] == $2 && line[k] == here) { seen[k] = 1; good = 1 }
            next
        }
        /^ +the other access: / {
            for (k = 1; k <= n_other; k++)
                if (index($0, file ":" other[k] ",")) other_seen[k] = 1
        }
        /^   / { for (k = 1; k <= n_words; k++) if (index($0, words[k])) said[k] = 1 }
        END {
            for (k = 1; k <= n; k++)
                if (!seen[k]) print "missing: " kind[k] " at line " line[k]
            for (k = 1; k <= n_other; k++)
                if (!other_seen[k]) print "missing: other access at line " other[k]
            for (k = 1; k <= n_words; k++)
                if (!said[k]) print "no finding says: " words[k]
        }' "$work/expected" "$work/report"
}

again() { echo "--- again: $vgpu $1 $program $arguments"; }

seeds=$(says seeds)
seeds=${BUGS_SEEDS:-${seeds:-5}}
runs=0 shown=0
says vgpu | {
    while read -r options; do
        seed=1
        while :; do
            # shellcheck disable=SC2046
            set -- $(echo "$options" | sed "s/SEED/$seed/g")
            run "$work/report" "$@"
            runs=$((runs + 1))
            problem=$(complaint)
            if [ -z "$problem" ]; then
                shown=$((shown + 1))
            elif [ -z "$(says at-least)" ]; then
                echo "$name: $problem"
                echo "--- stdout"; cat "$work/stdout"
                echo "--- stderr"; cat "$work/stderr"
                echo "--- report"; cat "$work/report"
                again "$*"
                exit 1
            fi
            if [ $seed -eq 1 ] && [ -z "$(says once)" ]; then
                mv "$work/stdout" "$work/stdout.first"
                run "$work/report.again" "$@"
                if ! cmp "$work/report" "$work/report.again" ||
                    ! cmp "$work/stdout.first" "$work/stdout"; then
                    echo "$name: the same command twice, two reports"
                    diff "$work/report" "$work/report.again"
                    again "$*"
                    exit 1
                fi
            fi
            case $options in *SEED*) ;; *) break ;; esac
            seed=$((seed + 1))
            [ $seed -le "$seeds" ] || break
        done
    done
    [ $runs -gt 0 ] || { echo "$name has no vgpu: line"; exit 1; }
    says at-least | while read -r least _ most; do
        [ $((shown * most)) -ge $((least * runs)) ] || {
            echo "$name: shown in $shown of $runs runs, not $least of $most"
            exit 1
        }
    done || exit 1
    echo "$name: $shown of $runs runs as expected"
}
