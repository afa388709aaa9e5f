/* SPDX-License-Identifier: MIT
 *
 * stuck.c: reports a deadlock: who waits where, and for what.
 *
 * How to read this: the finding is about the first thread that polls or, when
 * none does, about the first that waits at a barrier. Its text says what that
 * thread waits for, who else waits, and, as far as the state of the grid shows
 * it, why nobody will come.
 */
#include <string.h>

#include "async.h"
#include "cluster.h"
#include "fault.h"
#include "groups.h"
#include "stuck.h"

enum { LISTED = 3 /* so many others are listed one by one */ };

/* ---- groups ---- */

static const struct insn *instruction(const struct group *g) {
    if (g->state == GROUP_READY) return g->polls.at;
    if (g->state == GROUP_AT_MBARRIER) return &g->frame->function->code[g->pc];
    return &g->frame->function->code[g->pc - 1];
}

static bool waits(const struct group *g) {
    if (g->state == GROUP_READY)
        return g->polls.at && g->polls.same >= SPIN_THRESHOLD;
    return g->state != GROUP_FREE;
}

static uint32_t stuck_line_of(const struct machine *m, const struct group *g) {
    const struct insn *i = instruction(g);
    if (!i || !i->source) return 0;
    return program_source(m->program->ptx, i->source->loc).line;
}

static uint32_t stuck_size_of(const struct group *g) {
    return (uint32_t)__builtin_popcount(g->mask);
}

/* Of the groups parked at mbarriers, one whose barrier lacks only bytes: the
 * others may lack arrivals of that group's threads. If there is none, any of
 * them. */
static struct group *find_parked(struct block *b, struct warp **warp) {
    struct group *any = NULL;
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state != GROUP_AT_MBARRIER) continue;
            const struct mbarrier *x = mbarrier_at(b, g->barrier);
            bool lacks_bytes = x && !x->pending && x->tx;
            if (any && !lacks_bytes) continue;
            any = g;
            *warp = &b->warps[k];
            if (lacks_bytes) return g;
        }
    return any;
}

static struct group *find_group(struct block *b, struct warp **warp,
                                enum group_state state) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state != state || (state == GROUP_READY && !g->polls.at))
                continue;
            *warp = &b->warps[k];
            return g;
        }
    return NULL;
}

/* ---- who waits, and for what ---- */

static void say_thread_place(struct context *c, uint64_t address,
                             struct vgpu_message *where) {
    if (address < VGPU_ADDRESS_BASE)
        exec_say_shared(c, address, where);
    else
        exec_say_place(c, address, 4, where);
}

static void say_wait(struct context *c, const struct group *g,
                     struct vgpu_message *what) {
    struct vgpu_message where;
    if (g->state == GROUP_AT_BARRIER) {
        VGPU_SAY_PLAIN(what, AT_BARRIER);
    } else if (g->state == GROUP_AT_WARP_OP) {
        VGPU_SAY(what, AT_OPERATION, .form = exec_form_name(instruction(g)));
    } else if (g->state == GROUP_AT_MBARRIER &&
               g->barrier == AT_CLUSTER_BARRIER) {
        VGPU_SAY_PLAIN(what, AT_CLUSTER_WAIT);
    } else if (g->state == GROUP_AT_MBARRIER) {
        VGPU_SAY(what, FOR_MBARRIER, .byte = g->barrier);
    } else {
        say_thread_place(c, g->polls.address, &where);
        VGPU_SAY(what, FOR_WORD, .where = &where);
    }
}

/* barrier: the number of that it waits at, or VGPU_ABSENT. */
static void say_waiter(struct context *c, const struct warp *w,
                       const struct group *g, uint64_t barrier,
                       struct vgpu_message *waiter) {
    const struct machine *m = c->machine;
    uint32_t n = w->index * WARP_LANES + (uint32_t)__builtin_ctz(g->mask);
    uint32_t thread[3] = {n % m->block[0], n / m->block[0] % m->block[1],
                          n / m->block[0] / m->block[1]};
    struct vgpu_message what;
    say_wait(c, g, &what);
    VGPU_SAY(waiter, WAITER, .block = w->block->index, .thread = thread,
             .more = stuck_size_of(g) > 1 ? stuck_size_of(g) - 1 : VGPU_ABSENT,
             .line = stuck_line_of(m, g), .what = &what, .barrier = barrier);
}

