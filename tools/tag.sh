#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tag.sh: gives the commit that is checked out the tag vX.Y.Z, with the number of
# CMakeLists.txt (CONTRIBUTING.md, Versions).
#
#   exit 0   it has the tag
#   exit 2   it has not, and the message says why: something is not committed; the
#            newest version of CHANGELOG.md is another one, or has no date; entries
#            stand under Unreleased; the tag is there
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "tag: $*" >&2
    exit 2
}

version=$(sed -n 's/^project(scanlab VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
newest=$(sed -n 's/^## \[\([0-9][0-9.]*\)\] - [0-9-]*$/\1/p' CHANGELOG.md | head -n 1)
unreleased=$(sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep -v '^## \[' |
    grep -c . || :)
changed=$(git status --porcelain)

[ -n "$version" ] || fail "CMakeLists.txt has no version"
[ -z "$changed" ] || fail "not everything is committed:
$changed"
[ "$version" = "$newest" ] ||
    fail "CMakeLists.txt has $version, CHANGELOG.md '## [${newest:-nothing}] - DATE'"
[ "$unreleased" = 0 ] || fail "CHANGELOG.md has entries under Unreleased"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null ||
    fail "there is a tag v$version: $(git log -1 --format='%h %s' "v$version")"
git tag -a "v$version" -m "ScanLab $version"
echo "tag: v$version is $(git log -1 --format='%h %s')" >&2
