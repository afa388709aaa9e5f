#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every source of a checkout names its licence within its first five lines.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

cd "$root" || exit 1
git rev-parse --git-dir >"$scratch/git" 2>&1 || {
    echo "SKIP: this is no git checkout (or git is not here)"
    exit 77
}
git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' '*.def' '*.sh' '*.awk' '*.map' \
    '*.cmake' '*.in' '*CMakeLists.txt' Makefile .ci/run >"$scratch/sources"
while IFS= read -r source; do
    [ -e "$source" ] || continue # removed, not committed yet
    run head -n 5 "$source"
    expect "SPDX-License-Identifier: MIT"
done <"$scratch/sources"
finish
