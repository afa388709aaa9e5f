// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that, two bits at a time, decided which function was
//     called.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

template <int k> static __device__ __noinline__ uint32_t number(void) {
    return k;
}

typedef uint32_t function(void);
static __device__ function *const functions[4] = {number<0>, number<1>,
                                                  number<2>, number<3>};

static __device__ uint32_t launder(uint32_t x) {
    uint32_t y = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k += 2) y |= functions[x >> k & 3]() << k;
    return y;
}
