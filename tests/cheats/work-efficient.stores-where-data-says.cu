// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that were given away by the place of a store, four bits
//     at a time, and read back from the places that were not stored to.
//: twin: cheat.work-efficient.honest-moves
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "n_log_n.h"

static __device__ uint32_t launder(uint32_t x) {
    volatile uint8_t is_it[16], is_not[16];
    uint32_t y = 0;
    for (int k = 0; k < 32; k += 4) {
        for (int j = 0; j < 16; j++) is_it[j] = is_not[j] = 0;
        is_it[x >> k & 15] = 1;
        for (int j = 0; j < 16; j++)
            if (!is_it[j]) is_not[j] = 1;
        for (uint32_t j = 0; j < 16; j++) y |= (j * (1u - is_not[j])) << k;
    }
    return y;
}
