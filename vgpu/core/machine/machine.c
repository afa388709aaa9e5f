/* SPDX-License-Identifier: MIT
 *
 * machine.c: see machine.h.
 */
#include "machine.h"

WIDER void lane_set_fill(struct lane_set *s, uint32_t mask) {
    if (s->mask == mask) return;
    s->mask = mask;
    for (int l = 0; l < WARP_LANES; l++) {
        s->w[l] = 0u - (mask >> l & 1);
        s->d[l] = 0ull - (mask >> l & 1);
    }
}
