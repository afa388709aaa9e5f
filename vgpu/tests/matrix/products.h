/* SPDX-License-Identifier: MIT
 *
 * products.h: runs a kernel of one warp, of which the test writes the body.
 *
 * The body has %in and %out, and %at and %to, which are these and 4 bytes for
 * each lane; registers %a0 to %a7, %b, %c, %d likewise, %r0 to %r9 (%r0 is the
 * lane), %p0 to %p3 of 64 bits; shared memory `tile`.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "vgpu.h"

struct products {
    const char *body;
    const uint32_t *in;
    uint32_t *out;
    size_t n_in, n_out;          /* words */
    size_t marked, n_marked;     /* words of `in` that are data (vgpu.h) */
    const char *clock;           /* or NULL */
    void (*look)(vgpu_device *); /* or NULL; with recorded steps */
};
/* Fails the test if anything is found. Fills out; returns what was counted of
 * DATA_OPS, with a clock MODEL_CYCLES. */
uint64_t products_run(const struct products *);
/* Fails the test unless the body is refused, with this in the message. */
void products_refused(const char *body, const char *words);
