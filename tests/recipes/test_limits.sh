#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each recipe of limits.txt has a patch that applies to this tree, touches no
# more files than it may, and says how to see that it works; CONTRIBUTING.md has
# a section for it that names these files.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/recipes
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# In a patch: does it apply, and is it complete?
check_patch() {
    for file in $files; do
        mkdir -p "$scratch/tree/$(dirname "$file")"
        [ ! -f "$file" ] || cp "$file" "$scratch/tree/$file"
    done
    patch -s -d "$scratch/tree" -p1 <"$1" >"$scratch/words" 2>&1 ||
        fail "$1 does not apply: $(cat "$scratch/words")"
    rm -rf "$scratch/tree"
    grep -q '^build: .' "$1" && grep -q '^shows: .' "$1" ||
        fail "$1 does not say what to build and what it shows"
}

grep -v '^#' $here/limits.txt >"$scratch/limits"
while read -r recipe most folder; do
    patch=$here/$recipe.patch
    if [ -n "$folder" ]; then
        files=$(find "$folder" -type f)
    elif [ -f "$patch" ]; then
        files=$(sed -n 's|^+++ b/||p' "$patch")
        check_patch "$patch"
    else
        fail "$patch is missing" && continue
    fi
    n=$(echo "$files" | grep -c .)
    [ "$n" -ge 1 ] && [ "$n" -le "$most" ] ||
        fail "$recipe touches $n files, at most $most"
    for file in $files; do
        grep -qF -e "$file" -e "$(dirname "$file")/" CONTRIBUTING.md ||
            fail "CONTRIBUTING.md does not name $file, of $recipe"
    done
    echo "$recipe: $n of $most files"
done <"$scratch/limits"
[ -s "$scratch/limits" ] || fail "no recipes"
for patch in $here/*.patch; do
    recipe=$(basename "$patch" .patch)
    grep -q "^$recipe " "$scratch/limits" || fail "$recipe has no limit"
done
[ "$failures" = 0 ]
