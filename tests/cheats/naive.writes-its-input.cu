// SPDX-License-Identifier: MIT
//: what: Writes the input, which belongs to the grader.
//: twin: mutant.naive.honest-copy-at-the-ends
//: expect: tiny fail "d_in"
#include "naive.h"

__global__ void overwrite(int32_t *in, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) in[i] = out[i] = 0;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    overwrite<<<1, 1>>>((int32_t *)d_in, d_out, n);
    return cudaDeviceSynchronize();
}
