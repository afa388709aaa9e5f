/* SPDX-License-Identifier: MIT
 *
 * oracle_tiles.c: the answers of steps on the way to a scan: sums of parts of
 * the array, and what tiles know of each other.
 */
#include "oracle.h"

/* in[i] and what comes before it since the last multiple of size. */
static size_t sums_of(const struct oracle_call *c, size_t size) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    uint32_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i % size == 0) sum = 0;
        sum += (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
    return c->n;
}

size_t oracle_sums_of_32(const struct oracle_call *c) {
    return sums_of(c, 32);
}

size_t oracle_sums_of_512(const struct oracle_call *c) {
    return sums_of(c, 512);
}

size_t oracle_sums_of_4096(const struct oracle_call *c) {
    return sums_of(c, 4096);
}

size_t oracle_sums_of_8192(const struct oracle_call *c) {
    return sums_of(c, 8192);
}

size_t oracle_tile_of_4096(const struct oracle_call *c) {
    int32_t *out = c->out;
    for (size_t i = 0; i < c->n; i++) out[i] = (int32_t)(i / 4096);
    return c->n;
}

size_t oracle_total_before_4096(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    uint32_t before = 0, sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i % 4096 == 0) {
            before = sum;
            sum = 0;
        }
        sum += (uint32_t)in[i];
        out[i] = (int32_t)before;
    }
    return c->n;
}

size_t oracle_tree_swept_up(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    for (size_t i = 0; i < c->n; i++) {
        size_t covered = (i + 1) & -(i + 1);
        uint32_t sum = 0;
        for (size_t k = i + 1 - covered; k <= i; k++) sum += (uint32_t)in[k];
        out[i] = i + 1 < c->n ? (int32_t)sum : 0;
    }
    return c->n;
}

/* in: is it a prefix? in2: the value. */
size_t oracle_snapshot(const struct oracle_call *c) {
    const int32_t *prefix = c->in, *value = c->in2;
    int32_t *out = c->out;
    uint32_t before = 0;
    for (size_t t = 0; t < c->n; t++) {
        out[t] = (int32_t)before;
        if (prefix[t] != 0) before = 0;
        before += (uint32_t)value[t];
    }
    return c->n;
}
