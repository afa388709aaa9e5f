/* SPDX-License-Identifier: MIT
 *
 * slots.c: see slots.h.
 */
#include "slots.h"

/* The next one to ask need not look at it. */
static void is_full(struct slots *s, uint64_t at) {
    if (at == s->empty)
        s->empty++;
    else if (at + 1 == s->full)
        s->full = at;
    else if (at > s->empty)
        s->full = at, s->empty = at + 1;
}

/* What the slot gives from place `from` on, at most `takes`; *begin: where. */
static inline uint32_t slot_gives(struct slot *e, uint32_t from, uint64_t takes,
                                  uint32_t *begin) {
    uint32_t till = e->till, used = e->used, end = SLOT_PS;
    if (from < till && till - from > used)
        end = till - used; /* what is left in front of it */
    else if (from < till)
        from = till;
    uint32_t gives = end - from;
    if (gives > takes) gives = (uint32_t)takes;
    *begin = from;
    e->used = (uint16_t)(used + gives);
    if (from + gives > till) e->till = (uint16_t)(from + gives);
    return gives;
}

uint64_t slots_search(struct slots *s, uint64_t time, uint64_t takes) {
    uint64_t at = time >> SLOT_SHIFT, begin = 0;
    uint32_t from = time & (SLOT_PS - 1), place;
    for (;; at++, from = 0) {
        if (at >= s->full && at < s->empty) at = s->empty, from = 0;
        struct slot *e = &s->ring[at % N_SLOTS];
        int32_t newer = (int32_t)(e->number - (uint32_t)at);
        if (newer > 0) return begin ? begin : time; /* too long ago */
        if (newer < 0) *e = (struct slot){.number = (uint32_t)at};
        uint32_t gives = slot_gives(e, from, takes, &place);
        if (e->used >= SLOT_PS) is_full(s, at);
        if (!gives) continue;
        if (!begin) begin = at << SLOT_SHIFT | place;
        if (takes == gives) return begin;
        takes -= gives;
    }
}
