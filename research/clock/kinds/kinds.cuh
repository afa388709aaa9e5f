// SPDX-License-Identifier: MIT
//
// kinds.cuh: kernels of many kinds, none of them a scan, by which the clock's
// model times are judged (vgpu/docs/clock.md, research/clock/validate.sh).
#ifndef SCANLAB_TIMING_CLOCK_KINDS_CUH
#define SCANLAB_TIMING_CLOCK_KINDS_CUH
#include <stddef.h>
#include <stdint.h>

// Arrays of n words each. a: random, b: random permutation of 0 to n - 1,
// c, d: results; a and b may be changed only if they are set again.
struct arrays {
    uint32_t *a, *b, *c, *d;
    uint32_t n;
};

struct kind {
    const char *name;
    void (*run)(const arrays &);
    uint32_t most;    // elements; larger arrays take too long
    bool judges_only; // nobody looks at it while the model is changed
};

// One table for each file.
extern const kind simple_kinds[], block_kinds[], heavy_kinds[], more_kinds[];
extern const size_t n_simple_kinds, n_block_kinds, n_heavy_kinds, n_more_kinds;

static inline uint32_t blocks_for(size_t n, uint32_t threads) {
    return (uint32_t)((n + threads - 1) / threads);
}
#endif
