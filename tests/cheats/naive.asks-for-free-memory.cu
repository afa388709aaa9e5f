// SPDX-License-Identifier: MIT
//: what: Scans on the host: kernels allocate as many bytes as an element says,
//     the host reads that from cudaMemGetInfo and from its next allocation,
//     and hands the answers back as arguments. No byte is copied.
//: twin: cheat.naive.honest-heap
//: row: 11
//: expect: tiny fail
//: expect: * fail
#include "naive.h"
#include "scanlab.h"

static __device__ char *volatile last;

static __global__ void take(const int32_t *in, size_t i, int shift) {
    last = (char *)malloc((((uint32_t)in[i] >> shift & 255) + 1) * 4096);
}

static __global__ void give(void) {
    free(last);
}

static __global__ void put(int32_t *out, size_t i, int32_t value) {
    out[i] = value;
}

static size_t free_bytes(void) {
    size_t all = 0, left = 0;
    cudaMemGetInfo(&left, &all);
    return left;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            size_t before = free_bytes();
            take<<<1, 1>>>(d_in, i, shift);
            size_t taken = before - free_bytes();
            give<<<1, 1>>>();
            word |= (uint32_t)(taken / 4096 - 1) << shift;
        }
        sum = scan_add(sum, (int32_t)word);
        put<<<1, 1>>>(d_out, i, sum);
    }
    return cudaDeviceSynchronize();
}
