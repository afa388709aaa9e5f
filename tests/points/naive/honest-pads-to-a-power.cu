// SPDX-License-Identifier: MIT
//: what: scans n rounded up to a power of two, with zeros behind the input;
//     the exclusive scan is the same with the input one place to the right
//: kind: honest
//: group: seen
#include "naive.h"
#include "scanlab.h"

__global__ void add_left(int32_t *to, const int32_t *from, size_t d) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = i >= d ? scan_add(from[i], from[i - d]) : from[i];
}

/* The input begins `shift` places behind a zero. */
static cudaError_t scan(const int32_t *d_in, int32_t *d_out, size_t n,
                        size_t shift) {
    if (n == 0) return cudaSuccess;
    size_t padded = 32;
    while (padded < n) padded *= 2;
    unsigned threads = padded < 256 ? (unsigned)padded : 256;
    int32_t *a = NULL, *b = NULL;
    cudaError_t status = cudaMalloc(&a, padded * sizeof *a);
    if (status == cudaSuccess) status = cudaMalloc(&b, padded * sizeof *b);
    if (status == cudaSuccess)
        status = cudaMemsetAsync(a, 0, padded * sizeof *a);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(a + shift, d_in, (n - shift) * sizeof *a,
                                 cudaMemcpyDeviceToDevice);
    for (size_t d = 1; d < padded && status == cudaSuccess; d *= 2) {
        add_left<<<(unsigned)(padded / threads), threads>>>(b, a, d);
        status = cudaGetLastError();
        int32_t *swap = a;
        a = b;
        b = swap;
    }
    if (status == cudaSuccess)
        status =
            cudaMemcpyAsync(d_out, a, n * sizeof *a, cudaMemcpyDeviceToDevice);
    cudaError_t freed_a = cudaFree(a), freed_b = cudaFree(b);
    if (status != cudaSuccess) return status;
    return freed_a != cudaSuccess ? freed_a : freed_b;
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return scan(d_in, d_out, n, 0);
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return scan(d_in, d_out, n, 1);
}
