#!/bin/sh
# SPDX-License-Identifier: MIT
# docs_test.sh VGPU DOCS: the tool's page is in step with the tool: every option of --help is on the page and every
# option on the page in --help; its tables and its list of devices are what the tool's tables say.
set -u
vgpu=$1 docs=$2 page=$2/vgpu.md
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
"$docs/vgpu-page.py" || fail "the page's tables"
"$vgpu" --list-devices | while IFS= read -r row; do
    grep -qF -- "$row" "$page" || echo "missing on the page: $row"
done >"$folder/devices"
[ ! -s "$folder/devices" ] || fail "$(cat "$folder/devices")"
[ "$failures" -eq 0 ]
