#!/bin/sh
# SPDX-License-Identifier: MIT
#
# .ci/run with stand-ins for its steps: failures of any kind reach its exit
# status, and its last line counts.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

mkdir -p "$scratch/.ci" "$scratch/tools" "$scratch/tests/setup" "$scratch/bin" \
    "$scratch/vgpu/tests"
cp "$root/.ci/run" "$scratch/.ci/"
stand_in() { # name text
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/$1"
    chmod +x "$scratch/$1"
}
good() {
    stand_in tools/setup.sh :
    stand_in tools/build.sh :
    stand_in vgpu/tests/alone.sh :
    # shellcheck disable=SC2016 # for the stand-in to expand
    stand_in tests/setup/without.sh 'echo "without $*"; shift; exec "$@"'
    stand_in tools/test.sh 'echo "ScanLab: 5 tests passed, 0 failed, 0 skipped"'
    stand_in bin/make '[ "$1" != grade ] || exit 1
        [ "$1" != test ] || {
        echo "  skipped: gpu.copy: no GPU"
        echo "ScanLab: 8 tests passed, 0 failed, 1 skipped"; }'
}
ci() {
    run env PATH="$scratch/bin:$PATH" "$scratch/.ci/run"
}
last() {
    out=$(printf '%s\n' "$out" | tail -n 1)
}

good
ci
expect_status 0
expect "skipped: gpu.copy: no GPU"
expect "without test make grade"
expect_not "skipped: make grade"
last
expect "ScanLab: 8 tests passed, 0 failed, 1 skipped"

stand_in tests/setup/without.sh 'exit 77'
ci
expect_status 0
expect "skipped: make grade on a machine without cmocka"

good
stand_in vgpu/tests/alone.sh 'exit 1'
ci
expect_status 1
expect "failed steps: vgpu"

good
stand_in bin/make '[ "$1" != docs ] || exit 2
[ "$1" != grade ] || exit 1
[ "$1" != test ] || echo "ScanLab: 8 tests passed, 0 failed, 0 skipped"'
ci
expect_status 1
expect "failed steps: docs"

good
stand_in tools/test.sh 'echo "ScanLab: 4 tests passed, 1 failed, 0 skipped"
exit 1'
ci
expect_status 1
last
expect "ScanLab: 8 tests passed, 1 failed, 1 skipped"

stand_in bin/make :
ci
expect_status 1
expect "failed steps: grade"
finish
