/* SPDX-License-Identifier: MIT
 *
 * calendar.c: see calendar.h.
 */
#include "calendar.h"

bool calendar_make(struct calendar *c, uint64_t bytes_per_ns,
                   struct charges *charges) {
    c->room = bytes_per_ns * CALENDAR_PS / 1000;
    if (!c->room) c->room = 1;
    c->full = c->empty = 0;
    c->slots = charges_zeroed(charges, CALENDAR_SLOTS * sizeof *c->slots,
                              "the clock's calendars");
    return c->slots != NULL;
}

/* This slot has no room left: remembered, because the next request will ask
 * again. */
static void is_full(struct calendar *c, uint64_t at) {
    if (at == c->empty)
        c->empty++;
    else if (at + 1 == c->full)
        c->full = at;
    else if (at > c->empty)
        c->full = at, c->empty = at + 1;
}

uint64_t calendar_take(struct calendar *c, uint64_t time, uint64_t bytes) {
    uint64_t at = time / CALENDAR_PS;
    for (;; at++) {
        if (at >= c->full && at < c->empty) at = c->empty;
        struct calendar_slot *s = &c->slots[at % CALENDAR_SLOTS];
        if (s->number > at) return time; /* so old that nobody knows */
        if (s->number < at) *s = (struct calendar_slot){.number = at};
        uint64_t left = c->room - s->used;
        if (bytes < left) {
            s->used += bytes;
            uint64_t done = at * CALENDAR_PS + s->used * CALENDAR_PS / c->room;
            return at == time / CALENDAR_PS || done < time ? time : done;
        }
        bytes -= left;
        s->used = c->room;
        is_full(c, at);
    }
}
