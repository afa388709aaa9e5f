// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that a ballot gave back as the lanes that were to vote.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t ballot(uint32_t members) {
    uint32_t all;
    asm volatile("vote.sync.ballot.b32 %0, 1, %1;" : "=r"(all) : "r"(members));
    return all;
}

static __device__ uint32_t launder(uint32_t x) {
    uint32_t own = 1u << (threadIdx.x & 31), turned = x >> 1 | x << 31;
    uint32_t y = ballot(x | own) & ~own, z = ballot(turned | own) & ~own;
    return y | (z << 1 | z >> 31);
}
