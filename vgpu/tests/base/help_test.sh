#!/bin/sh
# SPDX-License-Identifier: MIT
#
# help_test.sh PROGRAM[:COMMAND]...: --help of all programs has one shape: a line
# of usage, at most 80 columns, every option's text in one column, an example;
# --version works everywhere, and an unknown option exits with 2.
set -u
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
}
for program in "$@"; do
    command=
    case $program in
    *:*)
        command=${program#*:}
        program=${program%%:*}
        ;;
    esac
    what="$(basename "$program") $command"
    help=$("$program" $command --help 2>&1) || fail "$what --help: status $?"
    [ "$help" = "$("$program" $command -h)" ] || fail "$what: -h is not --help"
    echo "$help" | head -1 | grep -q "^usage: " || fail "$what: no usage line"
    echo "$help" | grep -q '^.\{81\}' && fail "$what: over 80 columns"
    echo "$help" | tail -1 | grep -q "^Example: " || fail "$what: no example"
    echo "$help" | awk '{ line[NR] = $0 } / --version / { at = match($0, /the version/) }
        END {
            for (i = 1; i <= NR; i++)
                if (line[i] ~ /^  (-|    --)/ && match(line[i], /[^ ]  +[^ ]/) &&
                    RSTART + RLENGTH - 1 != at) wrong = 1
            exit wrong || !at
        }' || fail "$what: options are not aligned"
    "$program" $command --version | grep -q '^[a-z_]* [0-9]*\.[0-9]*\.[0-9]*$' ||
        fail "$what: --version"
    message=$("$program" $command --no-such-option 2>&1)
    [ $? = 2 ] || fail "$what: an unknown option does not exit with 2"
    echo "$message" | grep -q 'no-such-option is no option' || fail "$what: $message"
done
echo "$# programs and commands, $failures failed"
[ "$failures" = 0 ] && [ $# -ge 3 ]
