/* SPDX-License-Identifier: MIT
 *
 * clock_cluster.c: what it costs to reach another multiprocessor in a cluster
 * of blocks. Measured on an H200 (driver 580.159.04, 2026-11-28, two runs): a
 * load from another block's shared memory takes 191 (cluster of 2) to 211
 * cycles (4 or 8) where one's own takes 29 (41 by such an address), and 7.5
 * cycles pass between two wavefronts where one's own take 2;
 * barrier.cluster.arrive and .wait together take 370 cycles with one warp.
 */
#include "clock_inside.h"
#include "cluster.h"

enum { FAR_LATENCY = 175, FAR_WAVEFRONT = 6, FAR_BARRIER = 330 /* cycles */ };

static bool is_far(const struct context *c, const struct access *x) {
    const struct region *own = &context_block(c)->shared;
    if (!cluster_in(c->machine) || x->one == own) return false;
    for (uint32_t m = x->mask; m; m &= m - 1)
        if (access_region(x, (uint32_t)__builtin_ctz(m)) != own) return true;
    return false;
}

uint64_t clock_far(const struct clock *k, const struct context *c,
                   const struct access *x, uint64_t *wavefront) {
    if (!is_far(c, x)) return 0;
    *wavefront += FAR_WAVEFRONT * k->at.cycle;
    return FAR_LATENCY * k->at.cycle;
}

void clock_meets_far(const struct clock *k, struct clock_meeting *m) {
    if (!k->profile->counts_steps) m->time += FAR_BARRIER * k->at.cycle;
}
