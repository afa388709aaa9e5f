#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh [FOLDER]: puts a lab 1 with a bug into FOLDER, which must be new or
# empty (without one into a temporary folder, which goes away at the end), and
# watches it: in this terminal, and on a page. `make demo` calls it.
#
#   exit status: scanlab watch's; 2 as well if there is no such folder
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ -e "$root/tests/demo/naive.cu" ] || {
    echo "make demo: this copy of ScanLab has no tests/demo to begin with" >&2
    exit 2
}
if [ $# -gt 0 ] && [ -n "$1" ]; then
    folder=$1
    mkdir -p "$folder"
    [ -z "$(ls -A "$folder")" ] || {
        echo "make demo: $folder is not empty" >&2
        exit 2
    }
else
    folder=$(mktemp -d "${TMPDIR:-/tmp}/scanlab-demo.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT
fi
cp "$root/tests/demo/naive.cu" "$folder"
chmod u+w "$folder/naive.cu"
cat >&2 <<END
make demo: a lab 1 with a bug; change it and save it, and see what happens:

    $folder/naive.cu

END
# If this script is killed, the program ends, too.
SCANLAB_WITH=$$ "$root/scanlab" watch naive -s "$folder" --serve --open --seed 7
