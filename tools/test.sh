#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test.sh BUILD [--part K/N] [CTEST OPTION...]: runs the tests of a build folder,
# or of each N of them the Kth and the fixtures that these need, and closes
# with a line that counts them. What was skipped is named with its reason: a
# test that cannot run here prints "SKIP: why" and exits with 77.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
shift
if [ "${1:-}" = --part ]; then
    part=$2
    shift 2
    k=${part%/*} n=${part#*/}
    if ! echo "$part" | grep -qx '[1-9][0-9]\{0,3\}/[1-9][0-9]\{0,3\}' ||
        [ "$k" -gt "$n" ]; then
        echo "ScanLab: PART is K/N, such as 1/3, not $part" >&2
        exit 2
    fi
    set -- -I "$k,,$n" "$@"
fi

# Two runs would write into the same folders.
# Python keeps nothing beside sources: the build looks whether a folder has changed.
export PYTHONDONTWRITEBYTECODE=1
exec 9>"$build/tests.lock"
flock -n 9 || {
    echo "ScanLab: waiting for another run of the tests in $build to end" >&2
    flock 9
}
# The interpreter itself: python3 may be a script that looks for one, which takes
# longer than most tests that are written in it, and they are hundreds.
python=$(python3 -ISc 'import sys; print(sys.executable)' 2>/dev/null)
if [ -x "$python" ] && [ "$python" != "$(command -v python3)" ]; then
    mkdir -p "$build/python"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$build/python/python3"
    chmod +x "$build/python/python3"
    PATH=$PWD/$build/python:$PATH
fi
report=$PWD/$build/tests.xml
rm -f "$report"
ctest --test-dir "$build" --output-on-failure --no-tests=error \
    --test-output-size-passed 10000000 --test-output-size-failed 10000000 \
    --output-junit "$report" "$@" 9>&-
status=$?
[ -r "$report" ] || {
    echo "ScanLab: no test ran; make test-all has more than make test" >&2
    exit 2
}
awk -f tools/count-tests.awk "$report" || status=1
exit $status
