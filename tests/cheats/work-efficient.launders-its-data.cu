// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that went through a table byte by byte, so
//     that they no longer seem to come from the input.
//: twin: mutant.naive.honest-select
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "work_efficient.h"

static __device__ uint32_t table[256];

static __global__ void launder(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (unsigned k = threadIdx.x; k < 256; k += blockDim.x) table[k] = k;
    __syncthreads();
    if (i >= n) return;
    uint32_t x = i ? (uint32_t)in[i - 1] : 0;
    volatile uint32_t *t = table;
    out[i] = (int32_t)(t[x & 255] | t[x >> 8 & 255] << 8 |
                       t[x >> 16 & 255] << 16 | t[x >> 24] << 24);
}

static __global__ void step(const int32_t *in, int32_t *out, size_t n,
                            size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = (uint32_t)in[i];
    if (i >= distance) x += (uint32_t)in[i - distance];
    out[i] = (int32_t)x;
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    int32_t *from = NULL, *to = d_out;
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (!n) return cudaSuccess;
    if (cudaMalloc(&from, n * sizeof *from) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    int32_t *other = from;
    launder<<<blocks, 256>>>(d_in, from, n);
    for (size_t distance = 1; distance < n; distance *= 2) {
        step<<<blocks, 256>>>(from, to, n, distance);
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != d_out)
        cudaMemcpy(d_out, from, n * sizeof *from, cudaMemcpyDeviceToDevice);
    cudaFree(other);
    return cudaDeviceSynchronize();
}
