/* SPDX-License-Identifier: MIT
 * waiting.h: finds groups that wait for another thread by polling, and takes
 * what they execute meanwhile out of the counts (waiting.c).
 */
#pragma once

#include "observer.h"

/* What is kept for each instruction. */
struct insn_waits {
    uint64_t threads; /* executions by threads that waited: SPIN_INSTRUCTIONS */
    bool wanders;     /* a load whose address changes from round to round of a
                         wait */
};

static inline struct insn_waits *waits_of(const struct machine *m,
                                          const struct insn *i) {
    return (struct insn_waits *)m->insn_slots[OBSERVER_WAITING] + i->number;
}

void poll_seen(struct context *, uint64_t address, uint64_t what);
/* spin_before, spin_seen: called before and after the access of a load or
 * atomic that may be a poll, or that is executed while the group has a trace.
 * operands: values per lane; the access repeats an earlier one if all are
 * equal. */
void spin_before(struct context *);
void spin_seen(struct context *, uint32_t lanes, const uint64_t *operands,
               bool may_poll);
/* True: spin_seen must be called for this access. */
bool spin_sees(const struct insn *);
/* While the group has a trace: it is about to execute an instruction. */
void spin_ahead(struct context *, const struct insn *, uint32_t lanes);
/* While the group has a trace: it executed an instruction that is not an
 * access. */
void spin_step(struct context *, const struct insn *, uint32_t lanes,
               uint64_t votes);
/* The group does something else than polling, or has ended: its trace ends. */
void spin_stop(struct machine *, struct group *);
/* What groups have polled, when groups split and join. polls_split: `to`, the
 * other part of `from`, starts with the polls of `from`. polls_join: the join
 * keeps the later polls of its own and the arriving group's. polls_go_on: the
 * group that goes on after the join gets the join's. */
void polls_split(struct warp *, const struct group *from, struct group *to);
void polls_join(struct warp *, struct join *, const struct group *);
void polls_go_on(struct warp *, struct group *, const struct join *);
void spin_split(struct machine *, const struct group *from, struct group *to);
/* The group runs next: prefetches its trace into the cache. */
void spin_fetch(const struct group *);

void waiting_launch_ends(struct machine *);
static inline void waiting_group_parts(struct context *c,
                                       const struct group *from,
                                       struct group *to) {
    polls_split(c->warp, from, to);
    spin_split(c->machine, from, to);
}
static const struct observer waiting_observer = {
    .insn = sizeof(struct insn_waits),
    .launch_ends = waiting_launch_ends,
    .poll_begins = spin_before,
    .polled = poll_seen,
    .poll_ends = spin_seen,
    .steps_ahead = spin_ahead,
    .stepped = spin_step,
    .works = spin_stop,
    .group_parts = waiting_group_parts,
    .group_arrives = polls_join,
    .group_goes_on = polls_go_on,
    .group_is_next = spin_fetch};
