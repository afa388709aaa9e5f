#!/bin/sh
# SPDX-License-Identifier: MIT
#
# meant.sh WORD NAME...: prints the name that WORD is most likely a slip of, or
# nothing: another case, a letter too many, too few, changed or swapped, two of
# them in a longer word.
exec awk '
function least(a, b) { return a < b ? a : b }
function distance(a, b,   i, j, row, change) {
    for (i = 0; i <= length(a); i++)
        for (j = 0; j <= length(b); j++) {
            if (i == 0 || j == 0) { row[i, j] = i + j; continue }
            change = substr(a, i, 1) != substr(b, j, 1)
            row[i, j] = least(row[i - 1, j - 1] + change,
                              least(row[i - 1, j], row[i, j - 1]) + 1)
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) &&
                substr(a, i - 1, 1) == substr(b, j, 1))
                row[i, j] = least(row[i, j], row[i - 2, j - 2] + 1)
        }
    return row[length(a), length(b)]
}
BEGIN {
    word = tolower(substr(ARGV[1], 1, 40))
    most = int(length(word) / 3) + 1
    for (k = 2; k < ARGC; k++) {
        d = distance(word, tolower(ARGV[k]))
        if (d < length(ARGV[k]) && d < most + (best == "")) {
            best = ARGV[k]
            most = d
        }
    }
    if (best != "") print best
}' "$@"
