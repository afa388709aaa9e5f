/* SPDX-License-Identifier: MIT
 *
 * counts.h: counts instructions, and what an access costs: requests, sectors
 * and segments of global memory, wavefronts of shared memory (counts.c). An
 * instruction keeps its own counts; where accesses to shared memory look like
 * the last one they are counted together (even_hint.times) until somebody
 * collects.
 */
#pragma once

#include "event.h"

void counts_global(struct context *, struct access *);
void counts_shared(struct context *, struct access *);
/* Of an access to shared memory; *ideal: what its width needs. */
uint8_t counts_wavefronts(struct context *, struct access *, uint8_t *ideal);
/* The side of a bulk copy that lies in global memory. The one in shared memory
 * is not counted: on an H200, Nsight Compute counts no wavefront either. */
void counts_bulk(struct context *, uint64_t global, uint32_t bytes, bool write);
/* Adds to the instruction's counts what was counted together. */
void counts_collect(struct insn *);
void counts_collect_like(struct insn *, struct even_hint *);

static inline void counts_access(struct context *c, struct access *x) {
    if (x->space == PTX_SHARED) {
        if (x->like && x->like->passes) {
            x->passes = x->like->passes;
            x->like->times++;
        } else {
            counts_shared(c, x);
        }
    } else if (x->space != PTX_LOCAL && x->space != PTX_PARAM) {
        counts_global(c, x);
    }
}

/* ---- one addition each ---- */

/* The others have no PTX text of their own: JOINs, and what stands at a
 * function's end. (Few instructions need more than their first line for it.) */
static inline bool is_counted(const struct insn *i) {
    bool ends = i->kind == KIND_RETURN || i->kind == KIND_EXIT;
    return i->kind != KIND_JOIN && (!ends || i->source);
}

static inline void counts_issued(struct insn *i, uint32_t lanes) {
    i->warps++;
    i->threads += lanes;
}

static inline void counts_put_back(struct context *c) {
    c->insn->warps--;
    c->insn->threads -= (uint64_t)__builtin_popcount(c->lanes->mask);
}

static inline void counts_exchanged(struct insn *i) {
    i->counts[VGPU_COUNT_SHUFFLES]++;
}

static inline void counts_parted(struct insn *i) {
    i->counts[VGPU_COUNT_DIVERGENT_BRANCHES]++;
}

static inline void counts_warp_came(struct insn *i) {
    i->counts[VGPU_COUNT_BARRIERS]++;
}

/* A vector's elements are atomic one by one; 16 bytes are one operation. */
static inline void counts_changed(struct context *c, struct access *x,
                                  bool changed) {
    (void)changed;
    c->insn->counts[VGPU_COUNT_ATOMICS] +=
        (uint64_t)__builtin_popcount(x->mask) *
        (c->insn->bytes == 16 ? 1 : c->insn->n_elements);
}
