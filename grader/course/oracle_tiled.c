/* SPDX-License-Identifier: MIT
 *
 * oracle_tiled.c: the right answers of lab 4's steps. The tile is the lab's,
 * TILED_TILE in shared_tiled.h.
 */
#include "oracle.h"

enum { TILE = 2048 };

size_t oracle_tile_exclusive(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    uint32_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i % TILE == 0) sum = 0;
        out[i] = (int32_t)sum;
        sum += (uint32_t)in[i];
    }
    return c->n;
}

size_t oracle_tile_total(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    size_t tiles = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        sum += (uint32_t)in[i];
        if (i % TILE < TILE - 1 && i < c->n - 1) continue;
        out[tiles++] = (int32_t)sum;
        sum = 0;
    }
    return tiles;
}
