/* SPDX-License-Identifier: MIT
 *
 * waiting.h: groups that wait for another thread (waiting.c).
 */
#pragma once

#include "observer.h"

/* Of an instruction. */
struct insn_waits {
    uint64_t threads; /* executed while they waited: SPIN_INSTRUCTIONS */
    bool wanders;     /* load: not the same in each round of a wait */
};

static inline struct insn_waits *waits_of(const struct machine *m,
                                          const struct insn *i) {
    return (struct insn_waits *)m->insn_slots[OBSERVER_WAITING] + i->number;
}

void poll_seen(struct context *, uint64_t address, uint64_t what);
/* Called before and after the access of a load or atomic that may be a poll, or
 * that is executed while the group has a trace. operands, per lane: what has to
 * be equal for the access to be a repetition. */
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
/* The group does work, or has ended: its trace ends. */
void spin_stop(struct machine *, struct group *);
/* The other part of a group has seen what it has; a group has arrived at a
 * join, which takes over the later of the two; one group goes on for both. */
void polls_split(struct warp *, const struct group *from, struct group *to);
void polls_join(struct warp *, struct join *, const struct group *);
void polls_go_on(struct warp *, struct group *, const struct join *);
void spin_split(struct machine *, const struct group *from, struct group *to);
/* It is about to be needed: this computer may fetch what it begins with. */
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
