#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_bare.sh: what the pages for MacBooks and Windows and the dev container tell to
# install before make grade, and on what, is what tests/setup/from-bare.sh was run with.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0
expected=$(sed -n 's/^ *step apt-get -q install -y //p' tests/setup/from-bare.sh | tr ' ' '\n' | sort)
[ -n "$expected" ] || exit 1
for file in docs/macbook.md docs/windows.md .devcontainer/devcontainer.json; do
    said=$(sed -n -e 's/",$//' -e 's/.*apt-get install -y //p' $file |
        tr ' ' '\n' | grep -v -e '^--no-install-recommends$' -e '^clangd$' | sort)
    [ "$said" = "$expected" ] ||
        { echo "$file installs" $said", not" $expected && status=1; }
done
grep -q 'debian:12$' docs/macbook.md && grep -q '"image": "debian:12"' .devcontainer/devcontainer.json &&
    grep -q 'install -d Debian$' docs/windows.md || { echo "another system than Debian 12" && status=1; }
exit $status
