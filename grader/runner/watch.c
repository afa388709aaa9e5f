/* SPDX-License-Identifier: MIT
 *
 * watch.c: see watch.h.
 */
#include "watch.h"

#include <sched.h>
#include <string.h>

#include "runner.h"

struct watch_state watch;
static atomic_flag busy = ATOMIC_FLAG_INIT;

void watch_lock(void) {
    for (unsigned i = 1; atomic_flag_test_and_set(&busy); i++)
        if (i % 64 == 0) sched_yield();
}

void watch_unlock(void) {
    atomic_flag_clear(&busy);
}

void watch_found(enum wire_watch what, uintptr_t pc, uint64_t value,
                 uint64_t value2) {
    struct wire_message m = {.kind = WIRE_FOUND, .status = what};
    if (!watch_has(what) || atomic_exchange(&watch.found[what], true)) return;
    m.value = value;
    m.value2 = value2;
    if (pc) signals_place(&m.u.report, pc - 1);
    runner_say(&m);
}

void watch_begin(const struct wire_call *c, struct watch_array in,
                 struct watch_array out) {
    memset(&watch, 0, sizeof watch);
    watch.bits = c->watch;
    watch.in = c->in_place ? out : in;
    watch.out = out;
    watch.in_place = c->in_place;
    watch.n = c->n;
    watch.threads = (unsigned)c->parameters[PARAMETER_threads];
    watch_threads_begin();
    watch_heap_begin();
    if (watch_has(WIRE_WATCH_THREAD) && !watch_race_begin()) watch.lost = true;
    watch_idea_begin();
    watch.on = true;
}

void watch_end(void) {
    if (!watch.on) return;
    watch.on = false;
    watch_idea_end();
    watch_race_end();
    watch_heap_end();
}
