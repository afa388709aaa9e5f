#!/bin/sh
# SPDX-License-Identifier: MIT
#
# student.sh SUBMISSION: counts a student's own solutions on the virtual GPU and
# writes the CSV that student_traffic.gp draws beside the references' counts: the
# series of count.sh that are right. `make plots` calls it with the folder that
# was last graded. A series that is wrong is named on standard error.
#   SCANLAB=PATH   the program (build/bin/scanlab)
#   exit 1         none is right: there is nothing to draw
set -u
here=$(cd "$(dirname "$0")" && pwd)
submission=$(cd "$1" && pwd) || exit 1
# Its name is chosen by whoever handed it in: it goes to a terminal and a figure.
shown=$(printf '%s' "$submission" | LC_ALL=C tr -c '[:print:]' '?')
name=$(printf '%s' "${submission##*/}" | LC_ALL=C tr -c 'A-Za-z0-9._-' _)
# shellcheck source=plots/count.sh
. "$here/count.sh"

# Prints a series' lines, or nothing when one is not right.
whole_series() { # series
    lines=
    for n in 256 1024 4096 16384 65536; do
        line=$(count_series "$1" "$n" 2>&1)
        case $line in
        "$1",*) lines="$lines$line
" ;;
        *)
            line=$(echo "$line" | tail -n 1)
            line=${line#counts of "$1": }
            [ "$line" = "n = $n: not implemented yet" ] ||
                printf '%s\n' "plots: $1 of $shown is not drawn: $line" >&2
            return 1
            ;;
        esac
    done
    printf '%s' "$lines"
}

rows=$(for series in $(series_table | cut -d'|' -f1); do
    whole_series "$series"
done)
[ -n "$rows" ] || {
    printf '%s\n' "plots: no scan in $shown is right yet: nothing of it to draw" >&2
    exit 1
}
count_header | sed "s/counts of the virtual GPU/counts of $name, virtual GPU/"
echo "$rows"
