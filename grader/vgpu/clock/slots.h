/* SPDX-License-Identifier: MIT
 *
 * slots.h: a unit of a multiprocessor that does one thing at a time: a
 * scheduler, an adder, the banks of shared memory.
 *
 * How to read this: as calendar.h, in little: time is cut into slots, and each
 * remembers how much of it is taken. So warps may be simulated one after
 * another, each for a while, and a later one still finds the time that an
 * earlier one left: the oldest warp goes first, as on hardware.
 */
#pragma once

#include <stdint.h>

enum { SLOT_SHIFT = 12, SLOT_PS = 1 << SLOT_SHIFT, N_SLOTS = 1 << 9 };

struct slots {
    struct slot {
        uint32_t number;
        uint16_t used, till; /* ps in all; nothing is taken behind `till` */
    } ring[N_SLOTS];
};

/* What the slot gives from place `from` on, at most `takes`; *begin: where.
 * What lies in front of `till` may be anywhere: it is taken to be in the way.
 */
static inline uint32_t slot_gives(struct slot *e, uint32_t from, uint64_t takes,
                                  uint32_t *begin) {
    if (from < e->till && e->till - from > e->used) { /* time left over */
        uint32_t gap = e->till - from - e->used;
        if (gap > takes) gap = (uint32_t)takes;
        *begin = from;
        e->used = (uint16_t)(e->used + gap);
        return gap;
    }
    if (from < e->till) from = e->till;
    uint32_t room = SLOT_PS - from;
    if (room > takes) room = (uint32_t)takes;
    *begin = from;
    e->used = (uint16_t)(e->used + room);
    e->till = (uint16_t)(from + room);
    return room;
}

/* Takes the unit for `takes` ps from `time` on, or as soon after as there is
 * room; when it begins. */
static inline uint64_t slots_take(struct slots *s, uint64_t time,
                                  uint64_t takes) {
    uint64_t at = time >> SLOT_SHIFT, begin = 0;
    uint32_t from = time & (SLOT_PS - 1), place;
    for (;; at++, from = 0) {
        struct slot *e = &s->ring[at % N_SLOTS];
        int32_t newer = (int32_t)(e->number - (uint32_t)at);
        if (newer > 0) return begin ? begin : time; /* too long ago */
        if (newer < 0) *e = (struct slot){.number = (uint32_t)at};
        uint32_t gives = slot_gives(e, from, takes, &place);
        if (!gives) continue;
        if (!begin) begin = (at << SLOT_SHIFT) + place;
        if (takes == gives) return begin;
        takes -= gives;
    }
}
