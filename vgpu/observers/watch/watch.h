/* SPDX-License-Identifier: MIT
 *
 * watch.h: the stream of events of a running grid. The code that executes
 * something calls watch_<event>(on, ...), and this calls each observer (a row
 * of OBSERVERS in observers.def) that has a function for the event.
 *
 * `on` has a bit for each observer of the launch (machine.watching). Where it
 * is a constant the compiler leaves out the calls of other observers: loads and
 * stores are compiled once for each combination that matters (load_store.c).
 * Where a header defines the observer, as for all of today's, the compiler also
 * knows which events it has functions for, and calls them directly. Others are
 * called through their table of functions.
 */
#pragma once

#include "above.h"
#include "counts.h"
#include "event.h"
#include "taint.h"
#include "race.h"
#include "state.h"
#include "steps.h"
#include "trace.h"
#include "uses.h"
#include "feeds.h"
#include "waiting.h"
#include "weak.h"

#define X(NAME, name, ...) extern const struct observer name##_observer;
OBSERVERS(X, )
#undef X

/* The observers of this launch, without those that watch every launch. */
static inline unsigned watchers_of(const struct machine *m) {
    unsigned on = 0;
#define X(NAME, name, ...)                                                     \
    if (name##_observer.watches && name##_observer.watches(m))                 \
        on |= WATCH_##NAME;
    OBSERVERS(X, )
#undef X
    return on;
}

/* Defines watch_<event>. */
#define UNPACK(...) __VA_ARGS__
#define TELL(NAME, name, event, arguments)                                     \
    if ((!name##_observer.watches || on & WATCH_##NAME) &&                     \
        name##_observer.event)                                                 \
        name##_observer.event arguments;
#define X(event, parameters, arguments)                                        \
    static inline void watch_##event(unsigned on, UNPACK parameters) {         \
        OBSERVERS(TELL, event, arguments)                                      \
    }
EVENTS(X)
#undef X
#undef TELL
#undef UNPACK
