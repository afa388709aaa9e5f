/* SPDX-License-Identifier: MIT
 *
 * oracle_sam.c: scans of order q over tuples of size s, and the differences
 * that undo them. The definitions themselves: q times over the array, every
 * element with the one s before it.
 */
#include <string.h>

#include "oracle.h"

static size_t tuple_of(const struct oracle_call *c) {
    return (size_t)c->parameters[PARAMETER_tuple];
}

static int order_of(const struct oracle_call *c) {
    return c->parameters[PARAMETER_order];
}

/* `encode` goes from the back, so that out[i - s] is still what it was. */
#define SAM(scan, encode, word)                                                \
    size_t scan(const struct oracle_call *c) {                                 \
        word *out = c->out;                                                    \
        if (c->n) memcpy(out, c->in, c->n * sizeof *out);                      \
        for (int q = 0; q < order_of(c); q++)                                  \
            for (size_t i = tuple_of(c); i < c->n; i++)                        \
                out[i] += out[i - tuple_of(c)];                                \
        return c->n;                                                           \
    }                                                                          \
    size_t encode(const struct oracle_call *c) {                               \
        word *out = c->out;                                                    \
        if (c->n) memcpy(out, c->in, c->n * sizeof *out);                      \
        for (int q = 0; q < order_of(c); q++)                                  \
            for (size_t i = c->n; i-- > tuple_of(c);)                          \
                out[i] -= out[i - tuple_of(c)];                                \
        return c->n;                                                           \
    }
SAM(oracle_sam_scan_i32, oracle_sam_encode_i32, uint32_t)
SAM(oracle_sam_scan_i64, oracle_sam_encode_i64, uint64_t)

/* Summed in double and rounded once: closer than any sum of floats. */
size_t oracle_sam_scan_f32(const struct oracle_call *c) {
    const float *in = c->in;
    float *out = c->out;
    for (size_t slot = 0; slot < tuple_of(c); slot++) {
        double sum = 0;
        for (size_t i = slot; i < c->n; i += tuple_of(c)) {
            sum += (double)in[i];
            out[i] = (float)sum;
        }
    }
    return c->n;
}

size_t oracle_same_i32(const struct oracle_call *c) {
    if (c->n) memcpy(c->out, c->in, c->n * sizeof(int32_t));
    return c->n;
}

size_t oracle_same_i64(const struct oracle_call *c) {
    if (c->n) memcpy(c->out, c->in, c->n * sizeof(int64_t));
    return c->n;
}
