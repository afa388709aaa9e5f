#!/bin/sh
# SPDX-License-Identifier: MIT
#
# without.sh GOAL COMMAND...: runs COMMAND as on a machine on which the packages
# that a goal of tools/packages.txt has beyond `make grade` were never installed.
# GOAL "building": nor those of `make grade` that no submission is compiled with
# (Debian 12's linker is a program with libjansson4).
# Their files are removed from a copy of /usr that only COMMAND sees. Exit
# status: COMMAND's; 77 where there can be no such copy (who is not root, or may
# not mount).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
libraries="libinih1 libjansson4"
! ldd "$(command -v ld)" 2>/dev/null | grep -q libjansson || libraries=libinih1
# shellcheck disable=SC2046 # several words
files=$(dpkg -L $(awk -F ' *[|] *' -v goal="$1" -v libraries="$libraries" '
    $1 == goal { mine[$3] }
    goal == "building" && $3 !~ /^(gcc|g[+][+]|libc6-dev|util-linux|python3.*)$/ {
        if ($1 == "grade") mine[$3]
        next
    }
    $1 == "grade" || $1 == "wheels" { kept[$3] }
    END {
        if (goal == "building") print libraries " pkgconf pkgconf-bin"
        for (package in mine) if (!(package in kept)) print package }' \
    "$root/tools/packages.txt") 2>/dev/null) || : # none of them is here
shift
# shellcheck disable=SC2016 # for the inner shell
inside='
    mount -t tmpfs none "$changes" &&
        mkdir "$changes/new" "$changes/work" &&
        mount -t overlay -o \
            "lowerdir=/usr,upperdir=$changes/new,workdir=$changes/work" none /usr ||
        exit 77
    for file in $files; do
        case $file in /usr/*) [ -d "$file" ] || rm -f "$file" ;; esac
    done
    unset files changes
    exec "$@"'
unshare -m true 2>/dev/null || {
    echo "SKIP: packages cannot be taken away here (unshare: no mounts)"
    exit 77
}
changes=$(mktemp -d)
export changes files
trap 'rmdir "$changes"' EXIT
unshare -m sh -c "$inside" sh "$@"
