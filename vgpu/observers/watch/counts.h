/* SPDX-License-Identifier: MIT
 *
 * counts.h: counts instructions, and what an access costs: requests, sectors
 * and segments of global memory, wavefronts of shared memory (counts.c). Each
 * instruction has its own counts, of this launch: how often it was issued
 * (issued_of), which is all that most instructions need, and all counters
 * (costs_of). Where accesses to shared memory look like the last one they are
 * counted together (even_hint.times) until somebody collects.
 */
#pragma once

#include "event.h"

void counts_global(struct context *, struct access *);
void counts_shared(struct context *, struct access *);
/* The addresses that an access to constant memory wants. */
uint32_t counts_constant(const struct access *);
/* Of an access to shared memory; *ideal: what its width needs. */
uint8_t counts_wavefronts(struct context *, struct access *, uint8_t *ideal);
/* The side of a bulk copy that lies in global memory. The one in shared memory
 * is not counted: on an H200, Nsight Compute counts no wavefront either. */
void counts_bulk(struct context *, uint64_t global, uint32_t bytes, bool write);
/* Adds to the instruction's counts what was counted together. */
void counts_collect_like(const struct machine *, const struct insn *,
                         struct even_hint *);

/* How often an instruction was issued: by itself, and as a part of straight
 * lines. Of these `lines` is the difference to the instruction before it, so
 * that a line costs two additions however long it is: issued_sum adds them up.
 * Modulo 2^64. */
struct issued {
    uint64_t warps, threads;
    uint64_t lines, line_threads;
};

static inline struct issued *issued_of(const struct machine *m,
                                       const struct insn *i) {
    return (struct issued *)m->insn_slots[OBSERVER_COUNTS] + i->number;
}

/* VGPU_N_COUNTERS of them. */
static inline uint64_t *costs_of(const struct machine *m,
                                 const struct insn *i) {
    return (uint64_t *)m->insn_slots[OBSERVER_COSTS] +
           (size_t)i->number * VGPU_N_COUNTERS;
}

static inline void counts_collect(const struct machine *m,
                                  const struct insn *i) {
    for (int k = 0; k < 2; k++)
        counts_collect_like(m, i, &hints_of(m, i)->even[k]);
}

static inline void costs_access(struct context *c, struct access *x) {
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

/* n instructions from i on. Behind a line of several stands another
 * instruction, since a function's last is a branch, a return or an exit. */
static inline void counts_issued(struct machine *m, const struct insn *i,
                                 uint32_t n, uint32_t lanes) {
    struct issued *at = issued_of(m, i);
    if (n == 1) {
        at->warps++;
        at->threads += lanes;
        return;
    }
    at[0].lines++;
    at[0].line_threads += lanes;
    at[n].lines--;
    at[n].line_threads -= lanes;
}

/* Of the instructions of a function, from the first on: adds the differences of
 * the next one to *lines, and returns how often that one was issued. */
static inline struct issued issued_sum(const struct issued *at,
                                       struct issued *lines) {
    lines->lines += at->lines;
    lines->line_threads += at->line_threads;
    return (struct issued){.warps = at->warps + lines->lines,
                           .threads = at->threads + lines->line_threads};
}

static inline void counts_put_back(struct context *c) {
    struct issued *at = issued_of(c->machine, c->insn);
    at->warps--;
    at->threads -= (uint64_t)__builtin_popcount(c->lanes->mask);
}

static inline void costs_exchanged(struct context *c) {
    costs_of(c->machine, c->insn)[VGPU_COUNT_SHUFFLES]++;
}

static inline void costs_parted(struct context *c) {
    costs_of(c->machine, c->insn)[VGPU_COUNT_DIVERGENT_BRANCHES]++;
}

static inline void costs_warp_came(struct warp *w, const struct insn *i) {
    costs_of(w->block->machine, i)[VGPU_COUNT_BARRIERS]++;
}

/* A vector's elements are atomic one by one; 16 bytes are one operation. */
static inline void costs_changed(struct context *c, struct access *x,
                                 bool changed) {
    (void)changed;
    costs_of(c->machine, c->insn)[VGPU_COUNT_ATOMICS] +=
        (uint64_t)__builtin_popcount(x->mask) *
        (c->insn->bytes == 16 ? 1 : c->insn->n_elements);
}

static inline void costs_hint_ends(struct context *c, struct even_hint *e) {
    counts_collect_like(c->machine, c->insn, e);
}

static const struct observer counts_observer = {.insn = sizeof(struct issued),
                                                .issued = counts_issued,
                                                .put_back = counts_put_back};
static const struct observer costs_observer = {.insn = VGPU_N_COUNTERS *
                                                       sizeof(uint64_t),
                                               .exchanged = costs_exchanged,
                                               .parted = costs_parted,
                                               .warp_came = costs_warp_came,
                                               .access = costs_access,
                                               .changed = costs_changed,
                                               .copy_moves = counts_bulk,
                                               .hint_ends = costs_hint_ends};
