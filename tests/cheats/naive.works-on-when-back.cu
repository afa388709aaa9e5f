// SPDX-License-Identifier: MIT
//: what: Returns, and a thread of the host scans on the device afterwards.
//: twin: hostile.naive.honest-many-calls
//: expect: tiny fail "never written"
//: expect: * any
#include <thread>
#include <unistd.h>
#include "naive.h"
#include "scanlab.h"
static __global__ void step(const int32_t *in, int32_t *out, size_t n,
                            size_t distance) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    int32_t *own = (int32_t *)malloc(2 * sizeof(int32_t));
    if (!own) return;
    own[0] = in[i];
    own[1] = i >= distance ? in[i - distance] : 0;
    out[i] = scan_add(own[0], own[1]);
    free(own);
}

static cudaError_t right(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    size_t all = 0, left = 0, bytes = n * sizeof(int32_t);
    int32_t *other = NULL;
    unsigned blocks = (unsigned)((n + 255) / 256);
    if (!n) return cudaSuccess;
    cudaMemGetInfo(&left, &all);
    if (left < 2 * bytes || cudaMalloc(&other, bytes) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    cudaMemcpy(other, d_in, bytes, cudaMemcpyDeviceToDevice);
    int32_t *from = other, *to = d_out;
    for (size_t distance = 1; distance < n; distance *= 2) {
        step<<<blocks, 256>>>(from, to, n, distance);
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != d_out)
        cudaMemcpy(d_out, from, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(other);
    return cudaDeviceSynchronize();
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (!n) return cudaSuccess;
    std::thread([=] {
        usleep(20000);
        right(d_in, d_out, n);
    }).detach();
    return cudaSuccess;
}
