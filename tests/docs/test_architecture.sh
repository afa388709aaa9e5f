#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_architecture.sh BUILD: every test that the table of docs/tests.md names is
# there, a * standing for anything; each row names one. docs/architecture.md has
# every folder of the sources, the maps of tests/README.md and vgpu/tests/README.md
# every folder of tests, docs/README.md and vgpu/README.md every page. What is to be read before the first change is short.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$scratch/tests"
sed -n '/^## What a test checks/,/^## What a push/p' docs/tests.md | grep '^| [^|-]' |
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
# lists PAGE TEXT PATTERN: each NAME that TEXT makes of a path stands in the page
# as in PATTERN.
lists() {
    for name in $(git ls-files 2>/dev/null | sed -n "$2" | sort -u); do
        grep -q "$(echo "$3" | sed "s|NAME|$name|")" "$1" ||
            { echo "$1 does not list $name" && failures=1; }
    done
}
sed -n '/^## Folders/,/^## Rooms/p' docs/architecture.md >"$scratch/Folders"
lists "$scratch/Folders" 's|^\([a-z]*/\).*|\1|p' '^\(.* \)\{0,1\}NAME'
lists tests/README.md 's|^tests/\([a-z0-9]*\)/.*|\1|p' '^| .*`NAME[`/].* |'
lists vgpu/tests/README.md 's|^vgpu/tests/\([a-z0-9]*\)/.*|\1|p' '^| .*`NAME[`/].* |'
lists docs/README.md 's|^docs/\([a-z-]*[.]md\)$|\1|p' '(NAME)'
lists docs/README.md 's|^vgpu/docs/\([a-z-]*[.]md\)$|\1|p' '(../vgpu/docs/NAME)'
lists vgpu/README.md 's|^vgpu/docs/\([a-z-]*[.]md\)$|\1|p' '(docs/NAME)'
words=$(cat README.md CONTRIBUTING.md docs/architecture.md | wc -w)
[ "$words" -le 5000 ] || {
    echo "README.md, CONTRIBUTING.md and docs/architecture.md have $words words, not 5000:" \
        "docs/parts.md is for what the first change does without"
    failures=1
}
rows=$(wc -l <"$scratch/rows")
echo "$words words, $rows rows, $(wc -l <"$scratch/tests") tests"
[ "$failures" = 0 ] && [ "$rows" -ge 20 ]
