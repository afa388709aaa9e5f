#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_dist.sh ROOT: make dist in two folders is the same archive, bit for bit, with
# no folder's name in it. It grades on a machine on which nothing is installed but
# compilers for submissions (without.sh). Prints what the first verdict took.
set -u
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS SCANLAB_ROOT SCANLAB_CACHE SCANLAB_BUILD
export SCANLAB_APT=0 SOURCE_DATE_EPOCH=1700000000
cd "$root" || exit 1
git ls-files >/dev/null 2>&1 || {
    echo "SKIP: this copy of ScanLab is not a git repository"
    exit 77
}
for folder in one "two/and further"; do
    mkdir -p "$work/$folder"
    git ls-files -z | tar -c --ignore-failed-read --null -T - |
        tar -x -C "$work/$folder" || exit 1
    (cd "$work/$folder" && git init -q && git add -A && mkdir build &&
        env -u CMAKE_C_COMPILER_LAUNCHER make dist) || exit 1
done
set -- "$work"/one/build/dist/*.tar.gz
name=$(basename "$1")
cmp "$1" "$work/two/and further/build/dist/$name" || exit 1
mkdir "$work/unpacked" && tar -xzf "$1" -C "$work/unpacked" || exit 1
if grep -rqF "$work" "$work/unpacked"; then
    echo "a folder's name is in the archive" && exit 1
fi
# Only what shows live reports asks for a library beside the C library.
if find "$work/unpacked" -path '*/build/*' -type f ! -name scanlab-serve -exec readelf -d {} + 2>/dev/null |
    grep NEEDED | grep -v -e 'lib[cm][.]so' -e 'libgcc_s[.]so' -e 'ld-linux'; then
    echo "a program in the archive asks for a library" && exit 1
fi

SCANLAB_NVCC=${SCANLAB_NVCC:-$(cat "$root/build/nvcc-path")}
export SCANLAB_NVCC archive="$1" work
# shellcheck disable=SC2016 # for the inner shell
"$root/tests/setup/without.sh" building sh -c '
    # A folder of programs that no package brought has its own, perhaps.
    for name in cmake ninja pkg-config; do
        while at=$(command -v $name); do
            case $at in /usr/bin/* | /bin/*) echo "$at" && exit 1 ;; esac
            PATH=$(echo "$PATH" | tr : "\n" | grep -vxF "${at%/*}" | paste -sd:)
        done
    done
    ! echo "#include <jansson.h>" | gcc -E - >/dev/null 2>&1 || exit 1
    mkdir "$work/bare" && cd "$work/bare" || exit 1
    start=$(date +%s)
    tar -xzf "$archive" && cd scanlab-* && make grade LAB=naive >words 2>&1
    status=$?
    cat words
    echo "$(($(date +%s) - start)) s from the archive to the verdict; processor:" && times
    [ $status = 1 ] && grep -q "TODO  tiny" words || exit 1
    { echo "#define SOLUTION" && cat "$1/reference/naive.cu"; } >student/naive.cu
    make grade LAB=naive SEED=7' sh "$root"
