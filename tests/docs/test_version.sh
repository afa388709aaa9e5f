#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The project's version, the newest version of the CHANGELOG and, on the commit
# that has one, the tag are the same; so are CITATION.cff's and vgpu.h's, and that of
# the file that docs/installing.md installs. test_version.sh CMAKELISTS CHANGELOG [TAG]
set -u
version=$(sed -n 's/^project(scanlab VERSION \([0-9.]*\).*/\1/p' "$1")
newest=$(sed -n 's/^## \[\([0-9][0-9.]*\)\] - [0-9-]*$/\1/p' "$2" | head -n 1)
tag=${3-$(git tag --points-at HEAD 2>/dev/null | sed -n 's/^v\([0-9]\)/\1/p')}
root=$(dirname "$0")/../..
for place in 'CITATION.cff s/^version: //p' 'vgpu/include/vgpu.h s/.*VGPU_VERSION "\(.*\)"/\1/p' \
    'docs/installing.md s/^ *pip install scanlab-\([0-9.]*\)-.*/\1/p'; do
    there=$(sed -n "${place#* }" "$root/${place%% *}")
    [ "$there" = "$version" ] || { echo "${place%% *}: $there"; exit 1; }
done
echo "CMakeLists.txt: $version; CHANGELOG.md: $newest; tag: ${tag:-none}"
[ -n "$version" ] && [ "$version" = "$newest" ] &&
    { [ -z "$tag" ] || [ "$tag" = "$version" ]; }
