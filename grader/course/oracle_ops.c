/* SPDX-License-Identifier: MIT
 *
 * oracle_ops.c: inclusive scans with an operator, of 32-bit and 64-bit
 * elements. Written apart from the functions that students are given
 * (labs/06-lookback/lookback.h); a test compares the two by hand.
 */
#include "oracle.h"

/* In the order of parameters.def. */
enum { SUM, MAX, XOR, AFFINE };

size_t oracle_scan_op_i32(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    int op = c->parameters[PARAMETER_op];
    for (size_t i = 0; i < c->n; i++) {
        int32_t x = in[i];
        uint32_t y = (uint32_t)x, last = i > 0 ? (uint32_t)out[i - 1] : 0;
        if (i == 0)
            out[i] = x;
        else if (op == MAX)
            out[i] = x > out[i - 1] ? x : out[i - 1];
        else if (op == XOR)
            out[i] = x ^ out[i - 1];
        else if (op == AFFINE) /* a in bits 16 to 31, b in bits 0 to 15 */
            out[i] = (int32_t)(((last >> 16) * (y >> 16)) << 16 |
                               (((last & 0xffff) * (y >> 16) + y) & 0xffff));
        else
            out[i] = (int32_t)(last + y);
    }
    return c->n;
}

size_t oracle_scan_op_i64(const struct oracle_call *c) {
    const int64_t *in = c->in;
    int64_t *out = c->out;
    int op = c->parameters[PARAMETER_op];
    for (size_t i = 0; i < c->n; i++) {
        int64_t x = in[i];
        uint64_t y = (uint64_t)x, last = i > 0 ? (uint64_t)out[i - 1] : 0;
        uint64_t low = 0xffffffff;
        if (i == 0)
            out[i] = x;
        else if (op == MAX)
            out[i] = x > out[i - 1] ? x : out[i - 1];
        else if (op == XOR)
            out[i] = x ^ out[i - 1];
        else if (op == AFFINE) /* a in bits 32 to 63, b in bits 0 to 31 */
            out[i] = (int64_t)(((last >> 32) * (y >> 32)) << 32 |
                               (((last & low) * (y >> 32) + y) & low));
        else
            out[i] = (int64_t)(last + y);
    }
    return c->n;
}
