#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make tag`: the tag is made of a commit whose numbers agree, and of no other.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS

command -v git >/dev/null || {
    echo "SKIP: no git"
    exit 77
}
mkdir -p "$scratch/repo/tools"
cd "$scratch/repo" || exit 1
cp "$root/Makefile" .
cp "$root/tools/tag.sh" "$root/tools/meant.sh" tools/
git() {
    command git -c user.name=t -c user.email=t@example.org "$@"
}
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org
export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
git init -q .
commit() { # version of CMake, CHANGELOG's lines
    echo "project(scanlab VERSION $1 LANGUAGES C)" >CMakeLists.txt
    printf '%b' "$2" >CHANGELOG.md
    git add -A
    git commit -q --allow-empty -m "scanlab $1"
}
refused() { # words
    run make tag
    expect_status 2
    expect "$1"
    [ -z "$(git tag)" ] || object "there is a tag"
}

commit 1.2.0 '## [Unreleased]\n\n## [1.1.0] - 2026-01-01\n'
refused "CMakeLists.txt has 1.2.0, CHANGELOG.md '## [1.1.0] - DATE'"
commit 1.2.0 '## [Unreleased]\n\n## [1.2.0]\n'
refused "CHANGELOG.md '## [nothing] - DATE'"
commit 1.2.0 '## [Unreleased]\n\n- new\n\n## [1.2.0] - 2026-01-02\n'
refused "entries under Unreleased"
commit 1.2.0 '## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n- new\n'
echo more >new
refused "not everything is committed"
rm new
run make tag
expect_status 0
expect "v1.2.0 is"
run git tag --points-at HEAD
expect "v1.2.0"
run git cat-file -p v1.2.0
expect "ScanLab 1.2.0"
run make tag
expect_status 2
expect "there is a tag v1.2.0"
finish
