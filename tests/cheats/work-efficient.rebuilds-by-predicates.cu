// SPDX-License-Identifier: MIT
//: what: n log n additions, of words that were rebuilt bit by bit from predicates,
//     by selections and by guarded instructions.
//: twin: mutant.naive.honest-select
//: row: 13
//: expect: work fail "data_ops"
//: expect: * any
#include "work_efficient.h"

static __global__ void rebuild(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = i ? (uint32_t)in[i - 1] : 0, y = 0;
    for (uint32_t bit = 1; bit; bit *= 2) {
        uint32_t is;
        if (bit & 0x55555555)
            asm volatile("{.reg .pred p; .reg .u32 t; and.b32 t, %1, %2;"
                         "setp.ne.u32 p, t, 0; selp.u32 %0, 1, 0, p;}"
                         : "=r"(is)
                         : "r"(x), "r"(bit));
        else
            asm volatile("{.reg .pred p; .reg .u32 t; and.b32 t, %1, %2;"
                         "setp.ne.u32 p, t, 0; mov.u32 %0, 0;"
                         "@p mov.u32 %0, 1;}"
                         : "=&r"(is)
                         : "r"(x), "r"(bit));
        y += is * bit;
    }
    out[i] = (int32_t)y;
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
    rebuild<<<blocks, 256>>>(d_in, from, n);
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
