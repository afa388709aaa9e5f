// SPDX-License-Identifier: MIT
//: what: The honest twin: hosts that hand their kernels much and mean no harm:
//     a table of 3600 bytes by value, structures of pointers and sizes for each
//     step, a fill before. What it says is the same for all data.
//: expect: any-size pass
//: expect: * any
#include "naive.h"
#include "scanlab.h"

struct table {
    unsigned distance[900];
};

struct task {
    const int32_t *from;
    int32_t *to;
    size_t n, distance;
    unsigned blocks, threads, step, steps, spare[6];
};

static __global__ void first(const int32_t *from, int32_t *to, size_t n,
                             table t) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = i < t.distance[0] ? from[i]
                                  : scan_add(from[i - t.distance[0]], from[i]);
}

static __global__ void step(task t) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= t.n) return;
    size_t distance = t.distance;
    t.to[i] = i < distance ? t.from[i]
                           : scan_add(t.from[i - distance], t.from[i]);
}

static cudaError_t steps(const int32_t *d_in, int32_t *d_out, int32_t *scratch,
                         size_t n) {
    table t;
    unsigned all = 1;
    unsigned blocks = (unsigned)((n + 255) / 256);
    for (unsigned i = 0; i < 900; i++) t.distance[i] = 1u << (i % 31);
    while ((size_t)1 << all < n) all++;
    cudaError_t error = cudaMemset(scratch, 0, n * sizeof *scratch);
    if (error != cudaSuccess) return error;
    int32_t *to = all % 2 ? d_out : scratch;
    first<<<blocks, 256>>>(d_in, to, n, t);
    for (unsigned k = 1; k < all; k++) {
        int32_t *from = to;
        to = to == d_out ? scratch : d_out;
        step<<<blocks, 256>>>(
            {from, to, n, (size_t)1 << k, blocks, 256, k, all, {0}});
    }
    return cudaGetLastError();
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    int32_t *scratch;
    if (n == 0) return cudaSuccess;
    cudaError_t error = cudaMalloc(&scratch, n * sizeof *scratch);
    if (error != cudaSuccess) return error;
    error = steps(d_in, d_out, scratch, n);
    cudaError_t freed = cudaFree(scratch);
    return error != cudaSuccess ? error : freed;
}
