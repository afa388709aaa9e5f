#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make slides DECK=... draws what that deck shows: a script of plots/ for each
# \plot of each deck, and nothing for a deck that is not there.
set -u
failures=0
object() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}
plots=$(mktemp)
for deck in slides/[0-9]*.tex; do
    figures=$(slides/figures.sh "$(basename "$deck" .tex)")
    sed -n 's/^[^%]*\\plot{\([^}]*\)}.*/\1/p' "$deck" >"$plots"
    while read -r plot; do
        echo "$figures" | grep -qx -e "$plot" -e "${plot%-*}" || object "$deck: no script draws $plot"
    done <"$plots"
    for figure in $figures; do
        grep -qE "plot\{$figure(-[0-9]+)?\}" "$deck" || object "$deck does not show $figure"
    done
done
[ "$(slides/figures.sh 03-bank-conflicts | tr '\n' ' ')" = \
    "bank_conflicts bank_conflicts_32 bank_conflicts_blocks depth " ] || object "lab 3's figures"
out=$(mktemp -d)
trap 'rm -rf "$out" "$plots"' EXIT
slides/draw.sh "$out/plots" 99-nothing 2>"$out/said" && object "a deck that is not there"
grep -q "no deck 99-nothing" "$out/said" || object "no word of it: $(cat "$out/said")"
command -v gnuplot >/dev/null || echo "gnuplot is not installed: nothing is drawn"
if command -v gnuplot >/dev/null; then
    slides/draw.sh "$out/plots" 00-cpu-scan >/dev/null 2>&1 || object "00-cpu-scan is not drawn"
    ls "$out/plots" >"$out/drawn"
    grep -qx cpu_int32.pdf "$out/drawn" || object "cpu_int32 is not drawn"
    grep -v '^cpu_int32.*pdf$' "$out/drawn" && object "other figures are drawn"
fi
exit $((failures > 0))
