/* SPDX-License-Identifier: MIT
 *
 * oracle_apps.c: the right answers of lab 8: selection, partition, runs,
 * sorting.
 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

static int32_t pivot_of(const struct oracle_call *c) {
    return c->parameters[PARAMETER_pivot];
}

size_t oracle_flag_less(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    for (size_t i = 0; i < c->n; i++) out[i] = in[i] < pivot_of(c);
    return c->n;
}

size_t oracle_select_less(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++)
        if (in[i] < pivot_of(c)) out[kept++] = in[i];
    return kept;
}

size_t oracle_partition_less(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    size_t kept = 0, end = c->n;
    for (size_t i = 0; i < c->n; i++) {
        if (in[i] < pivot_of(c))
            out[kept++] = in[i];
        else
            out[--end] = in[i];
    }
    return kept;
}

size_t oracle_run_length(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *value = c->out, *length = c->out2;
    size_t runs = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || in[i] != in[i - 1]) {
            value[runs] = in[i];
            length[runs++] = 0;
        }
        length[runs - 1]++;
    }
    return runs;
}

size_t oracle_sum_by_key(const struct oracle_call *c) {
    const int32_t *key = c->in, *value = c->in2;
    int32_t *key_out = c->out, *sum = c->out2;
    size_t runs = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || key[i] != key[i - 1]) {
            key_out[runs] = key[i];
            sum[runs++] = 0;
        }
        uint32_t more = (uint32_t)sum[runs - 1] + (uint32_t)value[i];
        sum[runs - 1] = (int32_t)more;
    }
    return runs;
}

/* Digit by digit: slow, and stable for all to see. */
size_t oracle_sort_digit(const struct oracle_call *c) {
    const uint32_t *in = c->in;
    uint32_t *out = c->out;
    int bit = c->parameters[PARAMETER_bit];
    size_t done = 0;
    for (uint32_t digit = 0; digit < 256; digit++)
        for (size_t i = 0; i < c->n; i++)
            if ((in[i] >> bit & 255) == digit) out[done++] = in[i];
    return c->n;
}

/* How many keys have the digit; have a smaller one; have a smaller one, or
 * the same in a tile before. */
enum digit_question { OF_DIGIT, BELOW, BELOW_OR_BEFORE };

static size_t ask_digits(const struct oracle_call *c, enum digit_question ask) {
    enum { DIGITS = 256, TILE = 256 };
    const uint32_t *in = c->in;
    uint32_t *out = c->out;
    uint32_t count[DIGITS] = {0}, below[DIGITS] = {0}, before[DIGITS];
    int bit = c->parameters[PARAMETER_bit];
    for (size_t i = 0; i < c->n; i++) count[in[i] >> bit & 255]++;
    for (int d = 1; d < DIGITS; d++) below[d] = below[d - 1] + count[d - 1];
    memcpy(before, below, sizeof before);
    for (size_t i = 0; i < c->n; i++) {
        if (i % TILE == 0 && ask == BELOW_OR_BEFORE)
            memcpy(below, before, sizeof below);
        uint32_t digit = in[i] >> bit & 255;
        before[digit]++;
        out[i] = ask == OF_DIGIT ? count[digit] : below[digit];
    }
    return c->n;
}

size_t oracle_digit_counts(const struct oracle_call *c) {
    return ask_digits(c, OF_DIGIT);
}

size_t oracle_digit_starts(const struct oracle_call *c) {
    return ask_digits(c, BELOW);
}

size_t oracle_digit_before_tile(const struct oracle_call *c) {
    return ask_digits(c, BELOW_OR_BEFORE);
}

static int by_value(const void *a, const void *b) {
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

size_t oracle_sort_u32(const struct oracle_call *c) {
    if (c->n == 0) return 0;
    memcpy(c->out, c->in, c->n * sizeof(uint32_t));
    qsort(c->out, c->n, sizeof(uint32_t), by_value);
    return c->n;
}

/* ---- pairs: heap sort of (key, position), which has no equals ---- */

static bool before(const uint32_t *key, const uint32_t *at, size_t i,
                   size_t j) {
    return key[i] != key[j] ? key[i] < key[j] : at[i] < at[j];
}

static void swap(uint32_t *a, size_t i, size_t j) {
    uint32_t t = a[i];
    a[i] = a[j];
    a[j] = t;
}

/* Makes [top, n) a heap, the largest on top, when its children are heaps. */
static void sift(uint32_t *key, uint32_t *at, size_t top, size_t n) {
    for (size_t child; (child = 2 * top + 1) < n; top = child) {
        if (child + 1 < n && before(key, at, child, child + 1)) child++;
        if (!before(key, at, top, child)) return;
        swap(key, top, child);
        swap(at, top, child);
    }
}

size_t oracle_sort_pairs(const struct oracle_call *c) {
    const uint32_t *in = c->in, *values = c->in2;
    uint32_t *key = c->out, *at = c->out2;
    for (size_t i = 0; i < c->n; i++) {
        key[i] = in[i];
        at[i] = (uint32_t)i;
    }
    for (size_t top = c->n / 2; top > 0; top--) sift(key, at, top - 1, c->n);
    for (size_t end = c->n; end > 1; end--) {
        swap(key, 0, end - 1);
        swap(at, 0, end - 1);
        sift(key, at, 0, end - 1);
    }
    for (size_t i = 0; i < c->n; i++) at[i] = values[at[i]];
    return c->n;
}
