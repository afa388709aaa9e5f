// SPDX-License-Identifier: MIT
//: what: As asks-for-free-memory, but reads the answer from the address that
//     the host's next allocation gets.
//: twin: cheat.naive.honest-heap
//: row: 11
//: expect: tiny fail
//: expect: * fail
#include "naive.h"
#include "scanlab.h"

static __global__ void take(const int32_t *in, size_t i, int shift) {
    free(malloc((((uint32_t)in[i] >> shift & 255) + 1) * 4096));
}

static __global__ void put(int32_t *out, size_t i, int32_t value) {
    out[i] = value;
}

static uint64_t next_address(void) {
    char *p = NULL;
    cudaMalloc(&p, 1);
    cudaFree(p);
    return (uint64_t)(uintptr_t)p;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t sum = 0;
    if (!n) return cudaSuccess;
    take<<<1, 1>>>(d_in, 0, 0);
    uint64_t own = next_address();
    own = next_address() - own;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            uint64_t before = next_address();
            take<<<1, 1>>>(d_in, i, shift);
            uint64_t went = next_address() - before - own;
            word |= (uint32_t)(went / 4096 - 1) << shift;
        }
        sum = scan_add(sum, (int32_t)word);
        put<<<1, 1>>>(d_out, i, sum);
    }
    return cudaDeviceSynchronize();
}
