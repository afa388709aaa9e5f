/* SPDX-License-Identifier: MIT
 *
 * waiting.c: recognises a group that waits for another thread (it spins), and
 * counts what the group does meanwhile in SPIN_INSTRUCTIONS.
 *
 * A poll is a strong load (volatile, relaxed, acquire) or an atomic that
 * changed nothing. A group spins when the same instruction reads the same
 * values at the same addresses again, and the group stored nothing in between.
 * Several instructions are remembered, because a loop may poll more than one
 * word.
 *
 * Counting: how often a thread polls depends on the schedule. So only the first
 * poll of a wait and the exit from its loop may count as usual. A group that
 * has polled keeps a *trace* of what it executes. When it comes back to a poll
 * in the trace, with the same operands, then the steps since that poll were one
 * round of waiting: they move to SPIN_INSTRUCTIONS, and so does the new poll.
 * Work ends a trace: stores, arithmetic on data, barriers, shuffles of data,
 * calls, and loads that read elsewhere in the next round. So polling hides
 * nothing that is graded.
 *
 * When lanes leave the loop one by one, counts per thread are still exact and
 * counts per warp are not. A loop whose lanes part and meet within a round
 * counts as waiting in the search for deadlocks (polls_join), but its rounds
 * count as usual.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "waiting.h"
#include "copies.h"
#include "counts.h"
#include "taint.h"
#include "recount.h"

static struct poll *polls_of(struct warp *w, const struct group *g) {
    return w->seen ? w->seen + (g - w->groups) * POLL_SLOTS : NULL;
}

/* The group's polls; NULL: out of memory. */
static struct poll *make_polls(struct context *c) {
    struct warp *w = c->warp;
    if (!w->seen)
        w->seen = charges_bytes(&c->machine->memory->charges,
                                WARP_LANES * POLL_SLOTS * sizeof *w->seen,
                                "what its threads poll");
    if (w->seen) return polls_of(w, c->group);
    c->machine->status = VGPU_OUT_OF_MEMORY;
    return NULL;
}

void poll_seen(struct context *c, uint64_t address, uint64_t what) {
    struct polls *p = &c->group->polls;
    struct poll *seen = make_polls(c);
    if (!seen) return;
    p->at = c->insn;
    p->address = address;
    p->latest = c->machine->executed;
    for (uint32_t k = 0; k < p->n; k++) {
        if (seen[k].at != c->insn) continue;
        if (seen[k].seen == what) {
            p->same++;
        } else {
            seen[k].seen = what;
            p->same = 0;
            c->machine->progress++;
        }
        return;
    }
    seen[p->next] = (struct poll){c->insn, what};
    p->next = (p->next + 1) % POLL_SLOTS;
    if (p->n < POLL_SLOTS) p->n++;
    p->same = 0;
    c->machine->progress++;
}

static void copy_polls(struct polls *to, struct poll *to_seen,
                       const struct polls *from, const struct poll *from_seen) {
    *to = *from;
    if (from->n) memcpy(to_seen, from_seen, from->n * sizeof *to_seen);
}

void polls_split(struct warp *w, const struct group *from, struct group *to) {
    copy_polls(&to->polls, polls_of(w, to), &from->polls, polls_of(w, from));
}

/* Lanes may part, poll and meet in each round of a loop. What one part saw must
 * not be lost when the other part's group goes on for both. */
void polls_join(struct warp *w, struct join *j, const struct group *g) {
    if (g->polls.latest > j->polls.latest)
        copy_polls(&j->polls, j->seen, &g->polls, polls_of(w, g));
}

void polls_go_on(struct warp *w, struct group *g, const struct join *j) {
    copy_polls(&g->polls, polls_of(w, g), &j->polls, j->seen);
}

/* ---- traces ---- */

enum { MAX_STEPS = 512, MAX_ACCESSES = 32, NO_ACCESS = -1, NO_STEP = -1 };

struct step {
    const struct insn *insn;
    uint32_t lanes, group; /* lanes that executed it; lanes of the group */
    uint32_t votes;        /* SHUFFLES counted */
    int access;            /* index, or NO_ACCESS */
};

/* A load or an atomic of this round or an earlier one. */
struct spin_access {
    const struct insn *insn;
    uint32_t lanes;
    int step; /* its latest step in the trace, or NO_STEP */
    uint64_t operands[WARP_LANES];
    /* Not of those that no instruction changes: from LAUNCHES to LINK_BYTES. */
    uint32_t cost[VGPU_N_COUNTERS];
};

struct spin_trace {
    struct spin_trace *next_free;
    uint32_t n_steps, n_accesses;
    uint64_t before[VGPU_N_COUNTERS]; /* counts of the current access */
    struct spin_access accesses[MAX_ACCESSES];
    struct step steps[MAX_STEPS];
};

void spin_fetch(const struct group *g) {
    enum { LINE = 64, LINES = 8 };
    const struct spin_trace *t = g->trace;
    if (!t) return;
    const uint8_t *parts[] = {(const void *)t, (const void *)t->steps};
    for (size_t k = 0; k < 2 * LINES; k++)
        __builtin_prefetch(parts[k / LINES] + k % LINES * LINE);
}

