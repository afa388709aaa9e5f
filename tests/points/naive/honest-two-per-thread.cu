// SPDX-License-Identifier: MIT
//: what: two elements per thread, 32 apart, by a template; the addition is
//     inline PTX
//: kind: honest
//: group: unseen
#include "naive.h"
#include "scanlab.h"

__device__ inline int32_t add_ptx(int32_t a, int32_t b) {
    int32_t sum;
    asm("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

template <int ITEMS>
__global__ void step(const int32_t *__restrict__ src, int32_t *__restrict__ dst,
                     size_t n, size_t offset) {
    size_t warp = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    size_t first = warp * 32 * ITEMS + threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        size_t i = first + (size_t)k * 32;
        if (i >= n) break;
        int32_t item = src[i];
        dst[i] = i >= offset ? add_ptx(src[i - offset], item) : item;
    }
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    if (n == 1)
        return cudaMemcpyAsync(d_out, d_in, 4, cudaMemcpyDeviceToDevice);
    int32_t *buffers[2] = {d_out, NULL};
    cudaError_t status = cudaMalloc(&buffers[1], n * sizeof *d_out);
    if (status != cudaSuccess) return status;
    int left = 0; /* steps still to come */
    while ((size_t)1 << left < n) left++;
    const int32_t *src = d_in;
    for (size_t offset = 1; offset < n && status == cudaSuccess; offset <<= 1) {
        int32_t *dst = buffers[--left & 1];
        step<2><<<(unsigned)((n + 511) / 512), 256>>>(src, dst, n, offset);
        status = cudaGetLastError();
        src = dst;
    }
    cudaError_t freed = cudaFree(buffers[1]);
    return status != cudaSuccess ? status : freed;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
