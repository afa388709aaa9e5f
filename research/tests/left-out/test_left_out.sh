#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_left_out.sh ROOT: a copy of ScanLab without research/ configures, has all
# other tests, and passes those that look at includes, pages and their tables.
set -u
cd "$1" || exit 1
work=$(mktemp -d) # outside of any repository
trap 'rm -rf "$work"' EXIT
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$work" || exit 1
cd "$work" || exit 1
unset MAKEFLAGS

fail() {
    echo "FAILED: $*"
    tail -n 30 words
    exit 1
}
names() { # FILE: those of the tests of this copy
    rm -rf build
    cmake --preset default >words 2>&1 || fail "it does not configure"
    ctest --test-dir build -N | sed -n 's/^ *Test *#[0-9]*: //p' | sort >"$1"
}
names with
mv research .gone
names without
grep -vE '^(on_gpu|pages|research)[.]|^clock[.]validation$' with >rest
cmp -s rest without || { diff rest without >words; fail "other tests"; }
for test in tools/rooms.py tools/markdown.py tests/plots/test_tables.sh; do
    "$test" >words 2>&1 || fail "$test"
done
echo "it does without research/"
