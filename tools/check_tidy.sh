#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_tidy.sh BUILD: clang-tidy over the sources that BUILD compiles, with the
# checks of .clang-tidy, as errors.
set -eu
cd "$(dirname "$0")/.."
sed -n 's/^ *"file": "\(.*\.c\)".*/\1/p' "$1/compile_commands.json" | sort -u |
    xargs -r -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p "$1"
