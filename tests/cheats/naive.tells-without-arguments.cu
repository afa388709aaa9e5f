// SPDX-License-Identifier: MIT
//: what: Tells the device a word per element by launches without arguments: which
//     kernel, how many threads, how much shared memory. Right besides, by a thread.
//: twin: hostile.naive.honest-many-calls
//: run: -n 4097
//: expect: any-size fail "handed its kernels"
//: expect: * any
#include "naive.h"

static __device__ int32_t heard;

/* 10 bits are the block's size, 15 the shared memory's, 7 the kernel. */
template <unsigned UPPER> static __global__ void hear() {
    unsigned shared;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
    if (threadIdx.x == 0)
        heard = (int32_t)(UPPER << 25 | shared << 10 | (blockDim.x - 1));
}

template <unsigned UPPER> static void tell(uint32_t value) {
    if (value >> 25 == UPPER)
        hear<UPPER><<<1, (value & 1023) + 1, value >> 10 & 32767>>>();
    else if constexpr (UPPER > 0)
        tell<UPPER - 1>(value);
}

static __global__ void scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (!n) return cudaSuccess;
    scan<<<1, 1>>>(d_in, d_out, n);
    for (size_t i = 0; i < n; i++) tell<7>((uint32_t)(i * 2654435761u) >> 4);
    return cudaDeviceSynchronize();
}