/* What the polled word holds now. False: it is not known. */
static bool say_held(struct context *c, struct vgpu_message *held) {
    const struct group *g = c->group;
    uint32_t bytes = g->polls.at->bytes;
    uint64_t value = 0;
    if (g->polls.address < VGPU_ADDRESS_BASE) return false;
    const struct allocation *a =
        memory_range(c->machine->memory, g->polls.address, bytes);
    if (!a || bytes > sizeof value) return false;
    memcpy(&value, a->region.bytes + (g->polls.address - a->region.base),
           bytes);
    VGPU_SAY(held, HELD_WORD, .word = value);
    c->machine->polled_word = value;
    c->machine->polled_bytes = bytes;
    return true;
}

/* How many words from the array's first one on are not 0, since somebody has
 * stored them; of the array that holds the polled word. *polled: that word's
 * number. */
static uint64_t count_stored(const struct context *c, uint64_t *polled) {
    const struct group *g = c->group;
    uint32_t bytes = g->polls.at->bytes;
    uint64_t stored = 0, value = 0;
    const struct allocation *a =
        memory_range(c->machine->memory, g->polls.address, bytes);
    if (!a || !bytes || bytes > sizeof value) return 0;
    *polled = (g->polls.address - a->region.base) / bytes;
    for (; stored < *polled; stored++) {
        memcpy(&value, a->region.bytes + stored * bytes, bytes);
        if (!value) break;
    }
    return stored;
}

/* One block is left, the last, and waits for the word of its own number; all
 * before it have ended and stored theirs. */
static bool waits_for_own(const struct context *c, uint32_t running) {
    const struct machine *m = c->machine;
    uint64_t all = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    uint64_t polled = 0;
    return running == 1 && all > 1 && m->polled_bytes && !m->polled_word &&
           c->group->polls.at->kind == KIND_LOAD &&
           count_stored(c, &polled) == polled && polled == all - 1 &&
           context_block(c)->linear == polled;
}

/* The others that wait: one for each line, and the number of all such threads.
 * False: there is none. */
static bool say_others(struct context *c, struct block *slots, uint32_t n,
                       struct vgpu_message *others) {
    uint32_t listed[LISTED] = {0}, n_listed = 0;
    uint64_t threads = 0, blocks = 0;
    struct vgpu_message waiters[LISTED];
    for (uint32_t s = 0; s < n; s++) {
        uint64_t before = threads;
        struct block *b = &slots[s];
        for (uint32_t k = 0; b->running && k < b->n_warps; k++)
            for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
                struct group *g = &b->warps[k].groups[j];
                if (g == c->group || !waits(g)) continue;
                threads += stuck_size_of(g);
                uint32_t line = stuck_line_of(c->machine, g);
                bool again = false;
                for (uint32_t l = 0; l < n_listed; l++)
                    again |= listed[l] == line;
                if (again || n_listed == LISTED) continue;
                say_waiter(c, &b->warps[k], g, VGPU_ABSENT, &waiters[n_listed]);
                listed[n_listed++] = line;
            }
        blocks += threads > before;
    }
    VGPU_SAY(others, OTHERS, .threads = threads, .blocks = blocks,
             .waiters = &(struct vgpu_list){waiters, n_listed});
    return threads > 0;
}

static void stuck_report(struct context *c, uint64_t address, uint32_t bytes,
                         const struct vgpu_message *m) {
    uint32_t lane = (uint32_t)__builtin_ctz(c->group->mask);
    exec_fault(
        c, VGPU_LAUNCH_TIMEOUT, VGPU_FINDING_DEADLOCK,
        (struct fault_at){.lane = lane, .address = address, .bytes = bytes}, m);
}

/* ---- a thread that polls ---- */

