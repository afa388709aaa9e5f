// SPDX-License-Identifier: MIT
//: what: n log n additions, of words whose bits a barrier counted one by one.
//: twin: mutant.work-efficient.honest-fused-top
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    uint32_t y = 0;
    for (unsigned l = 0; l < 32; l++)
        for (int k = 0; k < 32; k++) {
            bool bit = threadIdx.x == l && (x >> k & 1);
            uint32_t of_all = k % 2 ? (uint32_t)__syncthreads_count(bit)
                                    : (uint32_t)(__syncthreads_or(bit) != 0);
            if (threadIdx.x == l) y |= of_all << k;
        }
    return y;
}
