#!/bin/sh
# SPDX-License-Identifier: MIT
# docs_test.sh VGPU PAGE COUNTERS FINDINGS: the tool's page is in step with the tool: every option of --help is on the page
# and every option on the page in --help; the tables of counters and findings are those of the .def files.
set -u
vgpu=$1 page=$2 counters=$3 findings=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "FAIL: $1"
    failures=$((failures + 1))
}
"$vgpu" --help | grep -o -e '--[a-z][a-z-]*' | sort -u >"$folder/help"
# The table of options; nvcc's options elsewhere on the page are not ours.
sed -n '/^## Options/,/^## Exit/p' "$page" | grep -o -e '--[a-z][a-z-]*' | sort -u >"$folder/page"
[ "$(wc -l <"$folder/help")" -ge 16 ] || fail "--help names only $(wc -l <"$folder/help") options"
for option in $(comm -23 "$folder/help" "$folder/page"); do fail "$option is in --help, not among the page's options"; done
for option in $(comm -13 "$folder/help" "$folder/page"); do fail "$option is on the page, not in --help"; done
# In sessions and prose as well.
grep -o -e 'vgpu [^`|]*--[a-z][a-z-]*' -e '`--[a-z][a-z-]*' "$page" | grep -o -e '--[a-z][a-z-]*' | sort -u |
    comm -23 - "$folder/help" >"$folder/stray"
for option in $(cat "$folder/stray"); do fail "the page uses $option, which --help does not know"; done
# in_step DEF ROWS: each row made from the .def is on the page, and the page has no more of them.
in_step() {
    while IFS= read -r row; do grep -qxF -- "$row" "$page" || fail "missing on the page: $row"; done <"$2"
    [ -s "$2" ] || fail "no rows in $1"
}
sed -n 's/^X([A-Z0-9_]*, "\([a-z0-9_]*\)", \([A-Z]*\), "\(.*\)")$/\1 \2 \3/p' "$counters" |
    while read -r name scope text; do
        echo "| \`$name\` | $(echo "$scope" | tr 'A-Z' 'a-z') | $text |"
    done >"$folder/counters"
sed -n 's/^X([A-Z_]*, "\([a-z-]*\)", \([A-Z]*\), "\(.*\)")$/\1 \2 \3/p' "$findings" |
    while read -r name check text; do
        echo "| \`$name\` | $(echo "$check" | tr 'A-Z' 'a-z') | $text |"
    done >"$folder/findings"
in_step "$counters" "$folder/counters"
in_step "$findings" "$folder/findings"
listed=$(grep -cE '^\| `[a-z0-9_-]+` \| (line|launch|device|always|[a-z]+check) \|' "$page")
wanted=$(cat "$folder/counters" "$folder/findings" | wc -l)
[ "$listed" -eq "$wanted" ] || fail "the page has $listed rows of counters and findings, not $wanted"
[ "$wanted" -ge 40 ] || fail "only $wanted rows were made from the .def files"
"$vgpu" --list-devices | while IFS= read -r row; do
    grep -qF -- "$row" "$page" || echo "missing on the page: $row"
done >"$folder/devices"
[ ! -s "$folder/devices" ] || fail "$(cat "$folder/devices")"
[ "$failures" -eq 0 ]
