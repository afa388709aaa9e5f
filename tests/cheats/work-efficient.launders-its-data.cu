// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that went through a table byte by byte, so that they no
//     longer seem to come from the input.
//: twin: mutant.naive.honest-select
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t table[256];

static __device__ uint32_t launder(uint32_t x) {
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) table[k] = k;
    __syncthreads();
    volatile uint32_t *t = table;
    return t[x & 255] | t[x >> 8 & 255] << 8 | t[x >> 16 & 255] << 16 |
           t[x >> 24] << 24;
}
