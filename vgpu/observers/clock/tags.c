/* SPDX-License-Identifier: MIT
 *
 * tags.c: see tags.h.
 */
#include "tags.h"

#include <string.h>

enum { PIECE_SHIFT = 12 };

bool l1_make(struct l1 *c, uint64_t bytes, struct charges *charges) {
    uint32_t n = (uint32_t)(bytes >> LINE_SHIFT);
    if (!n) n = 1;
    if (n != c->n) {
        charges_free(charges, c->lines);
        c->lines = charges_bytes(charges, n * sizeof *c->lines, NULL);
        c->n = n;
    }
    if (!c->lines) return false;
    memset(c->lines, 0, n * sizeof *c->lines);
    return true;
}

uint32_t l1_take(struct l1 *c, uint64_t line, uint32_t sectors) {
    uint64_t *at = &c->lines[line % c->n];
    uint32_t has = *at >> 4 == line ? *at & 15 : 0;
    *at = line << 4 | has | sectors;
    return sectors & ~has;
}

bool l2_make(struct l2 *c, uint64_t bytes, struct charges *charges) {
    c->n = (uint32_t)(bytes >> PIECE_SHIFT);
    if (!c->n) c->n = 1;
    c->pieces = charges_zeroed(charges, c->n * sizeof *c->pieces,
                               "the clock's picture of L2");
    return c->pieces != NULL;
}

uint32_t l2_take(struct l2 *c, uint64_t line, uint32_t sectors, bool written,
                 uint64_t *evicted) {
    uint64_t number = line >> (PIECE_SHIFT - LINE_SHIFT);
    struct l2_piece *p = &c->pieces[number % c->n];
    *evicted = 0;
    if (p->number != number) {
        *evicted = SECTOR * (uint64_t)(__builtin_popcountll(p->written[0]) +
                                       __builtin_popcountll(p->written[1]));
        *p = (struct l2_piece){.number = number};
    }
    uint32_t first = (uint32_t)(line & 31) * 4; /* of 128 sectors */
    uint64_t bits = (uint64_t)sectors << (first & 63);
    uint64_t lacks = bits & ~p->has[first >> 6];
    p->has[first >> 6] |= bits;
    if (written) p->written[first >> 6] |= bits;
    return (uint32_t)(lacks >> (first & 63));
}
