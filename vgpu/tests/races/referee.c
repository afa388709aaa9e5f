/* SPDX-License-Identifier: MIT
 *
 * referee.c: what belongs to all of the referee's files (clocks.h).
 */
#include <stdlib.h>
#include <string.h>

#include "clocks.h"

void *referee_memory(struct referee *r, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (!r->memory || r->memory->used + bytes > sizeof r->memory->bytes) {
        struct chunk *c = calloc(1, sizeof *c);
        if (!c || bytes > sizeof c->bytes) exit(2);
        c->next = r->memory;
        r->memory = c;
    }
    void *at = r->memory->bytes + r->memory->used;
    r->memory->used += bytes;
    return at;
}

clocks clocks_new(struct referee *r) {
    return referee_memory(r, r->n_clocks * sizeof(uint32_t));
}

clocks clocks_copy(struct referee *r, const uint32_t *from) {
    clocks c = clocks_new(r);
    memcpy(c, from, r->n_clocks * sizeof *c);
    return c;
}

void clocks_join(const struct referee *r, clocks to, const uint32_t *from) {
    const uint32_t n = r->n_clocks;
    for (uint32_t k = 0; k < n; k++) to[k] = to[k] > from[k] ? to[k] : from[k];
}

void knowledge_new(struct referee *r, struct knowledge *k) {
    k->before = clocks_new(r);
    k->fenced = clocks_new(r);
    k->fenced_wide = clocks_new(r);
    k->seen = clocks_new(r);
    k->fenced_system = clocks_new(r);
    k->seen_system = clocks_new(r);
    k->seen_wide = clocks_new(r);
    k->done = clocks_new(r);
    k->seen_done = clocks_new(r);
}

void knowledge_join(const struct referee *r, struct knowledge *to,
                    const struct knowledge *from) {
    clocks_join(r, to->before, from->before);
    clocks_join(r, to->fenced, from->fenced);
    clocks_join(r, to->fenced_wide, from->fenced_wide);
    clocks_join(r, to->seen, from->seen);
    clocks_join(r, to->fenced_system, from->fenced_system);
    clocks_join(r, to->seen_system, from->seen_system);
    clocks_join(r, to->seen_wide, from->seen_wide);
    clocks_join(r, to->done, from->done);
    clocks_join(r, to->seen_done, from->seen_done);
}

uint32_t thread_of(const struct referee *r, const struct event *e,
                   uint32_t lane) {
    return (e->block * r->program->n_warps + e->warp) * LANES + lane;
}

uint32_t block_of(const struct referee *r, uint32_t thread) {
    return thread / (r->program->n_warps * LANES);
}

bool referee_same_gpu(const struct referee *r, uint32_t t, uint32_t u) {
    uint32_t n = r->program->n_gpus;
    return n < 2 || block_of(r, t) % n == block_of(r, u) % n;
}

bool referee_in_scope(const struct referee *r, uint32_t t, uint32_t scope_t,
                      uint32_t u, uint32_t scope_u) {
    if (referee_same_block(r, t, u)) return true;
    if (scope_t == SCOPE_cta || scope_u == SCOPE_cta) return false;
    return referee_same_gpu(r, t, u) ||
           (scope_t == SCOPE_sys && scope_u == SCOPE_sys);
}

/* ---- an execution ---- */

static void forget(struct referee *r) {
    while (r->memory) {
        struct chunk *next = r->memory->next;
        free(r->memory);
        r->memory = next;
    }
    free(r->threads);
    r->threads = NULL;
}

static void begin_launch(struct referee *r, uint32_t launch) {
    forget(r);
    r->launch = launch;
    r->used_clocks = r->n_threads;
    r->threads = calloc(r->n_threads, sizeof *r->threads);
    if (!r->threads) exit(2);
    for (uint32_t t = 0; t < r->n_threads; t++)
        knowledge_new(r, &r->threads[t].knows);
    r->global = referee_memory(r, WORDS * sizeof *r->global);
    for (uint32_t b = 0; b < r->program->n_blocks; b++)
        r->shared[b] = referee_memory(r, WORDS * sizeof *r->global);
    memset(r->barriers, 0, sizeof r->barriers);
    memset(r->lanes, 0, sizeof r->lanes);
    memset(r->clusters, 0, sizeof r->clusters);
    memset(r->mbarriers, 0, sizeof r->mbarriers);
    memset(r->exited, 0, sizeof r->exited);
    memset(r->n_exited, 0, sizeof r->n_exited);
    memset(r->done, 0, sizeof r->done);
    memset(r->pauses, 0, sizeof r->pauses);
    for (uint32_t b = 0; b < r->program->n_blocks; b++)
        knowledge_new(r, &r->gone[b]), knowledge_new(r, &r->clusters[b].come),
            knowledge_new(r, &r->clusters[b].met);
}

static bool pauses(const struct op *o) {
    return o->kind == OP_fence || o->kind == OP_bar || o->kind == OP_arrive ||
           o->kind == OP_clusterarrive || o->kind == OP_clusterrelaxed ||
           o->kind == OP_syncwarp || o->kind == OP_mbarrive ||
           o->kind == OP_mbexpect || o->kind == OP_proxy;
}

static void read_event(struct referee *r, const struct event *e) {
    const struct op *o = &r->program->ops[e->op];
    for (uint32_t m = e->lanes; m; m &= m - 1) {
        uint32_t t = thread_of(r, e, (uint32_t)__builtin_ctz(m));
        r->threads[t].knows.before[t]++;
    }
    if (pauses(o))
        for (uint32_t m = e->lanes; m; m &= m - 1)
            referee_pause(r, thread_of(r, e, (uint32_t)__builtin_ctz(m)));
    switch ((enum op_kind)o->kind) {
    case OP_fence: referee_fence(r, e); break;
    case OP_bar:
    case OP_arrive: referee_barrier(r, e); break;
    case OP_clusterarrive:
    case OP_clusterrelaxed:
    case OP_clusterwait: referee_cluster(r, e); break;
    case OP_syncwarp: referee_lanes(r, e); break;
    case OP_exit: referee_exit(r, e); break;
    case OP_shuffle:
    case OP_vote: break; /* they order nothing */
    default:
        if (o->kind < OP_fence)
            referee_access(r, e);
        else
            referee_copies(r, e);
    }
}

static uint32_t lanes_of_copies(const struct program *p,
                                const struct events *all) {
    uint32_t n = 0;
    for (size_t k = 0; k < all->n; k++)
        if (p->ops[all->list[k].op].kind >= OP_copy)
            n += (uint32_t)__builtin_popcount(all->list[k].lanes);
    return n;
}

struct referee *referee_new(const struct program *p, const struct events *all,
                            struct rules rules) {
    struct referee *r = calloc(1, sizeof *r);
    if (!r) exit(2);
    r->program = p;
    r->rules = rules;
    for (uint32_t k = 0; k < p->n_ops; k++)
        r->guesses |= p->ops[k].kind == OP_swap;
    r->n_threads = p->n_blocks * p->n_warps * LANES;
    r->n_clocks = r->n_threads + 2 * lanes_of_copies(p, all);
    for (size_t k = 0; k < all->n; k++) {
        const struct event *e = &all->list[k];
        if (!r->threads || e->launch != r->launch) begin_launch(r, e->launch);
        if (e->lanes) read_event(r, e);
    }
    return r;
}

void referee_free(struct referee *r) {
    forget(r);
    free(r->races);
    free(r);
}

size_t referee_races(const struct referee *r, const struct race **races) {
    *races = r->races;
    return r->n_races;
}
