// SPDX-License-Identifier: MIT
//: what: Selection "in place" from a copy of the array that a kernel has made with
//     its own malloc, so that no allocation of the program's shows it.
//: twin: cheat.naive.honest-heap
//: expect: in-place-memory fail "peak_bytes"
//: expect: * any
#include "applications.h"

static __device__ int32_t *copy;
static __device__ size_t kept;

static __global__ void take(size_t n) {
    copy = (int32_t *)malloc(n * sizeof *copy);
}

static __global__ void fill(const int32_t *d_in, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (copy && i < n) copy[i] = d_in[i];
}

static __global__ void choose(int32_t *d_out, size_t n, int32_t pivot) {
    kept = 0;
    for (size_t i = 0; copy && i < n; i++)
        if (copy[i] < pivot) d_out[kept++] = copy[i];
    free(copy);
}

cudaError_t apps_select_less(const int32_t *d_in, int32_t *d_out, size_t n,
                             int32_t pivot, size_t *n_out) {
    *n_out = 0;
    if (!n) return cudaSuccess;
    take<<<1, 1>>>(n);
    fill<<<(unsigned)((n + 255) / 256), 256>>>(d_in, n);
    choose<<<1, 1>>>(d_out, n, pivot);
    return cudaMemcpyFromSymbol(n_out, kept, sizeof *n_out);
}
