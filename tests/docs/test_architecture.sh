#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_architecture.sh PAGE BUILD: every test that the page's table "What a test
# checks" names is there, a * standing for anything; each row names one; and
# "Folders" has every folder of the sources.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ctest --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$scratch/tests"
sed -n '/^## What a test checks/,/^## Set-up/p' "$1" | grep '^| [^|-]' |
    tail -n +2 >"$scratch/rows"
failures=0
while IFS='|' read -r _ what names _; do
    echo "$names" | grep -o '`[^`]*`' | tr -d '`' >"$scratch/names"
    [ -s "$scratch/names" ] || { echo "no test: $what" && failures=1; }
    while read -r name; do
        pattern=$(echo "$name" | sed 's/\./[.]/g; s/\*/.*/g')
        grep -qx -e "$pattern" "$scratch/tests" ||
            { echo "there is no test $name" && failures=1; }
    done <"$scratch/names"
done <"$scratch/rows"
for folder in $(git ls-files 2>/dev/null | sed -n 's|^\([a-z]*/\).*|\1|p' | sort -u); do
    sed -n '/^## Folders/,/^## Rooms/p' "$1" | grep -q "^\(.* \)\{0,1\}$folder" ||
        { echo "$1 does not list $folder" && failures=1; }
done
rows=$(wc -l <"$scratch/rows")
echo "$rows rows, $(wc -l <"$scratch/tests") tests"
[ "$failures" = 0 ] && [ "$rows" -ge 20 ]
