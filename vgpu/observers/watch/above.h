/* SPDX-License-Identifier: MIT
 *
 * above.h: the observers of rooms above this one, whose functions stand there.
 * They are listed here so that calls of them are direct (watch.h).
 */
#pragma once

#include "event.h"

/* access/shape.c */
void hints_launch_begins(struct machine *);
static const struct observer hints_observer = {
    .insn = sizeof(struct insn_hints), .launch_begins = hints_launch_begins};

/* The room clock. */
void clock_put_back(struct context *);
void clock_access(struct context *, struct access *);
void clock_changed(struct context *, struct access *, bool changed);
void clock_copy_begins(struct context *, struct async_copy *);
void clock_arrives(struct context *, uint32_t lane, struct mbarrier *);
void clock_phase_passed(struct context *, uint32_t lane,
                        const struct mbarrier *);
void clock_copy_awaited(struct context *, const struct async_copy *, bool read);
static inline bool clock_watches(const struct machine *m) {
    return m->slots[OBSERVER_CLOCK] != NULL;
}
static const struct observer clock_observer = {
    .watches = clock_watches,
    .put_back = clock_put_back,
    .access = clock_access,
    .changed = clock_changed,
    .copy_begins = clock_copy_begins,
    .arrives = clock_arrives,
    .phase_passed = clock_phase_passed,
    .copy_awaited = clock_copy_awaited};
