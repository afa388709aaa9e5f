/* SPDX-License-Identifier: MIT
 *
 * watch.h: the one stream of events that everything which watches a grid run
 * learns from. Whoever executes something tells it by watch_<event>(on, ...);
 * watch.def says who hears of it.
 *
 * `on` holds the watchers of the launch as bits (machine.watching). Where it is
 * a constant the compiler leaves out the calls that nobody needs: loads and
 * stores are compiled once for each combination that matters (load_store.c).
 * Beside this stream stands what belongs to one observer alone: polls and what
 * is done between them (waiting.h), marks of registers (marks.h), copies that
 * arrive later (race.h).
 */
#pragma once

#include "counts.h"
#include "event.h"

struct async_copy;
struct mbarrier;

#include "watch.def"

enum watcher {
    WATCHER_ALWAYS,
#define X(name, when) WATCHER_##name,
    WATCHERS(X)
#undef X
};
enum {
    WATCH_ALWAYS = 1u << WATCHER_ALWAYS,
#define X(name, when) WATCH_##name = 1u << WATCHER_##name,
    WATCHERS(X)
#undef X
};

/* Who watches this launch. */
static inline unsigned watchers_of(const struct machine *m) {
    unsigned on = WATCH_ALWAYS;
#define X(name, when) on |= (when) ? WATCH_##name : 0u;
    WATCHERS(X)
#undef X
    return on;
}

/* Declares the functions of an event's observers, where they are not inline,
 * and defines watch_<event>. */
#define UNPACK(...) __VA_ARGS__
#define DECLARE(observer, watcher, event, parameters, arguments)               \
    void observer##_##event parameters;
#define TELL(observer, watcher, event, parameters, arguments)                  \
    if (WATCH_##watcher == WATCH_ALWAYS || on & WATCH_##watcher)               \
        observer##_##event arguments;
#define EVENT(rows, event, parameters, arguments)                              \
    rows(DECLARE, event, parameters,                                           \
         arguments) static inline void watch_##event(unsigned on,              \
                                                     UNPACK parameters) {      \
        rows(TELL, event, parameters, arguments)                               \
    }

EVENT(ON_ISSUED, issued, (struct insn * i, uint32_t lanes), (i, lanes))
EVENT(ON_PUT_BACK, put_back, (struct context * c), (c))
EVENT(ON_EXCHANGED, exchanged, (struct insn * i), (i))
EVENT(ON_PARTED, parted, (struct insn * i), (i))
EVENT(ON_WARP_CAME, warp_came, (struct insn * i), (i))
EVENT(ON_SCATTERED, scattered, (struct context * c, struct access *x), (c, x))
EVENT(ON_ACCESS, access, (struct context * c, struct access *x), (c, x))
EVENT(ON_LOADED, loaded, (struct context * c, struct access *x), (c, x))
EVENT(ON_STORED, stored, (struct context * c, struct access *x), (c, x))
EVENT(ON_CHANGED, changed, (struct context * c, struct access *x, bool changed),
      (c, x, changed))
EVENT(ON_COPY_BEGINS, copy_begins, (struct context * c, struct async_copy *k),
      (c, k))
EVENT(ON_ARRIVES, arrives,
      (struct context * c, uint32_t lane, struct mbarrier *x), (c, lane, x))
EVENT(ON_PHASE_PASSED, phase_passed,
      (struct context * c, uint32_t lane, const struct mbarrier *x),
      (c, lane, x))
EVENT(ON_COPY_AWAITED, copy_awaited,
      (struct context * c, const struct async_copy *k, bool read), (c, k, read))
EVENT(ON_MET, met, (struct block * b), (b))
EVENT(ON_CAME, came, (struct context * c, uint32_t barrier, uint32_t lanes),
      (c, barrier, lanes))
EVENT(ON_PASSED, passed, (struct context * c, uint32_t lanes), (c, lanes))
EVENT(ON_SOME_MET, some_met, (struct block * b, uint32_t barrier), (b, barrier))
EVENT(ON_LANES_MET, lanes_met, (struct context * c, uint32_t lanes), (c, lanes))
EVENT(ON_FENCED, fenced, (struct context * c), (c))
EVENT(ON_BLOCK_FENCED, block_fenced, (struct context * c), (c))
EVENT(ON_LAUNCH_BEGINS, launch_begins, (struct machine * m), (m))
EVENT(ON_LAUNCH_ENDS, launch_ends, (struct machine * m), (m))
/* Where memory is short, machine.status says so. */
EVENT(ON_SLOT_MADE, slot_made, (struct block * b), (b))
EVENT(ON_BLOCK_STARTS, block_starts, (struct block * b), (b))
EVENT(ON_SLOT_FREED, slot_freed, (struct block * b), (b))

#undef EVENT
#undef TELL
#undef DECLARE
#undef UNPACK
