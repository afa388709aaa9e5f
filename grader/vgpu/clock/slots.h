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

#include <stdbool.h>
#include <stdint.h>

enum { SLOT_SHIFT = 12, SLOT_PS = 1 << SLOT_SHIFT, N_SLOTS = 1 << 10 };

struct slots {
    uint64_t full, empty; /* slots of [full, empty) have no time left */
    struct slot {
        uint32_t number;
        uint16_t used, till; /* ps in all; nothing is taken behind `till` */
    } ring[N_SLOTS];
};

/* slots.c: where the first slot does not have all of it. */
uint64_t slots_search(struct slots *, uint64_t time, uint64_t takes);

/* From place `from` on the slot has time for all of it. What lies in front of
 * `till` may be anywhere: it is taken to be in the way. */
static inline bool slot_has(const struct slot *e, uint32_t from, uint64_t takes,
                            uint32_t *begin) {
    if (from >= e->till) {
        *begin = from;
        return from + takes <= SLOT_PS;
    }
    if (e->used + takes <= (uint64_t)(e->till - from)) { /* left over */
        *begin = from;
        return true;
    }
    *begin = e->till;
    return e->till + takes <= SLOT_PS;
}

static inline void slot_give(struct slot *e, uint32_t begin, uint32_t takes) {
    e->used = (uint16_t)(e->used + takes);
    if (begin + takes > e->till) e->till = (uint16_t)(begin + takes);
}

/* Takes the unit for `takes` ps from `time` on, or as soon after as there is
 * room; when it begins. */
static inline uint64_t slots_take(struct slots *s, uint64_t time,
                                  uint64_t takes) {
    uint64_t at = time >> SLOT_SHIFT;
    struct slot *e = &s->ring[at % N_SLOTS];
    uint32_t from = time & (SLOT_PS - 1), begin = from;
    if ((int32_t)(e->number - (uint32_t)at) < 0 && from + takes < SLOT_PS)
        *e = (struct slot){.number = (uint32_t)at}; /* the first to come */
    else if (e->number != (uint32_t)at || !slot_has(e, from, takes, &begin))
        return slots_search(s, time, takes);
    slot_give(e, begin, (uint32_t)takes);
    return at << SLOT_SHIFT | begin;
}
