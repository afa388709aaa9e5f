#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_left_out.sh ROOT: a copy of ScanLab without timing/ (and research/, which
# measures what is in it) configures and builds, and passes the tests that look at includes, pages, figures' data and
# the command line; `scanlab bench` says what is missing.
set -u
cd "$1" || exit 1
work=$(mktemp -d) # outside of any repository
trap 'rm -rf "$work"' EXIT
tar -cf - --exclude=./build --exclude=./.git --exclude=./timing \
    --exclude=./research . |
    tar -xf - -C "$work" || exit 1
cd "$work" || exit 1
[ ! -e timing ] || exit 1

fail() {
    echo "FAILED: $*"
    tail -n 30 words
    exit 1
}
# Not optimised and for one instruction set: it is to compile, not to be fast.
unset MAKEFLAGS
cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS=-DVGPU_ONE_ISA -DVGPU_WERROR=ON >words 2>&1 ||
    fail "it does not configure"
ninja -C build programs >words 2>&1 || fail "it does not build"
! ninja -C build -t targets all 2>/dev/null | grep -q 'scanlab[-_]bench' ||
    fail "there is a scanlab-bench"
# docs.architecture asks for tests by name, this one too.
ctest --test-dir build -R '^(rooms|docs|plots|cli)[.]' \
    -E '^(plots[.](counts|student|draw|model)|docs[.]architecture)' --output-on-failure --no-tests=error >words 2>&1 || fail "a test"
build/bin/scanlab bench --help >words 2>&1
[ $? = 2 ] && grep -q 'scanlab-bench: this copy of ScanLab was built without' words ||
    fail "scanlab bench"
build/bin/scanlab bench --clock -s reference naive -n 1024 >words 2>&1 &&
    grep -q '^reference/naive,inclusive_sum,int32,1,1,1024,1,.*,model h200$' words ||
    fail "no model time"
build/bin/scanlab grade cpu-scan -s reference --check inclusive >words 2>&1 ||
    fail "it does not grade"
echo "it does without timing/"
