#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_student.sh ROOT SCANLAB: a hand-out of all labs, and what a student does
# first in a clone of it: it builds from nothing, grades 0 with TODOs, and says of
# what it lacks that it lacks it.
set -u
root=$1
export SCANLAB="$2"
[ -d "$root/.git" ] || [ -f "$root/.git" ] || {
    echo "SKIP: this copy of ScanLab is not a git repository"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset MAKEFLAGS MAKELEVEL MFLAGS SCANLAB_ROOT SCANLAB_CACHE
export SCANLAB_APT=0

expect() { # status text command...
    wanted=$1 text=$2
    shift 2
    "$@" >"$work/words" 2>&1
    got=$?
    if [ "$got" != "$wanted" ] || ! grep -qF -e "$text" "$work/words"; then
        echo "FAILED: $*: status $got, not $wanted, or no '$text' in:"
        tail -n 30 "$work/words"
        failures=1
    fi
}

expect 0 "10 labs, no solution found, graded 0 of 1000" \
    "$root/tools/release.py" "$work/out"
[ -x "$SCANLAB" ] && unset SCANLAB
git clone -q "$work/out" "$work/clone" && cd "$work/clone" || exit 1
mkdir build # the compiler is fetched once, elsewhere
[ ! -d "$root/build/cuda" ] || ln -s "$root/build/cuda" build/cuda
[ -z "${SCANLAB_NVCC:-}" ] && [ -r "$root/build/nvcc-path" ] &&
    SCANLAB_NVCC=$(cat "$root/build/nvcc-path") && export SCANLAB_NVCC
expect 1 "0/1000" make grade
cp "$work/words" "$work/graded"
grep -q TODO "$work/graded" || { echo "no TODO" && failures=1; }
grep -q '^ *FAIL' "$work/graded" && { echo "a FAIL" && failures=1; }
expect 1 "0/100" ./scanlab grade cpu-scan
expect 2 "this copy of ScanLab has no tests/" make test
expect 2 "this copy of ScanLab has no docs/Doxyfile.in" make docs
expect 2 "this copy of ScanLab has no slides/" make slides
expect 2 "this copy of ScanLab has no reference/" make student
expect 2 "this copy of ScanLab has no reference/" make release OUT=x
if command -v gnuplot >/dev/null; then
    expect 0 "" make plots
    [ -s build/plots/traffic.svg ] || { echo "no figure" && failures=1; }
fi
[ -z "$(git status --porcelain)" ] || { git status --short && failures=1; }
exit $failures
