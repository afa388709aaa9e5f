#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw.sh OUT [DECK...]: draws the figures into OUT that these decks show, as
# PDF; of all decks every figure that there is, as `make plots` does.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
[ $# != 0 ] || exec "$here/../plots/draw.sh" "$out"
mkdir -p "$out" || exit 1
for deck; do
    [ -r "$here/$deck.tex" ] || {
        echo "slides: there is no deck $deck" >&2
        exit 1
    }
done
FIGURES=$("$here/figures.sh" "$@") FORMATS=pdf
[ -n "$FIGURES" ] || exit 0
export FIGURES FORMATS
exec "$here/../plots/draw.sh" "$out"