static struct spin_trace *trace_new(struct machine *m) {
    struct spin_trace *t = m->slots[OBSERVER_WAITING];
    if (t)
        m->slots[OBSERVER_WAITING] = t->next_free;
    else
        t = charges_bytes(&m->memory->charges, sizeof *t, NULL);
    if (t) t->n_steps = t->n_accesses = 0;
    return t;
}

void spin_stop(struct machine *m, struct group *g) {
    struct spin_trace *t = g->trace;
    if (!t) return;
    t->next_free = m->slots[OBSERVER_WAITING]; /* those that are free */
    m->slots[OBSERVER_WAITING] = t;
    g->trace = NULL;
}

void spin_split(struct machine *m, const struct group *from, struct group *to) {
    if (!from->trace) return;
    const struct spin_trace *f = from->trace;
    struct spin_trace *t = to->trace = trace_new(m);
    if (!t) return;
    memcpy(t, f, offsetof(struct spin_trace, accesses));
    memcpy(t->accesses, f->accesses, f->n_accesses * sizeof *t->accesses);
    memcpy(t->steps, f->steps, f->n_steps * sizeof *t->steps);
}

void waiting_launch_ends(struct machine *m) {
    struct spin_trace *t = m->slots[OBSERVER_WAITING];
    while (t) {
        struct spin_trace *next = t->next_free;
        charges_free(&m->memory->charges, t);
        t = next;
    }
    m->slots[OBSERVER_WAITING] = NULL;
}

static void add_step(struct context *c, struct step step) {
    struct spin_trace *t = c->group->trace;
    if (!t) return;
    if (t->n_steps == MAX_STEPS) {
        spin_stop(c->machine, c->group);
        return;
    }
    step.group = c->group->mask;
    if (step.access != NO_ACCESS)
        t->accesses[step.access].step = (int)t->n_steps;
    t->steps[t->n_steps++] = step;
}

void spin_step(struct context *c, const struct insn *i, uint32_t lanes,
               uint64_t votes) {
    add_step(c, (struct step){.insn = i,
                              .lanes = lanes,
                              .votes = (uint32_t)votes,
                              .access = NO_ACCESS});
}

/* ---- a round of waiting ---- */

static void to_spin(const struct machine *m, const struct insn *i,
                    uint32_t lanes, bool warp, const uint32_t *cost) {
    uint64_t threads = (uint64_t)__builtin_popcount(lanes);
    struct issued *issued = issued_of(m, i);
    issued->threads -= threads;
    waits_of(m, i)->threads += threads;
    if (!warp) return;
    issued->warps--;
    uint64_t *counts = costs_of(m, i);
    if (!cost) return;
    for (int k = 0; k < VGPU_COUNT_LAUNCHES; k++) counts[k] -= cost[k];
    for (int k = VGPU_COUNT_LINK_BYTES; k < VGPU_N_COUNTERS; k++)
        counts[k] -= cost[k];
}

/* The steps from `first` on were a round of waiting, for the lanes that are
 * here now. */
static void move_steps(const struct machine *m, struct spin_trace *t,
                       uint32_t first, uint32_t here) {
    for (uint32_t k = first; k < t->n_steps; k++) {
        const struct step *s = &t->steps[k];
        bool all = s->group == here;
        to_spin(m, s->insn, s->lanes & here, all,
                s->access == NO_ACCESS ? NULL : t->accesses[s->access].cost);
        if (all) costs_of(m, s->insn)[VGPU_COUNT_SHUFFLES] -= s->votes;
    }
    t->n_steps = first;
    for (uint32_t k = 0; k < t->n_accesses; k++)
        if (t->accesses[k].step >= (int)first) t->accesses[k].step = NO_STEP;
}

static bool looks_elsewhere(const struct spin_access *a, uint32_t lanes,
                            const uint64_t *operands) {
    if (lanes & ~a->lanes) return true;
    for (uint32_t m = lanes; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (a->operands[l] != operands[l]) return true;
    }
    return false;
}

/* ---- accesses ---- */

static void set_cost(const struct machine *m, struct spin_access *a,
                     const struct spin_trace *t, const struct insn *i) {
    const uint64_t *counts = costs_of(m, i);
    for (int k = 0; k < VGPU_COUNT_LAUNCHES; k++)
        a->cost[k] = (uint32_t)(counts[k] - t->before[k]);
    for (int k = VGPU_COUNT_LINK_BYTES; k < VGPU_N_COUNTERS; k++)
        a->cost[k] = (uint32_t)(counts[k] - t->before[k]);
    recount_cost(i, a->cost);
}

static struct spin_access *find_access(struct spin_trace *t,
                                       const struct insn *i) {
    for (uint32_t k = 0; t && k < t->n_accesses; k++)
        if (t->accesses[k].insn == i) return &t->accesses[k];
    return NULL;
}

