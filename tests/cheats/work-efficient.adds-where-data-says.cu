// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that the word gave away that an atomic operation
//     added 1 to.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    __shared__ uint32_t count[256][17];
    uint32_t *own = count[threadIdx.x], y = 0;
    for (int k = 0; k < 32; k += 4) {
        for (int j = 0; j < 16; j++) own[j] = 0;
        atomicAdd(&own[x >> k & 15], 1u);
        for (uint32_t j = 0; j < 16; j++) y |= (j * own[j]) << k;
    }
    return y;
}
