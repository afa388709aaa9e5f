#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compile.sh COMPILER VGPU: the virtual GPU's rooms, from the folder VGPU, as an
# AArch64 machine compiles them, without a warning. Only read, to be quick: no
# code is made of it. 77: there is no such compiler.
set -u
compiler=$1
vgpu=$2

if ! command -v "$compiler" >/dev/null 2>&1; then
    echo "SKIP: no $compiler (tools/setup.sh aarch64 installs it)"
    exit 77
fi
if ! echo '#include <stdio.h>' | "$compiler" -E - >/dev/null 2>&1; then
    echo "SKIP: $compiler has no C library (package libc6-dev-arm64-cross)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int one = 1;' | "$compiler" -x c -c -o "$work/out.o" - || exit 1
machine=$(od -An -tx1 -j18 -N2 "$work/out.o" | tr -d ' ')
if [ "$machine" != b700 ]; then # EM_AARCH64, little-endian
    echo "$compiler does not compile for AArch64"
    exit 1
fi
# Headers of libraries that are the same for every machine.
for header in lz4.h zstd.h zstd_errors.h; do
    found=$(echo "#include <$header>" | gcc -E - |
        sed -n "s|^# [0-9]* \"\(.*/$header\)\".*|\1|p" | head -n 1)
    [ -z "$found" ] || cp "$found" "$work"
done

compiled=0
failed=0
compile() { # source options...
    source=$1
    shift
    compiled=$((compiled + 1))
    "$compiler" -std=gnu17 -Wall -Wextra -Werror -I"$work" "$@" \
        -fsyntax-only "$source" || failed=$((failed + 1))
}

own=$(cd "$(dirname "$0")/../.." && pwd)
for folder in "$vgpu"/*/ "$vgpu"/*/*/; do
    case ${folder#"$vgpu"} in */include/ | */tool/* | */tests/* | */examples/*) continue ;; esac
    ls "$folder"*.c >/dev/null 2>&1 || continue
    room=${folder#"$vgpu"/}
    includes=$(awk -f "$own/tests/aarch64/folders.awk" -v vgpu="$own" -v of="${room%/}" \
        "$own/rooms.txt")
    for source in "$folder"*.c; do
        # shellcheck disable=SC2086
        case $source in
        */alu_forms_*) compile "$source" $includes -DVGPU_ISA=baseline ;;
        *) compile "$source" $includes -Wpedantic -Wshadow -Wconversion ;;
        esac
    done
done
echo "$compiled sources compiled for AArch64, $failed failed"
[ "$failed" = 0 ] && [ "$compiled" -gt 60 ]
