/* SPDX-License-Identifier: MIT
 *
 * recount.h: compares the cost of an access in all places that use it: the
 * clock makes time and steps of it, and a wait subtracts it. In a build for
 * tests (VGPU_RECOUNT) each of them passes here what it uses, and a test
 * (clock.recount) compares that with the cost computed from the registers that
 * hold the addresses. In every other build these functions do nothing.
 */
#pragma once

#include "event.h"

#ifdef VGPU_RECOUNT
/* Passes through the banks of shared memory. */
void recount_passes(const struct context *, const struct access *,
                    uint64_t passes);
/* Lines of global memory, and of each the sectors, a bit for each. */
void recount_lines(const struct context *, const struct access *,
                   const uint64_t *line, const uint32_t *sectors, uint32_t n);
/* What a wait will take back of an access: VGPU_N_COUNTERS numbers. */
void recount_cost(const struct insn *, const uint32_t *cost);
#else
static inline void recount_passes(const struct context *c,
                                  const struct access *x, uint64_t passes) {
    (void)c, (void)x, (void)passes;
}
static inline void recount_lines(const struct context *c,
                                 const struct access *x, const uint64_t *line,
                                 const uint32_t *sectors, uint32_t n) {
    (void)c, (void)x, (void)line, (void)sectors, (void)n;
}
static inline void recount_cost(const struct insn *i, const uint32_t *cost) {
    (void)i, (void)cost;
}
#endif
