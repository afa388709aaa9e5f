// SPDX-License-Identifier: MIT
//: what: one thread does each; the filter adds up in doubles, from the definition
//: labs: rows
//: course: ../rules
//: submission: .
//: expect: * pass
#include "rows.h"

__global__ void peaks(const int32_t *in, int32_t *out, int32_t *at, size_t n,
                      unsigned long long *kept) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && in[i] <= in[i - 1]) continue;
        if (i + 1 < n && in[i] <= in[i + 1]) continue;
        out[k] = in[i];
        at[k++] = (int32_t)i;
    }
    *kept = k;
}

__global__ void sums(const int64_t *in, int64_t *out, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (i % 100 == 0) sum = 0;
        sum += (uint64_t)in[i];
        out[i] = (int64_t)sum;
    }
}

__global__ void filter(const float *in, float *out, size_t n) {
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        mean = ((double)in[i] + mean) * 0.5;
        out[i] = (float)mean;
    }
}

cudaError_t row_peaks(const int32_t *d_in, int32_t *d_out, int32_t *d_out2,
                      size_t n, size_t *n_out) {
    unsigned long long *d_kept = NULL, kept = 0;
    cudaError_t error = cudaMalloc(&d_kept, sizeof *d_kept);
    if (error != cudaSuccess) return error;
    peaks<<<1, 1>>>(d_in, d_out, d_out2, n, d_kept);
    error = cudaMemcpy(&kept, d_kept, sizeof kept, cudaMemcpyDeviceToHost);
    *n_out = kept;
    cudaFree(d_kept);
    return error;
}

cudaError_t row_sums(const int64_t *d_in, int64_t *d_out, size_t n, int) {
    sums<<<1, 1>>>(d_in, d_out, n);
    return cudaGetLastError();
}

cudaError_t row_filter(const float *d_in, float *d_out, size_t n, int) {
    filter<<<1, 1>>>(d_in, d_out, n);
    return cudaGetLastError();
}
