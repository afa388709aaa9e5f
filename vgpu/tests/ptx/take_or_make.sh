#!/bin/sh
# SPDX-License-Identifier: MIT
#
# take_or_make.sh USUAL OUTPUT COMMAND...: copies USUAL, which another build has
# made by the same COMMAND since its source (the last word) and the rule changed;
# where there is none, runs COMMAND -o OUTPUT.
usual=$1 output=$2
shift 2
for source; do :; done
newer() {
    [ -n "$(find "$usual" -newer "$1" -newer "$(dirname "$0")/CMakeLists.txt" 2>/dev/null)" ]
}
if [ "$usual" != "$output" ] && newer "$source"; then
    exec cp "$usual" "$output"
fi
exec "$@" -o "$output"
