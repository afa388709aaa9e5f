#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_format.sh [--fix]: whether the tracked C and CUDA sources are laid out
# as .clang-format says. Version 14, because versions differ in their opinions.
# The CUDA programs of tests/ are as their authors wrote them, and tests name
# their lines.
set -eu
cd "$(dirname "$0")/.."
mode="--dry-run --Werror"
[ "${1:-}" != --fix ] || mode=-i
# shellcheck disable=SC2086 # several words
git ls-files -z -- '*.c' '*.h' '*.cu' '*.cuh' \
    ':!tests/*.cu' |
    xargs -0 -r clang-format-14 --style=file $mode
