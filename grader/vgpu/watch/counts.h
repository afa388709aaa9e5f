/* SPDX-License-Identifier: MIT
 *
 * counts.h: what an access costs: requests, sectors and segments of global
 * memory, wavefronts of shared memory (counts.c). An instruction keeps its own
 * counts; where accesses to shared memory look like the last one they are
 * counted together (even_hint.times) until somebody collects.
 */
#pragma once

#include "event.h"

void counts_global(struct context *, struct access *);
void counts_shared(struct context *, struct access *);
/* The side of a bulk copy that lies in global memory. The one in shared memory
 * is not counted: on an H200, Nsight Compute counts no wavefront either. */
void counts_bulk(struct context *, uint64_t global, uint32_t bytes, bool write);
/* Adds to the instruction's counts what was counted together. */
void counts_collect(struct insn *);
void counts_collect_like(struct insn *, struct even_hint *);

static inline void counts_access(struct context *c, struct access *x) {
    if (x->space == PTX_SHARED) {
        if (x->like && x->like->passes)
            x->like->times++;
        else
            counts_shared(c, x);
    } else if (x->space != PTX_LOCAL && x->space != PTX_PARAM) {
        counts_global(c, x);
    }
}
