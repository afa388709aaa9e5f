// SPDX-License-Identifier: MIT
//: what: Scans on the host: a kernel runs the longer the more bits are set, the
//     host takes the time, and hands the answers back as arguments.
//: twin: hostile.naive.honest-many-calls
//: time: 2000
//: expect: tiny any
//: expect: any-size fail
//: expect: * any
#include <time.h>

#include "naive.h"
#include "scanlab.h"

static __global__ void wait(const int32_t *in, size_t i, int bit, int *sink) {
    if (!((uint32_t)in[i] >> bit & 1)) return;
    for (int k = 0; k < 300; k++) *(volatile int *)sink = k;
}

static __global__ void put(int32_t *out, size_t i, int32_t value) {
    out[i] = value;
}

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t word = 0;
        for (int bit = 0; bit < 32; bit++) {
            long start = now();
            wait<<<1, 1>>>(d_in, i, bit, d_out + i);
            cudaDeviceSynchronize();
            if (now() - start > 60000) word |= 1u << bit;
        }
        sum = scan_add(sum, (int32_t)word);
        put<<<1, 1>>>(d_out, i, sum);
    }
    return cudaDeviceSynchronize();
}