static void first_time(struct context *c, const struct insn *i, uint32_t lanes,
                       const uint64_t *operands) {
    struct spin_trace *t = c->group->trace;
    bool wanders = waits_of(c->machine, i)->wanders;
    if (wanders) c->group->polls.same = 0; /* the group does not wait */
    if (t->n_accesses == MAX_ACCESSES || wanders) {
        spin_stop(c->machine, c->group);
        return;
    }
    struct spin_access *a = &t->accesses[t->n_accesses++];
    a->insn = i;
    a->lanes = lanes;
    memcpy(a->operands, operands, sizeof a->operands);
    set_cost(c->machine, a, t, i);
    add_step(c, (struct step){.insn = i,
                              .lanes = lanes,
                              .access = (int)(a - t->accesses)});
}

/* Compilers put the first poll of a loop before the loop. It is then another
 * instruction than the poll in the loop, which repeats it. */
static struct spin_access *find_first_poll(struct spin_trace *t,
                                           const struct insn *i, uint32_t lanes,
                                           const uint64_t *operands) {
    for (uint32_t k = 0; t && i->kind == KIND_LOAD && k < t->n_accesses; k++) {
        struct spin_access *a = &t->accesses[k];
        const struct insn *first = a->insn;
        if (first->kind != KIND_LOAD || first->order == ORDER_WEAK ||
            first->space != i->space || first->bytes != i->bytes ||
            first->n_elements != i->n_elements || a->step == NO_STEP ||
            looks_elsewhere(a, lanes, operands))
            continue;
        for (uint32_t n = (uint32_t)a->step + 1; n < t->n_steps; n++)
            if (t->steps[n].insn->kind == KIND_BRANCH) return a;
    }
    return NULL;
}

static void again(struct context *c, struct spin_access *a, uint32_t lanes,
                  bool may_poll) {
    struct spin_trace *t = c->group->trace;
    const struct insn *i = c->insn;
    set_cost(c->machine, a, t, i);
    if (may_poll && a->step != NO_STEP) {
        move_steps(c->machine, t, (uint32_t)a->step + 1, c->group->mask);
        to_spin(c->machine, i, lanes, true, a->cost);
    } else {
        add_step(c, (struct step){.insn = i,
                                  .lanes = lanes,
                                  .access = (int)(a - t->accesses)});
    }
}

void spin_before(struct context *c) {
    struct spin_trace *t = c->group->trace;
    if (!t) return;
    /* Others' accesses would be in the difference otherwise. */
    counts_collect(c->machine, c->insn);
    memcpy(t->before, costs_of(c->machine, c->insn), sizeof t->before);
}

void spin_seen(struct context *c, uint32_t lanes, const uint64_t *operands,
               bool may_poll) {
    struct group *g = c->group;
    const struct insn *i = c->insn;
    struct spin_access *a = find_access(g->trace, i);
    if (!a && may_poll) a = find_first_poll(g->trace, i, lanes, operands);
    if (a && looks_elsewhere(a, lanes, operands)) {
        if (!may_poll) { /* its rounds count as work */
            waits_of(c->machine, i)->wanders = true;
            g->polls.same = 0;
        }
        spin_stop(c->machine, g);
        a = NULL;
    }
    if (a) {
        again(c, a, lanes, may_poll);
        return;
    }
    if (!g->trace && may_poll) {
        struct spin_trace *t = g->trace = trace_new(c->machine);
        if (t) memcpy(t->before, costs_of(c->machine, i), sizeof t->before);
    }
    if (g->trace) first_time(c, i, lanes, operands);
}

/* ---- what waiting may be made of ---- */

/* Instructions that waiting for another thread may be made of. */
static bool may_wait(const struct insn *i) {
    switch ((enum insn_kind)i->kind) {
    case KIND_BRANCH:
    case KIND_JOIN:
    case KIND_FENCE:
    case KIND_VOTE:
    case KIND_MATCH:
    case KIND_ELECT:
    case KIND_WARP_SYNC:
    case KIND_ACTIVE_MASK:
    case KIND_CLOCK:
    case KIND_NOTHING: return true;
    default: return false;
    }
}

bool spin_sees(const struct insn *i) {
    if (i->kind == KIND_MBARRIER) {
        const struct mbarrier_op *op = i->extra;
        return op->verb == MBARRIER_TEST_WAIT || op->verb == MBARRIER_TRY_WAIT;
    }
    return i->kind == KIND_ATOMIC || i->kind == KIND_LOAD;
}

/* A shuffle or reduction of what a poll saw, which is no data yet. */
static bool hands_on_no_data(struct context *c, const struct insn *i,
                             uint32_t lanes) {
    if (i->kind != KIND_SHUFFLE && i->kind != KIND_REDUX) return false;
    return !c->machine->track_data ||
           !(*taint_of(c, i->operands.at[2]) & lanes);
}

void spin_ahead(struct context *c, const struct insn *i, uint32_t lanes) {
    if (spin_sees(i)) return;
    if (!may_wait(i) && !hands_on_no_data(c, i, lanes))
        spin_stop(c->machine, c->group);
    else if (is_control(i->kind) && i->source)
        spin_step(c, i, lanes, 0);
}
