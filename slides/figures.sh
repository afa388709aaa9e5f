#!/bin/sh
# SPDX-License-Identifier: MIT
#
# figures.sh DECK...: the scripts of plots/ that draw what the decks show, one a
# line. depth-8 is drawn by depth.gp, with some curves in colour (plots/draw.sh).
set -u
here=$(cd "$(dirname "$0")" && pwd)
for deck; do
    sed -n 's/^[^%]*\\plot{\([A-Za-z0-9_-]*\)}.*/\1/p' "$here/$(basename "$deck" .tex).tex"
done | while read -r name; do
    [ -r "$here/../plots/$name.gp" ] || name=${name%-*}
    [ -r "$here/../plots/$name.gp" ] && echo "$name"
done | sort -u
