#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The rules for Markdown hold in every committed page, and tools/markdown.py
# sees each of them broken.
set -u
# shellcheck source=../tools/objects.sh
. "$(dirname "$0")/../tools/objects.sh"
check() { python3 tools/markdown.py "$@" >"$scratch/words" 2>&1; }
command -v python3 >/dev/null || { echo "SKIP: no python3" && exit 77; }

check || object "the committed pages"

page=$scratch/page.md
wide=$(printf '%0100d' 0)
# breaks WORDS LINE: a page with this line is objected to, with these words.
breaks() {
    printf '# A heading, `code` & more\n\n%s\n' "$2" >"$page"
    ! check "$page" || object "passes: $2"
    grep -q "page.md:3: $1" "$scratch/words" || object "does not say $1"
}
breaks '106 columns' "- two $wide"
breaks '125 columns' "    $wide $(printf '%020d' 0)"
breaks 'none.md: there is no such file' 'A [link](none.md).'
breaks '#none: no such heading' 'A [link](#none).'
none=docs/none # so that this file does not name the page
breaks "$none.md: there is no such file" "See $none.md."
breaks 'tools/none.sh: there is no such file' 'See `tools/none.sh`.'
breaks "'cards' is retired" 'Old cards do.'
# keeps LINE: a page with this line passes.
keeps() {
    printf '# A heading, `code` & more\n\n%s\n' "$1" >"$page"
    check "$page" || object "does not pass: $1"
}
keeps "- [$wide](https://example.org)"
keeps "| two | $wide |"
keeps "    two $wide"
keeps '[To](#a-heading-code--more), [to](page.md), `[to](none.md)`.'
keeps 'A "card", as they say; `card`; cardinal.'
keeps '`tools/markdown.py`, `tests/LAB/NAME.patch`, `tools/*.py`, `none.sh`'

# Wrapping changes line ends and nothing else; what is wrapped passes.
{
    echo '# Page'
    printf '\n- item'
    printf ' word [a link](#page) 17 us `some code`%.0s' 1 2 3 4 5 6 7 8
    printf '\n- item\n\n> quoted'
    printf ' more words%.0s' 1 2 3 4 5 6 7 8 9 10 11 12
    printf '\n\n| a | b |\n'
} >"$page"
tr -s ' \n' '\n\n' <"$page" >"$scratch/before"
check --wrap "$page" || object "what was wrapped"
tr -s ' \n' '\n\n' <"$page" | grep -vx '>' >"$scratch/after"
grep -vx '>' "$scratch/before" | cmp -s - "$scratch/after" ||
    object "wrapping changes words"
grep -q '17 us$\|17 us ' "$page" || object "a number lost its unit"

echo "$failures failures"
[ "$failures" = 0 ]
