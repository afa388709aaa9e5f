/* SPDX-License-Identifier: MIT
 *
 * honest.h: lab 1 as the handout wants it, for honest twins, which do one thing
 * more.
 */
#pragma once

#include "naive.h"
#include "scanlab.h"

static __global__ void honest_step(const int32_t *src, int32_t *dst, size_t n,
                                   size_t offset) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dst[i] = i < offset ? src[i] : scan_add(src[i - offset], src[i]);
}

static cudaError_t honest_scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    int32_t *scratch = NULL, *to;
    unsigned blocks = (unsigned)((n + 255) / 256), steps = 0;
    if (n == 0) return cudaSuccess;
    if (n == 1)
        return cudaMemcpyAsync(d_out, d_in, n * sizeof *d_out,
                               cudaMemcpyDeviceToDevice);
    cudaError_t error = cudaMalloc(&scratch, n * sizeof *d_out);
    if (error != cudaSuccess) return error;
    while ((size_t)1 << steps < n) steps++;
    to = steps % 2 ? d_out : scratch;
    for (unsigned k = 0; k < steps; k++) {
        honest_step<<<blocks, 256>>>(d_in, to, n, (size_t)1 << k);
        d_in = to;
        to = to == d_out ? scratch : d_out;
    }
    error = cudaGetLastError();
    cudaError_t freed = cudaFree(scratch);
    return error != cudaSuccess ? error : freed;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t error = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (error != cudaSuccess) return error;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
