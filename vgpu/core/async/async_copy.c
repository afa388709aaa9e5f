/* SPDX-License-Identifier: MIT
 *
 * async_copy.c: the lists of asynchronous copies of a machine and of its
 * blocks, and what becomes of copies when their block ends. See async.h.
 */
#include <stdlib.h>
#include <string.h>

#include "async_copy.h"
#include "fault.h"

enum { MOST_ORPHANS = 512 };

/* ---- what belongs to machine, block, warp ---- */

static const char later[] = "copies that arrive later";

struct async_state *async_state_of(struct machine *m) {
    if (!m->async) m->async = calloc(1, sizeof *m->async);
    if (!m->async) m->status = VGPU_OUT_OF_MEMORY;
    return m->async;
}

struct async_block *async_of(struct machine *m, struct block *b) {
    if (!b->async)
        b->async = charges_zeroed(&m->memory->charges, sizeof *b->async, later);
    if (!b->async) m->status = VGPU_OUT_OF_MEMORY;
    return b->async;
}

struct async_lanes *async_lanes_of(struct context *c) {
    struct warp *w = c->warp;
    if (!w->async)
        w->async = charges_zeroed(&c->machine->memory->charges,
                                  sizeof *w->async, later);
    if (!w->async) c->machine->status = VGPU_OUT_OF_MEMORY;
    return w->async;
}

void copy_free(struct machine *m, struct async_copy *k) {
    struct charges *c = &m->memory->charges;
    charges_free(c, k->data);
    charges_free(c, k->small);
    charges_free(c, k);
}

static void unlink_copy(struct async_block *a, struct async_copy *k) {
    struct async_copy **p = &a->first, *before = NULL;
    while (*p != k) {
        before = *p;
        p = &before->next;
    }
    *p = k->next;
    if (a->last == k) a->last = before;
    a->n_listed--;
}

void copy_forget(struct async_copy *k) {
    struct machine *m = k->block->machine;
    unlink_copy(k->block->async, k);
    copy_free(m, k);
}

struct context copy_issuer(const struct async_copy *k, struct warp *w) {
    return (struct context){
        .machine = w->block->machine, .warp = w, .insn = k->insn};
}

/* ---- ends ---- */

void async_block_started(struct block *b) {
    struct async_block *a = b->async;
    if (!a) return;
    for (uint32_t k = 0; k < a->n_mbarriers; k++)
        a->number[a->mbarriers[k].at >> 3] = 0;
    a->n_mbarriers = 0;
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (b->warps[k].async)
            memset(b->warps[k].async, 0, sizeof *b->warps[k].async);
}

static void report_left(struct block *b, const struct async_copy *k) {
    if (!(b->machine->checks & VGPU_CHECK_RACECHECK)) return;
    struct context c = copy_issuer(k, &b->warps[k->warp]);
    struct vgpu_message m;
    uint64_t at = copy_is_store(k) ? k->from : k->to;
    VGPU_SAY(&m, COPY_LEFT, .reads = copy_is_store(k));
    exec_report(
        &c, VGPU_FINDING_SHARED_RACE,
        (struct fault_at){.lane = k->lane, .address = at, .bytes = k->bytes},
        &m);
}

void async_block_ended(struct block *b) {
    struct async_block *a = b->async;
    struct machine *m = b->machine;
    if (!a) return;
    while (a->first) {
        struct async_copy *k = a->first;
        a->first = k->next;
        k->next = NULL;
        if (k->state == COPY_FLIES && k->op->verb != ASYNC_SMALL_ARRIVE)
            report_left(b, k);
        if (!copy_is_store(k)) {
            copy_free(m, k);
            continue;
        }
        copy_read_source(k);
        k->block = NULL;
        struct async_copy **end = &m->async->orphans;
        while (*end) end = &(*end)->next;
        *end = k;
        m->async->n_orphans++;
    }
    a->last = NULL;
    a->n_flying = a->n_listed = 0;
    while (m->async && m->async->n_orphans > MOST_ORPHANS) {
        struct async_copy *k = m->async->orphans;
        m->async->orphans = k->next;
        m->async->n_orphans--;
        copy_write_target(m, k);
        copy_free(m, k);
    }
}

bool async_drain(struct machine *m) {
    if (!m->async || !m->async->orphans) return false;
    while (m->async->orphans) {
        struct async_copy *k = m->async->orphans;
        m->async->orphans = k->next;
        copy_write_target(m, k);
        copy_free(m, k);
    }
    m->async->n_orphans = 0;
    return true;
}

void async_block_freed(struct block *b) {
    struct async_block *a = b->async;
    struct charges *c = &b->machine->memory->charges;
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        charges_free(c, b->warps[k].async);
    if (!a) return;
    while (a->first) {
        struct async_copy *k = a->first;
        a->first = k->next;
        copy_free(b->machine, k);
    }
    charges_free(c, a->mbarriers);
    charges_free(c, a->number);
    charges_free(c, a);
    b->async = NULL;
}

void async_end(struct machine *m) {
    async_drain(m);
    free(m->async);
    m->async = NULL;
}
