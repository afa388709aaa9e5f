#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make_student.sh [FOLDER]: makes the stubs (student/, or FOLDER) from
# reference/, which is the single source: each block
#     #ifdef SOLUTION ... #else ... #endif
# is left with its #else part. A stub that was worked on is overwritten; git has
# the old one. Without FOLDER labs/*/given.txt is made, too.
#
# make_student.sh --check: changes nothing; exit 1 and a diff when the stubs are
# not what reference/ makes, when one has no reference, or the other way round.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "make_student: $*" >&2
    exit 1
}

stubs_into() { # folder
    for source in reference/*.c reference/*.cu; do
        [ -e "$source" ] || continue
        stub=$1/$(basename "$source")
        status=0
        unifdef -USOLUTION -o "$stub" "$source" || status=$?
        case $status in
        0) fail "$source has no SOLUTION block: its stub would give it away" ;;
        1) ;; # unifdef's way to say that it changed something
        *) fail "unifdef could not read $source" ;;
        esac
        ! grep -n SOLUTION "$stub" || fail "$source: SOLUTION is still in its stub"
    done
}

if [ "${1:-}" = --check ]; then
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    stubs_into "$made"
    diff -ru --exclude='*.md' --exclude='.*' \
        --exclude=Makefile --exclude=compile_commands.json student "$made" ||
        fail "student/ is not what reference/ makes; 'make student' mends it"
    tools/given.py reference labs --check ||
        fail "labs/*/given.txt is not what reference/ makes; 'make student' mends it"
else
    mkdir -p "${1:-student}"
    stubs_into "${1:-student}"
    [ -n "${1:-}" ] || tools/given.py reference labs
fi
