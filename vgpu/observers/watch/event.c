/* SPDX-License-Identifier: MIT
 *
 * event.c: see event.h.
 */
#include "event.h"

WIDER static void fill(uint64_t *address, uint64_t start, uint64_t stride) {
    for (uint64_t l = 0; l < WARP_LANES; l++, start += stride)
        address[l] = start;
}

void access_fill(struct access *x) {
    fill(x->address, x->address[x->shape.first] - x->shape.first * x->stride,
         x->stride);
    x->shape.sparse = false;
}
