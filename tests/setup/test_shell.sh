#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The shell scripts can be read by their shell, and by shellcheck without a
# warning where that is installed.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

cd "$root" || exit 1
scripts=$(find scanlab tools tests plots slides .ci -name '*.sh' -o -path .ci/run \
    -o -path scanlab)
for script in $scripts; do
    case $(head -n 1 "$script") in
    *bash*) run bash -n "$script" ;;
    *) run sh -n "$script" ;;
    esac
    expect_status 0
    if command -v shellcheck >/dev/null; then
        # SC2054: an option such as -gencode arch=x,code=y has its comma.
        run shellcheck -e SC2054 -x -P SCRIPTDIR -S warning "$script"
        expect_status 0
    fi
done
finish
