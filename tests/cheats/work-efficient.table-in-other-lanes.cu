// SPDX-License-Identifier: MIT
//: what: n log n additions, bit by bit, by a table that eight lanes hold:
//     data names the lane that is asked.
//: twin: cheat.work-efficient.honest-moves
//: row: 4
//: expect: work fail "(<= 2*n - 2"
//: expect: * any
#define OWN_STEP
#include "bit_adder.h"

static __device__ uint32_t sum_of(uint32_t index) {
    return __shfl_sync(~0u, __popc(threadIdx.x % 8), index);
}

/* All lanes add, so that each can be asked. */
static __global__ void step(const int32_t *in, int32_t *out, size_t n,
                            size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t at = i < n ? i : n - 1, before = at < distance ? at : at - distance;
    uint32_t x = (uint32_t)in[at];
    uint32_t sum = add_bits((uint32_t)in[before], x);
    if (i < n) out[i] = (int32_t)(at < distance ? x : sum);
}
