/* SPDX-License-Identifier: MIT
 *
 * tiles.h: what scans of N elements by tiles share: buffers, the scan of a
 * tile, tickets. N_TILES is defined before.
 */
#pragma once
#include "check.h"

enum { TILE = 64, N = TILE * N_TILES };
enum { NOTHING = 0, AGGREGATE = 1, PREFIX = 2 };

struct work {
    const unsigned *in;
    unsigned *out, *ticket, *flag, *aggregate, *prefix;
    unsigned long long *status;
};

/* Inclusive scan of a tile; the total ends up in shared[TILE - 1]. */
__device__ unsigned tile_scan(const struct work w, unsigned tile,
                              unsigned *shared) {
    unsigned me = threadIdx.x;
    shared[me] = w.in[tile * TILE + me];
    __syncthreads();
    for (unsigned d = 1; d < TILE; d *= 2) {
        unsigned left = me >= d ? shared[me - d] : 0;
        __syncthreads();
        shared[me] += left;
        __syncthreads();
    }
    return shared[me];
}

__device__ unsigned take_ticket(const struct work w) {
    __shared__ unsigned tile;
    if (threadIdx.x == 0) tile = atomicAdd(w.ticket, 1);
    __syncthreads();
    return tile;
}

inline struct work allocate(void) {
    struct work w;
    CHECK(cudaMalloc(&w.in, N * sizeof *w.in));
    CHECK(cudaMalloc(&w.out, N * sizeof *w.out));
    CHECK(cudaMalloc(&w.ticket, sizeof *w.ticket));
    CHECK(cudaMalloc(&w.flag, N_TILES * sizeof *w.flag));
    CHECK(cudaMalloc(&w.aggregate, N_TILES * sizeof *w.aggregate));
    CHECK(cudaMalloc(&w.prefix, N_TILES * sizeof *w.prefix));
    CHECK(cudaMalloc(&w.status, N_TILES * sizeof *w.status));
    return w;
}

/* The inputs of a round and their inclusive scan; the inputs go to the device.
 */
inline void fill(struct work w, unsigned *in, unsigned *want, int round) {
    for (int i = 0; i < N; i++) {
        in[i] = (unsigned)(i * 7 % 13 + 1 + round);
        want[i] = in[i] + (i ? want[i - 1] : 0);
    }
    CHECK(cudaMemcpy((void *)w.in, in, N * sizeof *in, cudaMemcpyHostToDevice));
}

inline void release(struct work w) {
    unsigned *all[] = {(unsigned *)w.in, w.out,       w.ticket,
                       w.flag,           w.aggregate, w.prefix};
    for (unsigned *p : all) CHECK(cudaFree(p));
    CHECK(cudaFree(w.status));
}
