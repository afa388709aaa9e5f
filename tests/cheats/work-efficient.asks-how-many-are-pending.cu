// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that were given out as states of an mbarrier, whose
//     pending count is its lower bits.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t pending(uint64_t state) {
    uint32_t n;
    asm("mbarrier.pending_count.shared.b64 %0, %1;" : "=r"(n) : "l"(state));
    return n & 0xffff;
}

static __device__ uint32_t launder(uint32_t x) {
    return pending(x & 0xffff) | pending(x >> 16) << 16;
}
