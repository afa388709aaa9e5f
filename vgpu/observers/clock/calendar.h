/* SPDX-License-Identifier: MIT
 *
 * calendar.h: a server of limited rate that all multiprocessors share, such as
 * DRAM.
 *
 * How to read this: time is cut into slots, and each has room for so many
 * bytes. A request takes the first free room at or after its time. So the order
 * of the calls does not matter: multiprocessors are simulated one after
 * another, and a request never waits for one that is later in model time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "charges.h"

enum { CALENDAR_SLOTS = 1 << 14, CALENDAR_PS = 4096 };

struct calendar {
    uint64_t room;        /* bytes in a slot */
    uint64_t full, empty; /* all slots of [full, empty) are full */
    struct calendar_slot {
        uint64_t number, used;
    } * slots;
};

/* False: out of memory. slots are freed as charged. */
bool calendar_make(struct calendar *, uint64_t bytes_per_ns, struct charges *);
/* Takes the earliest free room for these bytes from `time` on; returns when the
 * last of them is served. */
uint64_t calendar_take(struct calendar *, uint64_t time, uint64_t bytes);
