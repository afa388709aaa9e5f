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

/* Takes the unit for `takes` ps at `time`, or as soon after as there is room;
 * returns when it begins. A slot does not remember which of its time before
 * `till` is taken; the free part may be too scattered to be used. */
static inline uint64_t slots_take(struct slots *s, uint64_t time,
                                  uint64_t takes) {
    uint64_t at = time >> SLOT_SHIFT;
    struct slot *e = &s->ring[at % N_SLOTS];
    uint32_t number = (uint32_t)at, from = time & (SLOT_PS - 1);
    uint64_t end = from + takes;
    if (e->number != number) {
        if ((int32_t)(e->number - number) > 0 || end >= SLOT_PS)
            return slots_search(s, time, takes);
        *e = (struct slot){number, (uint16_t)takes, (uint16_t)end};
        return time; /* the first to come */
    }
    uint32_t till = e->till, used = e->used, begin = from;
    if (from < till) {
        if (used + takes <= till - from) { /* left over */
            e->used = (uint16_t)(used + takes);
            return time;
        }
        begin = till;
        end = till + takes;
    }
    if (end > SLOT_PS) return slots_search(s, time, takes);
    e->used = (uint16_t)(used + takes);
    e->till = (uint16_t)end;
    return at << SLOT_SHIFT | begin;
}
