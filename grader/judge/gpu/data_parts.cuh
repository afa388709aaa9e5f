/* SPDX-License-Identifier: MIT
 *
 * data_parts.cuh: what data.cu and check.cu share: loops over n elements,
 * numbers drawn by their index, sums.
 */
#pragma once

#include "data.cuh"

enum { THREADS = 256, MOST_BLOCKS = 8192 };

inline unsigned blocks_for(size_t n) {
    size_t blocks = (n + THREADS - 1) / THREADS;
    return (unsigned)(blocks < 1             ? 1
                      : blocks > MOST_BLOCKS ? MOST_BLOCKS
                                             : blocks);
}

#define EACH(i, n)                                                             \
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;                  \
    i < (n);                                                                   \
    i += (size_t)gridDim.x * blockDim.x

__host__ __device__ inline uint64_t
mix64(uint64_t x) { // splitmix64's finaliser
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ inline uint64_t draw(size_t i, uint32_t seed) {
    return mix64(i * 0x9e3779b97f4a7c15ull + seed);
}

// One to one on 32-bit numbers (the finaliser of MurmurHash3), and back.
__device__ inline uint32_t scramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

__device__ inline uint32_t unscramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x7ed1b41du;
    x = (x ^ x >> 13 ^ x >> 26) * 0xa5cb9243u;
    return x ^ x >> 16;
}

// Of whole warps.
__device__ inline void add_up(unsigned long long *place,
                              unsigned long long mine) {
    for (int d = 16; d; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0 && mine) atomicAdd(place, mine);
}
