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

grep -v '^#' $here/limits.txt >"$scratch/limits"
while read -r recipe most; do
    patch=$here/$recipe.patch
    [ -f "$patch" ] || { fail "$patch is missing" && continue; }
    files=$(sed -n 's|^+++ b/||p' "$patch")
    n=$(echo "$files" | wc -l)
    [ "$n" -le "$most" ] || fail "$recipe touches $n files, at most $most"
    for file in $files; do
        mkdir -p "$scratch/tree/$(dirname "$file")"
        [ ! -f "$file" ] || cp "$file" "$scratch/tree/$file"
        grep -qF "\`$file\`" CONTRIBUTING.md ||
            grep -qF "\`$(dirname "$file")/" CONTRIBUTING.md ||
            fail "CONTRIBUTING.md does not name $file, of $recipe"
    done
    patch -s -d "$scratch/tree" -p1 <"$patch" >"$scratch/words" 2>&1 ||
        fail "$patch does not apply: $(cat "$scratch/words")"
    rm -rf "$scratch/tree"
    grep -q '^build: .' "$patch" && grep -q '^shows: .' "$patch" ||
        fail "$patch does not say what to build and what it shows"
    echo "$recipe: $n of $most files"
done <"$scratch/limits"
[ "$(wc -l <"$scratch/limits")" -ge 1 ] || fail "no recipes"
for patch in $here/*.patch; do
    recipe=$(basename "$patch" .patch)
    grep -q "^$recipe " "$scratch/limits" || fail "$recipe has no limit"
done
[ "$failures" = 0 ]
