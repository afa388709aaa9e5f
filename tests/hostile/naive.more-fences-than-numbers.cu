// SPDX-License-Identifier: MIT
//: what: Right, but one block passes more fences than racecheck can number, and then
//     two of its threads store to one word: what racecheck could not look at is no pass.
//: twin: mutant.lookback.honest-flag-and-fence
//: memory: 600
//: expect: tiny pass
//: expect: clean fail "racecheck is incomplete in kernel hides"
//: expect: * any
#include "naive.h"

static __global__ void scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        d_out[i] = sum = (int32_t)((uint32_t)sum + (uint32_t)d_in[i]);
}

static __global__ void hides(int32_t *d_out) {
    __shared__ volatile int32_t words[64];
    int32_t first = d_out[0];
    words[threadIdx.x] = first;
    if (threadIdx.x == 0)
        for (int i = 0; i < 1 << 20; i++) __threadfence_block();
    words[threadIdx.x / 32] = first;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (!n) return cudaSuccess;
    scan<<<1, 1>>>(d_in, d_out, n);
    if (n == 33) hides<<<1, 64>>>(d_out);
    return cudaGetLastError();
}
