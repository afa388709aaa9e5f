/* SPDX-License-Identifier: MIT
 *
 * nearest.c: edit distance with swaps of neighbours (optimal string alignment),
 * three rows at a time.
 */
#include "nearest.h"

#include <string.h>

enum { MAX_LENGTH = 63 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > MAX_LENGTH || m > MAX_LENGTH) return MAX_LENGTH;
    size_t rows[3][MAX_LENGTH + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(change, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[m];
}

const char *nearest_name(const char *given, const char *const *names,
                         size_t n) {
    const char *best = NULL;
    size_t best_distance = strlen(given) / 3 + 1;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(given, names[i]);
        if (d < best_distance || (d == best_distance && !best)) {
            best = d < strlen(names[i]) ? names[i] : best;
            best_distance = d;
        }
    }
    return best;
}