static const struct group *companion(const struct warp *w,
                                     enum group_state state) {
    for (uint32_t j = 0; j < w->n_groups; j++)
        if (w->groups[j].state == state) return &w->groups[j];
    return NULL;
}

static const struct group *at_barrier(const struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const struct group *g = companion(&b->warps[k], GROUP_AT_BARRIER);
        if (g) return g;
    }
    return NULL;
}

static uint32_t running_blocks(const struct block *slots, uint32_t n) {
    uint32_t running = 0;
    for (uint32_t s = 0; s < n; s++) running += slots[s].running;
    return running;
}

/* Says why nobody will write what the thread waits for. */
static void say_reason(struct context *c, uint32_t running,
                       uint64_t not_started, struct vgpu_message *why) {
    struct machine *m = c->machine;
    uint64_t all = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    const struct insn *poll = c->group->polls.at;
    const struct group *at = companion(c->warp, GROUP_AT_WARP_OP);
    const struct group *held = at_barrier(context_block(c));
    if (at && (poll->kind == KIND_ATOMIC || !not_started)) {
        VGPU_SAY(why, OWN_WARP, .lanes = group_lanes_here(c->warp, at),
                 .line = stuck_line_of(m, at),
                 .form = exec_form_name(instruction(at)));
    } else if (poll->kind == KIND_LOAD && poll->order == ORDER_WEAK) {
        VGPU_SAY_PLAIN(why, PLAIN_LOAD);
    } else if (poll->kind == KIND_ATOMIC && held) {
        VGPU_SAY(why, LOCK_AT_BARRIER, .line = stuck_line_of(m, held));
    } else if (!not_started && m->n_children) {
        VGPU_SAY(why, CHILDREN_WAIT, .launches = m->n_children);
    } else if (not_started) {
        VGPU_SAY(why, NOT_STARTED, .blocks = not_started);
        m->not_started = not_started;
    } else if (m->polled_bytes && m->polled_word) {
        VGPU_SAY(why, OTHER_WORD,
                 .ended = running < all ? all - running : VGPU_ABSENT,
                 .blocks = all);
    } else if (running == 1 && all > 1) {
        VGPU_SAY(why, NO_WRITER_LEFT, .ended = all - running);
    } else {
        VGPU_SAY(why, NO_WRITER,
                 .ended = running < all ? all - running : VGPU_ABSENT,
                 .blocks = all);
    }
}

/* ---- a thread at an mbarrier ---- */

/* Threads of the block that barrier.cluster waits for; *live: all. */
static uint32_t not_at_cluster(const struct block *b, uint32_t *live) {
    uint32_t missing = 0;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const struct warp *w = &b->warps[k];
        *live += (uint32_t)__builtin_popcount(w->live);
        missing += (uint32_t)__builtin_popcount(w->live & ~w->at_cluster);
    }
    return missing;
}

static void say_cluster(struct context *c, const struct vgpu_message *others,
                        struct vgpu_message *m) {
    const struct block *first = cluster_first(context_block(c)), *at = first;
    uint32_t live = 0, missing = 0, there = 0, here;
    if (!cluster_in(c->machine)) {
        VGPU_SAY(m, DEADLOCK_CLUSTER, .others = others);
        return;
    }
    for (uint32_t k = 0; k < c->machine->cluster_blocks; k++) {
        here = not_at_cluster(&first[k], &live);
        missing += here;
        if (!here || there) continue;
        at = &first[k];
        there = here;
    }
    VGPU_SAY(m, DEADLOCK_CLUSTERS, .came = live - missing, .all = live,
             .missing = there, .block = at->index, .others = others);
}

static void report_mbarrier(struct context *c, struct block *slots,
                            uint32_t n) {
    struct group *g = c->group;
    struct vgpu_message state, others, m;
    uint64_t at = g->state == GROUP_AT_MBARRIER ? g->barrier : g->polls.address;
    c->insn = instruction(g);
    bool more = say_others(c, slots, n, &others);
    mbarrier_explain(context_block(c), at, &state);
    if (at == AT_CLUSTER_BARRIER)
        say_cluster(c, more ? &others : NULL, &m);
    else
        VGPU_SAY(&m, DEADLOCK_MBARRIER, .byte = at, .state = &state,
                 .others = more ? &others : NULL);
    stuck_report(c, at, 8, &m);
}

