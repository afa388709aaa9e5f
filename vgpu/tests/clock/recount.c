/* SPDX-License-Identifier: MIT
 *
 * recount.c: see recount.h of the room watch. Costs each access from what its
 * registers hold: nothing of the access's shape, of what the instruction
 * remembers or of its counts is used. What differs is told, and ends the
 * process. When the process ends well it tells how many accesses it compared.
 */
#include "recount.h"
#include "wavefronts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SECTOR_BITS = 5, LINE_BITS = 7 };

static _Atomic uint64_t n_shared, n_global, n_waits;

static _Noreturn void wrong(const struct insn *i, const char *what,
                            uint64_t used, uint64_t is) {
    fprintf(stderr,
            "recount: %s: %s: %" PRIu64 " were used, its own are %" PRIu64 "\n",
            i->source ? i->source->form : "?", what, used, is);
    abort();
}

static void addresses_of(const struct context *c, const struct access *x,
                         uint64_t address[WARP_LANES]) {
    const struct insn *i = c->insn;
    const void *base = c->registers + i->base;
    if (i->kind == KIND_ASYNC) { /* places of its own for both sides */
        memcpy(address, x->address, sizeof x->address);
        return;
    }
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t a = (uint64_t)i->offset;
        if (i->base != NO_REGISTER)
            a = i->is_base_wide
                    ? ((const uint64_t *)base)[l] + a
                    : (uint32_t)(((const uint32_t *)base)[l] + (uint32_t)a);
        address[l] = x->space == PTX_SHARED ? a & ~WINDOW_MASK : a;
    }
}

void recount_passes(const struct context *c, const struct access *x,
                    uint64_t passes) {
    const struct vgpu_profile *p = c->machine->profile;
    struct banks b = {(uint32_t)p->banks, (uint32_t)p->phase_lanes};
    uint64_t address[WARP_LANES];
    addresses_of(c, x, address);
    uint32_t is = wavefronts_of(b,
                                x->atomic  ? WAVEFRONTS_ATOMIC
                                : x->write ? WAVEFRONTS_STORE
                                           : WAVEFRONTS_LOAD,
                                address, x->mask, x->bytes);
    if (passes != is) wrong(c->insn, "passes of shared memory", passes, is);
    n_shared++;
}

static bool has(const uint64_t *line, const uint32_t *sectors, uint32_t n,
                uint64_t sector) {
    for (uint32_t k = 0; k < n; k++)
        if (line[k] == sector >> (LINE_BITS - SECTOR_BITS))
            return sectors[k] >> (sector & 3) & 1;
    return false;
}

void recount_lines(const struct context *c, const struct access *x,
                   const uint64_t *line, const uint32_t *sectors, uint32_t n) {
    uint64_t address[WARP_LANES], seen[4 * WARP_LANES];
    uint32_t used = 0, is = 0;
    addresses_of(c, x, address);
    for (uint32_t k = 0; k < n; k++)
        used += (uint32_t)__builtin_popcount(sectors[k]);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint64_t a = address[__builtin_ctz(m)], s = a >> SECTOR_BITS;
        for (; s <= (a + x->bytes - 1) >> SECTOR_BITS; s++) {
            uint32_t k = 0;
            while (k < is && seen[k] != s) k++;
            if (k == is) seen[is++] = s;
            if (!has(line, sectors, n, s))
                wrong(c->insn, "sectors of global memory, one left out", used,
                      is);
        }
    }
    if (used != is) wrong(c->insn, "sectors of global memory", used, is);
    n_global++;
}

/* An access is one request of each kind at most: an atomic one reads and
 * writes. More are others'. */
void recount_cost(const struct insn *i, const uint32_t *cost) {
    static const vgpu_counter requests[] = {VGPU_COUNT_SHARED_REQUESTS,
                                            VGPU_COUNT_GLOBAL_READ_REQUESTS,
                                            VGPU_COUNT_GLOBAL_WRITE_REQUESTS};
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++)
        if (cost[requests[k]] > 1)
            wrong(i, "requests that a wait takes back", cost[requests[k]], 1);
    n_waits++;
}

__attribute__((destructor)) static void tell(void) {
    if (n_shared + n_global + n_waits)
        fprintf(stderr,
                "recount: %" PRIu64 " accesses to shared memory, %" PRIu64
                " to global memory, %" PRIu64 " of waits\n",
                n_shared, n_global, n_waits);
}
