// SPDX-License-Identifier: MIT
//: what: n log n additions, of words whose bits a barrier counted one by one.
//: twin: mutant.work-efficient.honest-fused-top
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "work_efficient.h"

static __global__ void launder(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t x = i && i < n ? (uint32_t)in[i - 1] : 0, y = 0;
    for (unsigned l = 0; l < 32; l++)
        for (int k = 0; k < 32; k++) {
            bool bit = threadIdx.x == l && (x >> k & 1);
            uint32_t of_all = k % 2 ? (uint32_t)__syncthreads_count(bit)
                                    : (uint32_t)(__syncthreads_or(bit) != 0);
            if (threadIdx.x == l) y |= of_all << k;
        }
    if (i < n) out[i] = (int32_t)y;
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
    launder<<<blocks * 8, 32>>>(d_in, from, n);
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
