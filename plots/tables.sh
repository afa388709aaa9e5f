#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tables.sh: tables in Markdown, made from timing data, so that no number in the
# documentation is typed by hand.
#   tables.sh NAME CSV           prints one table (bars, orders, tuples,
#                                applications, small, ladder, cpu; reached,
#                                widths, floor, smaller and pivot:GROUP of
#                                measurements that scanlab bench did not make)
#   tables.sh --write DOC...     makes every table of these files anew
#   tables.sh --check DOC...     fails when one is not what its CSV says
# In a file a table stands between two lines, and CSV is a file of plots/data:
#   <!-- table NAME CSV -->
#   <!-- end of table -->
#   exit 0  written, or all as they should be
#   exit 1  a table is out of date, or cannot be made
set -u
here=$(cd "$(dirname "$0")" && pwd)

table() { # name csv
    if [ ! -r "$2" ]; then
        echo "tables.sh: there is no $2" >&2
        return 1
    fi
    origin=$(awk -v want=origin -f "$here/csv.awk" "$2")
    case $1 in
    reached | widths | floor | smaller | pivot:*)
        grep -v '^#' "$2" | awk -v table="$1" -v origin="$origin" \
            -v file="$(basename "$2")" -f "$here/steps.awk"
        return
        ;;
    esac
    words=$(awk -v want=check -f "$here/csv.awk" "$2") || {
        echo "$words" >&2
        return 1
    }
    awk -v want=print -f "$here/csv.awk" "$2" |
        awk -v table="$1" -v origin="$origin" -v file="$(basename "$2")" \
            -f "$here/tables.awk"
}

# The file with its tables made anew.
renewed() { # doc
    inside=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '<!-- table '*' -->')
            [ -z "$inside" ] || { echo "$1: a table in a table" >&2 && return 1; }
            inside=yes
            echo "$line"
            line=${line#<!-- table } line=${line% -->}
            echo
            table "${line% *}" "$here/data/${line#* }" || return 1
            echo
            ;;
        '<!-- end of table -->')
            inside=
            echo "$line"
            ;;
        *) [ -n "$inside" ] || printf '%s\n' "$line" ;;
        esac
    done <"$1"
    [ -z "$inside" ] || { echo "$1: a table without an end" >&2 && return 1; }
}

mode=${1:-}
case $mode in
--write | --check) shift ;;
*)
    [ $# = 2 ] || { sed -n 's/^# \{0,1\}//; 3,16p' "$0" >&2 && exit 1; }
    table "$1" "$2"
    exit
    ;;
esac
new=$(mktemp)
trap 'rm -f "$new"' EXIT
status=0
for doc; do
    if ! renewed "$doc" >"$new"; then
        status=1
    elif cmp -s "$doc" "$new"; then
        continue
    elif [ "$mode" = --write ]; then
        cat "$new" >"$doc"
    else
        echo "tables.sh: $doc: a table is not what its CSV says" \
            "(mend with plots/tables.sh --write $doc):" >&2
        diff "$doc" "$new" | head -n 6 >&2
        status=1
    fi
done
exit $status
