# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests: a folder that is removed at the end, and a count of what is
# not as it should be. What a test's last command said is in words, out or err.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
object() { # text
    failures=$((failures + 1))
    echo "FAILED: $*"
    for said in words out err; do
        [ ! -f "$scratch/$said" ] || head -n 20 "$scratch/$said"
    done
}