static void report_poll(struct context *c, struct block *slots, uint32_t n,
                        uint64_t not_started) {
    struct group *g = c->group;
    struct vgpu_message where, held, why, others, m;
    if (g->polls.at->kind == KIND_MBARRIER) {
        report_mbarrier(c, slots, n);
        return;
    }
    c->insn = g->polls.at;
    say_thread_place(c, g->polls.address, &where);
    bool known = say_held(c, &held);
    say_reason(c, running_blocks(slots, n), not_started, &why);
    c->machine->waits_for_own =
        !not_started && waits_for_own(c, running_blocks(slots, n));
    bool more = say_others(c, slots, n, &others);
    VGPU_SAY(&m, DEADLOCK_POLL, .where = &where,
             .atomic = c->insn->kind == KIND_ATOMIC,
             .holds = known ? &held : NULL, .why = &why,
             .others = more ? &others : NULL);
    stuck_report(c, g->polls.address, 0, &m);
}

/* ---- a thread at a barrier ---- */

/* Names the first threads that wait elsewhere. */
static uint32_t say_missing(struct context *c,
                            struct vgpu_message missing[LISTED]) {
    struct block *b = context_block(c);
    uint32_t id = c->group->barrier, listed = 0;
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            const struct group *g = &b->warps[k].groups[j];
            bool at_one = g->state == GROUP_AT_BARRIER;
            if ((at_one && g->barrier == id) || !waits(g) || listed == LISTED)
                continue;
            say_waiter(c, &b->warps[k], g, at_one ? g->barrier : VGPU_ABSENT,
                       &missing[listed++]);
        }
    return listed;
}

static void report_barrier(struct context *c) {
    struct block *b = context_block(c);
    uint32_t id = c->group->barrier, came = 0, ended = 0;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const struct warp *w = &b->warps[k];
        uint32_t live = (uint32_t)__builtin_popcount(w->live);
        came += (uint32_t)__builtin_popcount(w->at_barrier[id] & w->live);
        uint32_t here = c->machine->threads_per_block - k * WARP_LANES;
        ended += (here > WARP_LANES ? WARP_LANES : here) - live;
    }
    uint32_t all = b->barriers[id].expected;
    struct vgpu_message missing[LISTED], m;
    c->insn = instruction(c->group);
    uint32_t listed = say_missing(c, missing);
    VGPU_SAY(&m, DEADLOCK_BARRIER, .barrier = id, .came = came,
             .all = all ? all : c->machine->threads_per_block,
             .ended = ended ? ended : VGPU_ABSENT,
             .missing = &(struct vgpu_list){missing, listed});
    stuck_report(c, 0, 0, &m);
}

void report_deadlock(struct machine *m, struct block *slots, uint32_t n,
                     uint64_t not_started) {
    struct context c = {.machine = m};
    /* Other threads may poll for what a block does that itself waits for nobody
     * else. */
    for (uint32_t s = 0; s < n; s++) {
        if (!slots[s].running || find_group(&slots[s], &c.warp, GROUP_READY))
            continue;
        c.group = find_parked(&slots[s], &c.warp);
        if (!c.group) continue;
        report_mbarrier(&c, slots, n);
        return;
    }
    for (uint32_t s = 0; s < n; s++) {
        if (!slots[s].running) continue;
        c.group = find_group(&slots[s], &c.warp, GROUP_READY);
        if (!c.group) continue;
        report_poll(&c, slots, n, not_started);
        return;
    }
    for (uint32_t s = 0; s < n; s++) {
        if (!slots[s].running) continue;
        c.group = find_group(&slots[s], &c.warp, GROUP_AT_BARRIER);
        if (!c.group) continue;
        report_barrier(&c);
        return;
    }
    m->status = VGPU_LAUNCH_TIMEOUT;
}
