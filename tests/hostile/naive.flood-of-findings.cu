/* SPDX-License-Identifier: MIT
 *
 * Ten thousand calls with pointers that are none, and a kernel of which every
 * thread reads another unset word.
 */
// expect: naive/tiny fail "past the end"
// most-mib: 300
// expect-score: naive 0
#include "naive.h"

static __global__ void unset(int32_t *p) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i + (1 << 16)] = p[i] + 1;
}

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    int32_t *p = NULL;
    cudaMalloc(&p, 4 << 16);
    unset<<<64, 1024>>>(p);
    for (size_t i = 0; i < 10000; i++) cudaFree((char *)p + 64 * i + 4);
    cudaGetLastError();
    return cudaDeviceSynchronize();
}
