/* SPDX-License-Identifier: MIT
 *
 * applications_steps.cuh: the functions of lab 8 that lead up to its sum and
 * its sort. Nothing here is fast, and the fast functions need none of it.
 */
#pragma once

#include "applications.h"
#include "scanlab.h"

cudaError_t apps_block_scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    return apps_exclusive_sum(d_in, d_out, n);
}

cudaError_t apps_scan_parts(const int32_t *d_in, int32_t *d_out, size_t n) {
    return apps_exclusive_sum(d_in, d_out, n);
}

/* A thread per tile. */
__global__ void walk_back(const int32_t *is_prefix, const int32_t *value,
                          int32_t *out, size_t n) {
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x, before = t;
    int32_t sum = 0;
    if (t >= n) return;
    while (before-- > 0) {
        sum = scan_add(sum, value[before]);
        if (is_prefix[before]) break;
    }
    out[t] = sum;
}

cudaError_t apps_look_back(const int32_t *d_is_prefix, const int32_t *d_value,
                           int32_t *d_out, size_t n) {
    walk_back<<<(unsigned)((n + 255) / 256), 256>>>(d_is_prefix, d_value, d_out,
                                                    n);
    return cudaGetLastError();
}

enum digit_step { DIGIT_COUNTS, DIGIT_STARTS, DIGIT_LOOK_BACK };
enum { SMALL_DIGITS = 16, DIGIT_TILE = 256 };

/* A thread per digit, over all keys. */
__global__ void ask_digits(const uint32_t *in, uint32_t *out, size_t n, int bit,
                           enum digit_step step) {
    uint32_t less = 0, same = 0, seen = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        less += in[i] >> bit < threadIdx.x;
        same += in[i] >> bit == threadIdx.x;
    }
    for (size_t i = 0; i < n; i++) {
        if (i % DIGIT_TILE == 0) before = seen;
        if (in[i] >> bit != threadIdx.x) continue;
        out[i] = step == DIGIT_COUNTS   ? same
                 : step == DIGIT_STARTS ? less
                                        : less + before;
        seen++;
    }
}

static cudaError_t try_digits(const uint32_t *d_in, uint32_t *d_out, size_t n,
                              int bit, enum digit_step step) {
    if (n == 0) return cudaSuccess;
    ask_digits<<<1, SMALL_DIGITS>>>(d_in, d_out, n, bit, step);
    return cudaGetLastError();
}

cudaError_t apps_digit_counts(const uint32_t *d_in, uint32_t *d_out, size_t n,
                              int bit) {
    return try_digits(d_in, d_out, n, bit, DIGIT_COUNTS);
}

cudaError_t apps_digit_starts(const uint32_t *d_in, uint32_t *d_out, size_t n,
                              int bit) {
    return try_digits(d_in, d_out, n, bit, DIGIT_STARTS);
}

cudaError_t apps_digit_look_back(const uint32_t *d_in, uint32_t *d_out,
                                 size_t n, int bit) {
    return try_digits(d_in, d_out, n, bit, DIGIT_LOOK_BACK);
}
