/* SPDX-License-Identifier: MIT
 *
 * copies.c: asynchronous copies and mbarriers (clocks.h;
 * vgpu/docs/race-model.md, "Asynchronous copies").
 */
#include <stdlib.h>

#include "clocks.h"

/* ---- copies ---- */

static uint64_t base_of(const struct referee *r, enum space space) {
    return space == SPACE_shared ? r->rules.shared : r->rules.global;
}

/* A half of a copy is a thread of its own, with one access. */
static uint32_t half(struct referee *r, const struct event *e, uint32_t thread,
                     enum space space, uint64_t address, bool writes) {
    const struct op *o = &r->program->ops[e->op];
    struct access a = {.op = e->op,
                       .thread = thread,
                       .place = r->used_clocks++,
                       .time = 1,
                       .writes = writes,
                       .copies = true,
                       .bulk_store = !writes && o->kind == OP_bulkstore};
    struct bytes_of b =
        bytes_at(space, e->block, address - base_of(r, space), o->bytes);
    referee_raw_access(r, a, b, r->threads[thread].knows.before);
    return a.place;
}

static void copy(struct referee *r, const struct event *e, uint32_t lane) {
    const struct op *o = &r->program->ops[e->op];
    uint32_t thread = thread_of(r, e, lane);
    struct thread *t = &r->threads[thread];
    enum space from = o->space == SPACE_shared ? SPACE_global : SPACE_shared;
    if (t->n_copies == 2 * MOST_OPS) exit(2);
    struct open_copy *c = &t->copies[t->n_copies++];
    c->bulk = o->kind != OP_copy;
    c->op = e->op;
    c->read = half(r, e, thread, from, e->source[lane], false);
    c->write = half(r, e, thread, o->space, e->address[lane], true);
    if (o->kind != OP_bulkload) return;
    struct mbarrier *m = &r->mbarriers[e->block][o->id];
    if (!m->phase) return;
    c->group = UINT32_MAX; /* no group's */
    m->phase[c->read] = m->phase[c->write] = 1;
    m->bytes -= o->bytes;
}

static void commit(struct thread *t, bool bulk) {
    uint32_t group = bulk ? ++t->bulk_groups : ++t->groups;
    for (uint32_t k = 0; k < t->n_copies; k++)
        if (t->copies[k].bulk == bulk && !t->copies[k].group)
            t->copies[k].group = group;
}

/* All but the `open` newest groups. */
static void wait(struct thread *t, bool bulk, uint32_t open, bool only_read) {
    uint32_t n = bulk ? t->bulk_groups : t->groups;
    for (uint32_t k = 0; k < t->n_copies; k++) {
        const struct open_copy *c = &t->copies[k];
        if (c->bulk != bulk || !c->group || c->group > n || n - c->group < open)
            continue;
        t->knows.before[c->read] = 1;
        if (!only_read) t->knows.before[c->write] = 1;
    }
}

static void proxy_fence(struct referee *r, uint32_t thread) {
    struct thread *t = &r->threads[thread];
    if (t->n_proxy_fences == MOST_OPS) exit(2);
    t->proxy_fences[t->n_proxy_fences++] = (struct proxy_fence){
        t->knows.before[thread], clocks_copy(r, t->knows.before)};
}

static bool has_seen(const struct referee *r, uint32_t half) {
    for (uint32_t t = 0; t < r->n_threads; t++)
        if (r->threads[t].knows.before[half]) return true;
    return false;
}

bool referee_was_waited_for(const struct referee *r, uint32_t op,
                            uint32_t thread) {
    const struct thread *t = &r->threads[thread];
    for (uint32_t k = 0; k < t->n_copies; k++)
        if (t->copies[k].op == op)
            return has_seen(r, t->copies[k].read) &&
                   has_seen(r, t->copies[k].write);
    return true;
}

/* ---- mbarriers ---- */

static void access_mbarrier(struct referee *r, const struct event *e,
                            uint32_t thread, bool writes, bool strong) {
    clocks before = r->threads[thread].knows.before;
    struct access a = {.op = e->op,
                       .thread = thread,
                       .place = thread,
                       .time = before[thread],
                       .scope = SCOPE_cta,
                       .writes = writes,
                       .strong = strong};
    struct bytes_of b =
        bytes_at(SPACE_shared, e->block, 4 * r->program->ops[e->op].id, 8);
    referee_raw_access(r, a, b, before);
}

static void try_complete(struct referee *r, struct mbarrier *m) {
    if (m->missing || m->bytes) return;
    clocks_join(r, m->done, m->phase);
    m->missing = m->count;
}

static void arrive(struct referee *r, const struct event *e, uint32_t thread,
                   struct mbarrier *m) {
    const struct op *o = &r->program->ops[e->op];
    struct thread *t = &r->threads[thread];
    if (!m->phase || !m->missing) return;
    if (o->kind == OP_mbcopy) {
        for (uint32_t k = 0; k < t->n_copies; k++)
            if (!t->copies[k].bulk)
                m->phase[t->copies[k].read] = m->phase[t->copies[k].write] = 1;
    } else {
        access_mbarrier(r, e, thread, true, true);
        clocks_join(r, m->phase, t->knows.before);
    }
    if (o->kind == OP_mbexpect) m->bytes += o->bytes;
    m->missing--;
    try_complete(r, m);
}

static void init(struct referee *r, const struct event *e, uint32_t thread,
                 struct mbarrier *m) {
    uint32_t count = r->program->ops[e->op].count;
    access_mbarrier(r, e, thread, true, false);
    *m = (struct mbarrier){.count = count,
                           .missing = count,
                           .phase = clocks_new(r),
                           .done = clocks_new(r)};
}

static void await(struct referee *r, const struct event *e, uint32_t lane,
                  struct mbarrier *m) {
    uint32_t thread = thread_of(r, e, lane);
    if (!(e->truths >> lane & 1) || !m->done) return;
    clocks_join(r, r->threads[thread].knows.before, m->done);
    access_mbarrier(r, e, thread, false, true);
}

/* ---- an instruction ---- */

static void lane_does(struct referee *r, const struct event *e, uint32_t lane) {
    const struct op *o = &r->program->ops[e->op];
    uint32_t thread = thread_of(r, e, lane);
    struct thread *t = &r->threads[thread];
    struct mbarrier *m = &r->mbarriers[e->block][o->id];
    switch ((enum op_kind)o->kind) {
    case OP_copy:
    case OP_bulkstore: copy(r, e, lane); break;
    case OP_bulkload:
        copy(r, e, lane);
        try_complete(r, m);
        break;
    case OP_commit: commit(t, false); break;
    case OP_bulkcommit: commit(t, true); break;
    case OP_wait: wait(t, false, o->count, false); break;
    case OP_bulkwait: wait(t, true, o->count, false); break;
    case OP_bulkread: wait(t, true, o->count, true); break;
    case OP_mbinit: init(r, e, thread, m); break;
    case OP_mbwait: await(r, e, lane, m); break;
    case OP_proxy: proxy_fence(r, thread); break;
    default: arrive(r, e, thread, m); break;
    }
}

void referee_copies(struct referee *r, const struct event *e) {
    for (uint32_t m = e->lanes; m; m &= m - 1)
        lane_does(r, e, (uint32_t)__builtin_ctz(m));
}
