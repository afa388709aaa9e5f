// SPDX-License-Identifier: MIT
//: what: Reads and writes device memory from the host.
//: twin: hostile.naive.honest-many-calls
//: expect: tiny fail "device pointer" at "naive.cu:13"
#include "naive.h"
#include "scanlab.h"

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        /* the line that faults: */
        sum = scan_add(sum, d_in[i]);
        d_out[i] = sum;
    }
    return cudaSuccess;
}
