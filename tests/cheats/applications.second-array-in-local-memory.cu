// SPDX-License-Identifier: MIT
//: what: Selection "in place" by two blocks whose threads keep all elements in
//     local memory, of which no count of allocated bytes has a trace.
//: twin: mutant.applications.honest-items-in-local-memory
//: expect: in-place-memory fail "local_bytes"
//: expect: * any
#include "applications.h"

enum { BLOCKS = 2, THREADS = 1024, MOST = 2048 };

/* The count of the threads before this one; *all: of all threads. */
static __device__ unsigned before(unsigned count, unsigned *all) {
    __shared__ unsigned counts[THREADS];
    counts[threadIdx.x] = count;
    for (unsigned d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        unsigned other = threadIdx.x >= d ? counts[threadIdx.x - d] : 0;
        __syncthreads();
        counts[threadIdx.x] += other;
    }
    __syncthreads();
    *all = counts[THREADS - 1];
    return counts[threadIdx.x] - count;
}

/* told[b]: 1 + what block b keeps, once it has read its half. */
static __global__ void choose(const int32_t *in, int32_t *out, size_t n,
                              int32_t pivot, unsigned *told) {
    __shared__ unsigned kept[BLOCKS];
    int32_t mine[MOST];
    unsigned all, count = 0;
    size_t share = (n + BLOCKS * THREADS - 1) / (BLOCKS * THREADS);
    size_t first = (blockIdx.x * THREADS + threadIdx.x) * share;
    for (size_t i = first; i < first + share && i < n; i++)
        if (in[i] < pivot) mine[count++] = in[i];
    unsigned place = before(count, &all);
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(told + blockIdx.x, 1 + all);
        for (unsigned b = 0; b < BLOCKS; b++)
            while (!(kept[b] = atomicAdd(told + b, 0))) continue;
        __threadfence();
    }
    __syncthreads();
    place += blockIdx.x ? kept[0] - 1 : 0;
    for (unsigned i = 0; i < count; i++) out[place + i] = mine[i];
}

cudaError_t apps_select_less(const int32_t *d_in, int32_t *d_out, size_t n,
                             int32_t pivot, size_t *n_out) {
    unsigned *told = NULL, kept[BLOCKS];
    *n_out = 0;
    if (!n) return cudaSuccess;
    cudaError_t status = cudaMalloc(&told, sizeof kept);
    if (status) return status;
    cudaMemsetAsync(told, 0, sizeof kept);
    choose<<<BLOCKS, THREADS>>>(d_in, d_out, n, pivot, told);
    status = cudaMemcpy(kept, told, sizeof kept, cudaMemcpyDeviceToHost);
    for (unsigned b = 0; !status && b < BLOCKS; b++) *n_out += kept[b] - 1;
    cudaError_t freed = cudaFree(told);
    return status ? status : freed;
}
