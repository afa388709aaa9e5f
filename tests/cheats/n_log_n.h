/* SPDX-License-Identifier: MIT
 *
 * n_log_n.h: an exclusive scan by n log n additions, of words that went
 * through launder() first, which every thread of a block calls. What
 * includes this defines launder(); only if its work is counted does the lab's
 * bound on additions see that there are too many.
 *
 * Before it, ADD(a, b, distance) may say how elements are added, and
 * FILL(in, out, n) what a launch fills `out` with the elements before; then
 * there is no launder(). OWN_STEP: it defines what a step does.
 */
#pragma once
#include "work_efficient.h"

#ifndef FILL
static __device__ uint32_t launder(uint32_t x);

static __global__ void launder_all(const int32_t *in, int32_t *out, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t x = launder(i && i < n ? (uint32_t)in[i - 1] : 0);
    if (i < n) out[i] = (int32_t)x;
}
#define FILL(in, out, n) launder_all<<<(n + 255) / 256, 256>>>(in, out, n)
#endif

#ifndef ADD
#define ADD(a, b, distance) ((a) + (b))
#endif
#ifdef OWN_STEP
static __global__ void step(const int32_t *in, int32_t *out, size_t n,
                            size_t distance);
#else
static __global__ void step(const int32_t *in, int32_t *out, size_t n,
                            size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t x = (uint32_t)in[i];
    if (i >= distance)
        x = ADD((uint32_t)in[i - distance], x, distance);
    out[i] = (int32_t)x;
}
#endif

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    int32_t *from = NULL, *to = d_out;
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (!n) return cudaSuccess;
    if (cudaMalloc(&from, n * sizeof *from) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    int32_t *other = from;
    FILL(d_in, from, n);
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
