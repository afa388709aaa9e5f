# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced: what the tests here share.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
object() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    head -n 20 "$scratch/words" "$scratch/out" 2>/dev/null
}
says() { grep -q -e "$1" "$2" || object "it does not say: $1"; }
verdict() {
    [ "$failures" = 0 ] && echo "all as expected" && exit 0
    exit 1
}
