/* SPDX-License-Identifier: MIT
 *
 * watch.h: the one stream of events that everything which watches a grid run
 * learns from. Whoever executes something tells it by watch_<event>(on, ...);
 * each row of observers.def's OBSERVERS says who hears of it.
 *
 * `on` holds the watchers of the launch as bits (machine.watching). Where it is
 * a constant the compiler leaves out the calls that nobody needs: loads and
 * stores are compiled once for each combination that matters (load_store.c).
 * And where an observer is defined in a header, as those are that are here now,
 * it knows at compile time which events the observer hears, and calls it
 * directly. Others are called through their table of functions.
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
#include "waiting.h"
#include "weak.h"

#define X(NAME, name, ...) extern const struct observer name##_observer;
OBSERVERS(X, )
#undef X

/* Who watches this launch, beside those who watch every one. */
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
