/* SPDX-License-Identifier: MIT
 *
 * stuck.c: reports a deadlock: who waits where, and for what.
 *
 * How to read this: the finding is about the first thread that polls or, when
 * none does, about the first that waits at a barrier. Its text says what that
 * thread waits for, who else waits, and, as far as the state of the grid shows
 * it, why nobody will come.
 */
#include <stdio.h>
#include <string.h>
#include "text.h"

#include "async.h"
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

static uint32_t line_of(const struct machine *m, const struct group *g) {
    const struct insn *i = instruction(g);
    if (!i || !i->source) return 0;
    return program_source(m->program->ptx, i->source->loc).line;
}

static uint32_t size_of(const struct group *g) {
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

/* ---- words ---- */

static void add_thread(struct text *t, const struct warp *w,
                       const struct group *g) {
    const struct machine *m = w->block->machine;
    uint32_t n = w->index * WARP_LANES + (uint32_t)__builtin_ctz(g->mask);
    text_add(t, "block (%u,%u,%u) thread (%u,%u,%u)", w->block->index[0],
             w->block->index[1], w->block->index[2], n % m->block[0],
             n / m->block[0] % m->block[1], n / m->block[0] / m->block[1]);
    if (size_of(g) > 1) text_add(t, " and %u more of its warp", size_of(g) - 1);
}

static void add_address(struct text *t, struct context *c, uint64_t address) {
    char where[256];
    if (address < VGPU_ADDRESS_BASE) {
        text_add(t, "byte %llu of shared memory", (unsigned long long)address);
        return;
    }
    exec_describe_address(c, address, 4, where, sizeof where);
    text_add(t, "%s", where);
}

static void add_waiting(struct text *t, struct context *c, const struct warp *w,
                        const struct group *g) {
    add_thread(t, w, g);
    uint32_t line = line_of(c->machine, g);
    if (g->state == GROUP_AT_BARRIER) {
        text_add(t, " at line %u at a barrier", line);
    } else if (g->state == GROUP_AT_WARP_OP) {
        text_add(t, " at line %u at a %s", line, instruction(g)->source->form);
    } else if (g->state == GROUP_AT_MBARRIER &&
               g->barrier == AT_CLUSTER_BARRIER) {
        text_add(t, " at line %u at barrier.cluster.wait", line);
    } else if (g->state == GROUP_AT_MBARRIER) {
        text_add(t, " at line %u for the mbarrier at byte %u of shared memory",
                 line, g->barrier);
    } else {
        text_add(t, " at line %u for ", line);
        add_address(t, c, g->polls.address);
    }
}

/* What the polled word holds now. */
static void add_value(struct text *t, struct context *c) {
    const struct group *g = c->group;
    uint32_t bytes = g->polls.at->bytes;
    uint64_t value = 0;
    if (g->polls.address < VGPU_ADDRESS_BASE) return;
    const struct allocation *a =
        memory_range(c->machine->memory, g->polls.address, bytes);
    if (!a || bytes > sizeof value) return;
    memcpy(&value, a->region.bytes + (g->polls.address - a->region.base),
           bytes);
    char text[VGPU_WORD_TEXT];
    vgpu_word_text(value, text);
    text_add(t, ", where memory holds %s", text);
    c->machine->polled_word = value;
    c->machine->polled_bytes = bytes;
}

/* The others that wait: one for each line, and the number of all such threads.
 */
static void add_others(struct text *t, struct context *c, struct block *slots,
                       uint32_t n) {
    uint32_t listed[LISTED] = {0}, n_listed = 0;
    uint64_t threads = 0, blocks = 0;
    struct text list = {0};
    for (uint32_t s = 0; s < n; s++) {
        uint64_t before = threads;
        struct block *b = &slots[s];
        for (uint32_t k = 0; b->running && k < b->n_warps; k++)
            for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
                struct group *g = &b->warps[k].groups[j];
                if (g == c->group || !waits(g)) continue;
                threads += size_of(g);
                uint32_t line = line_of(c->machine, g);
                bool again = false;
                for (uint32_t l = 0; l < n_listed; l++)
                    again |= listed[l] == line;
                if (again || n_listed == LISTED) continue;
                listed[n_listed++] = line;
                text_add(&list, "%s", n_listed > 1 ? "; " : "");
                add_waiting(&list, c, &b->warps[k], g);
            }
        blocks += threads > before;
    }
    if (!threads) return; /* the list of the others is empty */
    text_add(
        t,
        ". %llu other thread%s in %llu block%s wait%s too, at each line the "
        "first: %s",
        (unsigned long long)threads, threads == 1 ? "" : "s",
        (unsigned long long)blocks, blocks == 1 ? "" : "s",
        threads == 1 ? "s" : "", text_string(&list));
    text_free(&list);
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
static void add_reason(struct text *t, struct context *c, uint32_t running,
                       uint64_t not_started) {
    struct machine *m = c->machine;
    uint64_t all = (uint64_t)m->grid[0] * m->grid[1] * m->grid[2];
    const struct insn *poll = c->group->polls.at;
    const struct group *at = companion(c->warp, GROUP_AT_WARP_OP);
    const struct group *held = at_barrier(context_block(c));
    if (at && (poll->kind == KIND_ATOMIC || !not_started)) {
        text_add(
            t,
            ". Lanes 0x%08x of its own warp wait for it at line %u (%s): if "
            "one of them is the one to write, because it holds the lock, "
            "neither can go on. Release a lock before the threads of a warp "
            "wait for one another",
            group_lanes_here(c->warp, at), line_of(m, at),
            instruction(at)->source->form);
    } else if (poll->kind == KIND_LOAD && poll->order == ORDER_WEAK) {
        text_add(
            t,
            ". It is a plain load, and L1 may give it the same old value for "
            "ever: read a flag that another block writes through a volatile "
            "pointer, with an atomic or with cuda::atomic_ref");
    } else if (poll->kind == KIND_ATOMIC && held) {
        text_add(
            t,
            ". If it waits for a lock, the thread that holds it may be one "
            "of those who wait at the barrier in line %u, which waits for this "
            "thread: release a lock before a barrier",
            line_of(m, held));
    } else if (not_started) {
        text_add(
            t,
            ". %llu blocks have not started and cannot start before one of "
            "the resident blocks ends. A block may wait only for blocks that "
            "have started: launch no more than are resident at once, or let "
            "each wait only for those that started before it",
            (unsigned long long)not_started);
        m->not_started = not_started;
    } else {
        text_add(t,
                 ". Every other thread has ended or waits as well: either the "
                 "write is missing, or its thread waits for this one");
        if (running < all)
            text_add(t, ". %llu of the %llu blocks %s ended",
                     (unsigned long long)(all - running),
                     (unsigned long long)all,
                     all - running == 1 ? "has" : "have");
    }
}

/* ---- a thread at an mbarrier ---- */

static void report_mbarrier(struct context *c, struct block *slots,
                            uint32_t n) {
    struct group *g = c->group;
    struct text t = {0};
    char why[VGPU_TEXT];
    uint64_t at = g->state == GROUP_AT_MBARRIER ? g->barrier : g->polls.address;
    c->insn = instruction(g);
    mbarrier_explain(context_block(c), at, why, sizeof why);
    if (at == AT_CLUSTER_BARRIER)
        text_add(&t,
                 "deadlock: this thread waits at barrier.cluster.wait, and not "
                 "every thread of the block arrives there");
    else
        text_add(&t,
                 "deadlock: this thread waits for the mbarrier at byte %llu of "
                 "shared memory, %s",
                 (unsigned long long)at, why);
    add_others(&t, c, slots, n);
    exec_fault(c, VGPU_LAUNCH_TIMEOUT, VGPU_FINDING_DEADLOCK,
               (uint32_t)__builtin_ctz(g->mask), at, 8, "%s", text_string(&t));
    text_free(&t);
}

static void report_poll(struct context *c, struct block *slots, uint32_t n,
                        uint64_t not_started) {
    struct group *g = c->group;
    if (g->polls.at->kind == KIND_MBARRIER) {
        report_mbarrier(c, slots, n);
        return;
    }
    struct text t = {0};
    c->insn = g->polls.at;
    text_add(&t, "deadlock: this thread reads ");
    add_address(&t, c, g->polls.address);
    text_add(&t, " again and again%s",
             c->insn->kind == KIND_ATOMIC ? " with an atomic operation" : "");
    add_value(&t, c);
    text_add(&t, ", and no thread that could write what it waits for can run");
    add_reason(&t, c, running_blocks(slots, n), not_started);
    add_others(&t, c, slots, n);
    exec_fault(c, VGPU_LAUNCH_TIMEOUT, VGPU_FINDING_DEADLOCK,
               (uint32_t)__builtin_ctz(g->mask), g->polls.address, 0, "%s",
               text_string(&t));
    text_free(&t);
}

/* ---- a thread at a barrier ---- */

static void add_missing(struct text *t, struct context *c) {
    struct block *b = context_block(c);
    uint32_t id = c->group->barrier, came = 0, ended = 0, listed = 0;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        const struct warp *w = &b->warps[k];
        uint32_t live = (uint32_t)__builtin_popcount(w->live);
        came += (uint32_t)__builtin_popcount(w->at_barrier[id] & w->live);
        uint32_t here = c->machine->threads_per_block - k * WARP_LANES;
        ended += (here > WARP_LANES ? WARP_LANES : here) - live;
    }
    uint32_t all = b->barriers[id].expected;
    if (!all) all = c->machine->threads_per_block;
    text_add(
        t,
        "deadlock: this thread waits at barrier %u, which %u threads of %u "
        "have reached",
        id, came, all);
    if (ended) text_add(t, "; %u threads of the block have ended", ended);
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            const struct group *g = &b->warps[k].groups[j];
            bool here = g->state == GROUP_AT_BARRIER && g->barrier == id;
            if (here || !waits(g) || listed == LISTED) continue;
            text_add(t, listed++ ? "; " : ". Missing: ");
            add_waiting(t, c, &b->warps[k], g);
            if (g->state == GROUP_AT_BARRIER) text_add(t, " (%u)", g->barrier);
        }
    text_add(t, ". Every thread that a barrier waits for must reach it");
}

static void report_barrier(struct context *c) {
    struct text t = {0};
    c->insn = instruction(c->group);
    add_missing(&t, c);
    exec_fault(c, VGPU_LAUNCH_TIMEOUT, VGPU_FINDING_DEADLOCK,
               (uint32_t)__builtin_ctz(c->group->mask), 0, 0, "%s",
               text_string(&t));
    text_free(&t);
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
