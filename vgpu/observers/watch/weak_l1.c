/* SPDX-License-Identifier: MIT
 *
 * weak_l1.c: old lines of the L1 caches, from which plain loads may be served.
 */
#include "weak_inside.h"

#include <string.h>

enum { EARLY_SMS = 2 /* per line that is written */ };

void l1_forget(struct l1 *l1, uint64_t line) {
    struct line *kept = l1_find(l1, line);
    if (!kept) return;
    ptrdiff_t k = kept - l1->lines;
    l1->n--;
    l1->low[k] = l1->low[l1->n];
    l1->address[k] = l1->address[l1->n];
    l1->lines[k] = l1->lines[l1->n];
}

static uint32_t low_of(uint64_t line) {
    return (uint32_t)(line / LINE);
}

/* Sixteen in one step, which the compiler compares by vectors. */
struct line *l1_find(struct l1 *l1, uint64_t line) {
    for (uint32_t k = 0; k < l1->n; k += 16) {
        uint32_t found = 0, low = low_of(line);
        for (uint32_t j = k; j < k + 16; j++) found |= l1->low[j] == low;
        if (!found) continue;
        for (uint32_t j = k; j < k + 16 && j < l1->n; j++)
            if (l1->address[j] == line) return &l1->lines[j];
    }
    return NULL;
}

/* Copies a line from memory into the cache; a full cache drops a line at
 * random. */
static struct line *keep_line(struct machine *m, struct l1 *l1,
                              uint64_t address) {
    struct weak_state *s = weak_of(m);
    struct allocation *a = memory_range(m->memory, address, 1);
    if (!a) return NULL;
    uint32_t k = l1->n < MAX_LINES
                     ? l1->n++
                     : (uint32_t)(random_next(&s->random) % MAX_LINES);
    uint64_t left = a->size - (address - a->region.base);
    l1->low[k] = low_of(address);
    l1->address[k] = address;
    l1->lines[k].time = s->old.time;
    memcpy(l1->lines[k].data, a->region.bytes + (address - a->region.base),
           left < LINE ? (size_t)left : LINE);
    return &l1->lines[k];
}

struct line *l1_fill(struct context *c, uint64_t line) {
    if (random_next(&weak_of(c->machine)->random) & 1) return NULL;
    return keep_line(c->machine, l1_of(c), line);
}

/* A plain load may be executed before another load that precedes it in the
 * program. So a line that another SM's store is about to change may be in the
 * L1 already, until the next fence there. */
void l1_keep_old(struct machine *m, uint32_t writer, uint64_t line) {
    struct weak_state *s = weak_of(m);
    uint32_t sms = s->n_sms;
    for (uint32_t j = 0; j < EARLY_SMS && j < sms - 1; j++) {
        uint32_t sm =
            (uint32_t)((writer + 1 + random_next(&s->random) % (sms - 1)) %
                       sms);
        if (random_next(&s->random) & 1 && !l1_find(&s->l1[sm], line))
            keep_line(m, &s->l1[sm], line);
    }
}
