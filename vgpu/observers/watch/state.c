/* SPDX-License-Identifier: MIT
 *
 * state.c: initcheck: which bytes of memory something has written, and who
 * reads others.
 */

#include <stdlib.h>

#include "cluster.h"
#include "copies.h"
#include "fault.h"
#include "state.h"
#include "state_copies.h"

/* ---- the bits of an access ---- */

static inline bool words_are_written(const struct access *x) {
    uint8_t all = BITS_WORD;
    const uint8_t *bits = x->one->written;
    if (x->bytes == 4)
        EACH_WORD(x, const uint8_t, bits, (void)l, all &= *at);
    else
        EACH_WORD(x, const uint8_t, bits, (void)l, all &= at[0] & at[1]);
    return all == BITS_WORD;
}

static bool lane_is_written(const struct access *x, uint32_t l) {
    const struct region *r = access_region(x, l);
    return !r->written ||
           bits_all(r->written, x->address[l] - r->base, x->bytes);
}

static bool is_written(struct access *x) {
    if (x->one && !x->one->written) return true;
    if (x->one && x->shape.run)
        return bits_all(x->one->written, access_first(x),
                        (uint64_t)x->shape.lanes * x->bytes);
    if (access_is_words(x)) return words_are_written(x);
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1)
        if (!lane_is_written(x, (uint32_t)__builtin_ctz(m))) return false;
    return true;
}

void state_stored(struct context *c, struct access *x) {
    (void)c;
    if (x->one && !x->one->written) return;
    if (x->one && x->shape.run) {
        bits_set(x->one->written, access_first(x),
                 (uint64_t)x->shape.lanes * x->bytes, true);
        return;
    }
    if (access_is_words(x)) {
        uint8_t *bits = x->one->written;
        if (x->bytes == 4)
            EACH_WORD(x, uint8_t, bits, (void)l, *at = BITS_WORD);
        else
            EACH_WORD(x, uint8_t, bits, (void)l, at[0] = at[1] = BITS_WORD);
        return;
    }
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const struct region *r = access_region(x, l);
        if (r->written)
            bits_set(r->written, x->address[l] - r->base, x->bytes, true);
    }
}

void state_changed(struct context *c, struct access *x, bool changed) {
    (void)changed;
    state_stored(c, x);
}

/* ---- reading what nothing has written ---- */

/* CUB's merges read one key past the last from shared memory and make no use of
 * it, and its loads take 8 bytes of which 4 pad a struct. What the toolkit's
 * own code reads there says nothing about the program. Only its own words tell
 * which code that is: a judge does not believe them. */
static bool is_of_toolkit(const struct context *c) {
    const struct program *p = c->machine->program;
    return c->machine->options->trusts_names &&
           program_is_toolkit(p->ptx, c->machine->kernel->ptx->name,
                              c->insn->source->loc);
}

/* Bytes of a lane's access that nothing has written, but for those in one word
 * with others that were: these pad a struct (char, int) that is copied whole.
 */
static uint32_t lane_lacks(const struct access *x, uint32_t l) {
    const struct region *r = access_region(x, l);
    uint64_t at = x->address[l] - r->base, end = at + x->bytes;
    uint32_t lacks = 0;
    while (r->written && at < end) {
        uint64_t next = (at | 3) + 1 < end ? (at | 3) + 1 : end;
        if (!bits_any(r->written, at, next - at))
            lacks += (uint32_t)(next - at);
        at = next;
    }
    return lacks;
}

