#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_format.sh [--fix]: names the C and CUDA sources of a checkout that are not
# laid out as .clang-format says, or lays them out. Version 14, because versions
# differ in their opinions. Submissions and CUDA programs under tests/ and vgpu/tests/
# are left as their authors wrote them; tests name their lines. So are the site's
# kernels, whose header lines are rows of tables.
set -eu
cd "$(dirname "$0")/.."

sources() {
    git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh' \
        ':!tests/cheats' ':!tests/*.cu' ':!vgpu/tests/*.cu' \
        ':!timing/tests/*.cu' ':!research/tests/*.cu' ':!web/site/kernels' |
        while read -r source; do [ ! -e "$source" ] || echo "$source"; done
}

if [ "${1:-}" = --fix ]; then
    sources | tr '\n' '\0' | xargs -0 -r clang-format-14 --style=file -i
    exit 0
fi
# One process for all: to start it is most of what a file costs.
words=$(sources | tr '\n' '\0' |
    xargs -0 -r clang-format-14 --style=file --dry-run 2>&1) || {
    echo "$words"
    exit 1
}
[ -z "$words" ] || {
    echo "$words" | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: .*/\1/p' | sort -u |
        sed "s/\$/: not laid out as .clang-format says ('make format' mends it)/"
    exit 1
}
