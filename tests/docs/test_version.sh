#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The project's version, the newest version of the CHANGELOG and, on the commit
# that has one, the tag are the same. test_version.sh CMAKELISTS CHANGELOG [TAG]
set -u
version=$(sed -n 's/^project(scanlab VERSION \([0-9.]*\).*/\1/p' "$1")
newest=$(sed -n 's/^## \[\([0-9][0-9.]*\)\] - [0-9-]*$/\1/p' "$2" | head -n 1)
tag=${3-$(git tag --points-at HEAD 2>/dev/null | sed -n 's/^v\([0-9]\)/\1/p')}
echo "CMakeLists.txt: $version; CHANGELOG.md: $newest; tag: ${tag:-none}"
[ -n "$version" ] && [ "$version" = "$newest" ] &&
    { [ -z "$tag" ] || [ "$tag" = "$version" ]; }
