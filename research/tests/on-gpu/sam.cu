// SPDX-License-Identifier: MIT
//
// sam.cu: lab 7's scan by one thread, right, or with an element that is one too
// large.
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

__global__ void scan(const uint32_t *in, uint32_t *out, size_t n, int order,
                     int tuple) {
    for (size_t i = 0; i < n; i++) out[i] = in[i];
    for (int q = 0; q < order; q++)
        for (size_t i = tuple; i < n; i++) out[i] += out[i - tuple];
#ifdef WRONG
    if (order > 1) out[n / 2]++;
#endif
}

extern "C" cudaError_t sam_scan_i32(const int32_t *in, int32_t *out, size_t n,
                                    int order, int tuple) {
    if (order > 8) return cudaErrorInvalidValue;
    scan<<<1, 1>>>((const uint32_t *)in, (uint32_t *)out, n, order, tuple);
    return cudaGetLastError();
}
