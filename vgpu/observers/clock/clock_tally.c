/* SPDX-License-Identifier: MIT
 *
 * clock_tally.c: how many of a launch's messages have nothing to do with the
 * block that sends and gets most of them. Where one block collects what all
 * others have and tells each of them what it needs, there are none.
 */
#include <string.h>

#include "clock_inside.h"

enum { FIRST_BLOCKS = 1 << 8, MOST_BLOCKS = 1 << 22 };

void clock_tally_begins(struct clock *k) {
    struct clock_tally *t = &k->tally;
    t->n = 0;
    if (t->of_block)
        memset(t->of_block, 0, (size_t)t->room * sizeof *t->of_block);
}

static bool clock_tally_has_room(struct clock *k, uint32_t block) {
    struct clock_tally *t = &k->tally;
    uint32_t room = t->room ? t->room : FIRST_BLOCKS;
    if (block < t->room) return true;
    while (room <= block && room < MOST_BLOCKS) room *= 2;
    if (block >= room) return false;
    uint32_t *list =
        charges_zeroed(k->charges, (size_t)room * sizeof *list, NULL);
    if (!list) return false;
    if (t->room) memcpy(list, t->of_block, (size_t)t->room * sizeof *list);
    charges_free(k->charges, t->of_block);
    t->of_block = list;
    t->room = room;
    return true;
}

void clock_tally_adds(struct clock *k, uint32_t from, uint32_t to) {
    struct clock_tally *t = &k->tally;
    if (!clock_tally_has_room(
            k, larger(from, to))) { /* so many are not kept apart */
        k->messages->lost = true;
        return;
    }
    t->n++;
    t->of_block[from]++;
    t->of_block[to]++;
}

uint64_t clock_tally_side(const struct clock *k) {
    const struct clock_tally *t = &k->tally;
    uint32_t most = 0;
    for (uint32_t b = 0; b < t->room; b++) most = larger(most, t->of_block[b]);
    return t->n - most;
}
