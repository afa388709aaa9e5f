# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# expect.sh: what the scripts beside it share; they read it with `.`.
#   run COMMAND...       keeps its output in $out and its status in $status
#   expect_status N      holds the last run to it
#   expect TEXT          the output has this text somewhere
#   expect_not TEXT
#   finish               last line of a script: its exit status
# $scratch is an empty folder that goes away.

# shellcheck disable=SC2034 # for the scripts
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
checks=0

run() {
    ran="$*"
    status=0
    out=$("$@" 2>&1) || status=$?
}

object() { # what went wrong
    failures=$((failures + 1))
    printf 'FAILED: %s\n  command: %s\n  status: %s\n  output: %s\n' \
        "$1" "$ran" "$status" "$out"
}

expect_status() {
    checks=$((checks + 1))
    [ "$status" = "$1" ] || object "expected status $1"
}

expect() {
    checks=$((checks + 1))
    case $out in *"$1"*) ;; *) object "expected: $1" ;; esac
}

expect_not() {
    checks=$((checks + 1))
    case $out in *"$1"*) object "did not expect: $1" ;; esac
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" = 0 ] && [ "$checks" -gt 0 ]
}