static void report(struct context *c, const struct access *x, uint32_t l,
                   bool shared, uint32_t lacks) {
    struct vgpu_message where, m;
    struct block *owner =
        shared ? cluster_of_region(access_region(x, l)) : context_block(c);
    if (x->space == PTX_LOCAL)
        VGPU_SAY(&where, LOCAL_BYTE,
                 .byte = x->address[l] - (uint64_t)l * c->warp->local_bytes);
    else if (shared)
        exec_say_shared_of(c, owner, x->address[l], &where);
    else
        exec_say_place(c, x->address[l], x->bytes, &where);
    const struct insn *copy =
        async_flying(owner, shared, x->address[l], x->bytes);
    const struct ptx_module *ptx = c->machine->program->ptx;
    VGPU_SAY(&m, UNWRITTEN,
             .access = x->atomic ? VGPU_ACCESS_ATOMIC : VGPU_ACCESS_READ,
             .bytes = x->bytes, .some = lacks < x->bytes ? lacks : VGPU_ABSENT,
             .where = &where,
             .copy = copy ? program_source(ptx, copy->source->loc).line
                          : VGPU_ABSENT);
    exec_report(c, VGPU_FINDING_UNINITIALISED,
                (struct fault_at){
                    .lane = l, .address = x->address[l], .bytes = x->bytes},
                &m);
}

/* A compiler may load from local memory what the program would not. */
static bool is_only_tried(const struct context *c, const struct access *x,
                          uint32_t l) {
    const struct insn *i = c->insn;
    const struct region *r = access_region(x, l);
    if (x->space != PTX_LOCAL || !i->tried) return false;
    for (uint32_t e = 0; e < i->n_elements; e++)
        if (!(i->tried >> e & 1) &&
            !bits_all(r->written, x->address[l] - r->base + e * i->bytes,
                      i->bytes))
            return false;
    return true;
}

void state_access(struct context *c, struct access *x) {
    if ((x->write && !x->atomic) || is_written(x)) return;
    access_spread(x);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        bool shared = x->space == PTX_SHARED;
        uint32_t lacks = lane_lacks(x, l);
        bool may_be_unused = shared || lacks < x->bytes;
        if (!lacks || (may_be_unused && is_of_toolkit(c))) continue;
        if (is_only_tried(c, x, l)) continue;
        if ((c->insn->copied || c->insn->carried) && state_copies_take(c, x, l))
            continue;
        report(c, x, l, shared, lacks);
        return;
    }
}

void state_copy_reads(struct context *c, uint32_t lane, const struct region *r,
                      uint64_t at, uint32_t bytes, bool shared) {
    if (!r->written || bits_all(r->written, at - r->base, bytes)) return;
    struct vgpu_message where, m;
    while (bits_all(r->written, at - r->base, 1)) at++, bytes--;
    if (shared)
        exec_say_shared(c, at, &where);
    else
        exec_say_place(c, at, 1, &where);
    VGPU_SAY(&m, COPY_UNWRITTEN, .where = &where);
    exec_report(c, VGPU_FINDING_UNINITIALISED,
                (struct fault_at){.lane = lane, .address = at, .bytes = bytes},
                &m);
}

/* ---- shared and local memory: nothing is written when a block starts ---- */

static uint64_t local_size(const struct warp *w) {
    return bits_size((uint64_t)WARP_LANES * w->local_bytes);
}

void state_slot_made(struct block *b) {
    struct machine *m = b->machine;
    b->shared.written =
        charges_zeroed(&m->memory->charges, bits_size(m->shared_bytes),
                       "what initcheck remembers of its blocks");
    bool ok = b->shared.written != NULL;
    for (uint32_t k = 0; k < b->n_warps; k++) {
        struct warp *w = &b->warps[k];
        if (!w->local) continue;
        w->local_written =
            charges_zeroed(&m->memory->charges, local_size(w),
                           "what initcheck remembers of its threads");
        ok &= w->local_written != NULL;
    }
    if (!ok) m->status = VGPU_OUT_OF_MEMORY;
}

void state_block_starts(struct block *b) {
    memset(b->shared.written, b->machine->options->clears_shared ? 0xff : 0,
           (size_t)bits_size(b->machine->shared_bytes));
    for (uint32_t k = 0; k < b->n_warps; k++)
        if (b->warps[k].local_written)
            memset(b->warps[k].local_written, 0,
                   (size_t)local_size(&b->warps[k]));
    state_copies_forget(b);
}

void state_slot_freed(struct block *b) {
    charges_free(&b->machine->memory->charges, b->shared.written);
    for (uint32_t k = 0; b->warps && k < b->n_warps; k++)
        charges_free(&b->machine->memory->charges, b->warps[k].local_written);
    state_copies_free(b);
}
