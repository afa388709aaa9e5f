/* SPDX-License-Identifier: MIT
 *
 * observer.h: what an observer of a launch is, and the state that it owns.
 *
 * How to read this: the machine knows that there are observers, and not which.
 * For each observer it keeps slots, pointers that only that observer reads: one
 * for a launch (machine.slots), each resident block, each warp, each
 * instruction (machine.insn_slots, at the instruction's number) and each
 * allocation (memory_shadow). Where the observer gives a size, the machine
 * allocates so many bytes and zeroes them before the first event; blocks that
 * run one after another in the same place share them. Where it gives none, the
 * observer fills and frees the slot itself.
 */
#pragma once

#include "machine.h"
#include "events.def"
#include "observers.def"

struct access;
struct async_copy;
struct async_op;
struct child;
struct even_hint;
struct mbarrier;
struct shuffle;
struct small;
struct matrix_moves;

enum observer_number {
#define X(NAME, name, ...) OBSERVER_##NAME,
    OBSERVERS(X, )
#undef X
        N_OBSERVERS
};
_Static_assert((int)N_OBSERVERS <= OBSERVER_SLOTS, "a slot for each");

/* A bit in machine.watching for each. */
enum {
#define X(NAME, name, ...) WATCH_##NAME = 1u << OBSERVER_##NAME,
    OBSERVERS(X, )
#undef X
};

struct observer {
    bool (*watches)(const struct machine *); /* NULL: every launch */
    const char *what;                        /* its memory, in messages */
    size_t block, warp, insn;                /* bytes of state of each */
#define X(event, parameters, arguments) void(*event) parameters;
    EVENTS(X)
#undef X
};
