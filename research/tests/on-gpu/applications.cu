// SPDX-License-Identifier: MIT
//
// applications.cu: what shapes.cu calls of lab 8, by one thread, right, or with
// a key out of order and a count that is one too large.
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

__device__ size_t found;

__global__ void keep(const int32_t *in, int32_t *out, size_t n, int32_t pivot,
                     bool others) {
    size_t kept = 0, end = n;
    for (size_t i = 0; i < n; i++)
        if (in[i] < pivot)
            out[kept++] = in[i];
        else if (others)
            out[--end] = in[i];
    found = kept;
}

__global__ void reduce(const int32_t *keys, const int32_t *values,
                       int32_t *out, int32_t *sums, size_t n) {
    size_t runs = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) out[runs] = keys[i], sums[runs++] = 0;
        sums[runs - 1] += values ? values[i] : 1;
    }
    found = runs;
}

__global__ void sort(const uint32_t *keys, const uint32_t *values,
                     uint32_t *out, uint32_t *values_out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t place = 0;
        for (size_t k = 0; k < n; k++)
            place += keys[k] < keys[i] || (keys[k] == keys[i] && k < i);
        out[place] = keys[i];
        if (values) values_out[place] = values[i];
    }
#ifdef WRONG
    out[n / 2] = out[0];
#endif
}

static cudaError_t tell(size_t *count) {
    cudaError_t status = cudaMemcpyFromSymbol(count, found, sizeof *count);
#ifdef WRONG
    ++*count;
#endif
    return status;
}

typedef const int32_t *from;
extern "C" cudaError_t apps_select_less(from in, int32_t *out, size_t n,
                                        int32_t pivot, size_t *count) {
    keep<<<1, 1>>>(in, out, n, pivot, false);
    return tell(count);
}

extern "C" cudaError_t apps_partition_less(from in, int32_t *out, size_t n,
                                           int32_t pivot, size_t *count) {
    keep<<<1, 1>>>(in, out, n, pivot, true);
    return tell(count);
}

extern "C" cudaError_t apps_run_length_encode(from in, int32_t *out,
                                              int32_t *counts, size_t n,
                                              size_t *count) {
    reduce<<<1, 1>>>(in, NULL, out, counts, n);
    return tell(count);
}

extern "C" cudaError_t apps_reduce_by_key(from keys, from values, int32_t *out,
                                          int32_t *sums, size_t n,
                                          size_t *count) {
    reduce<<<1, 1>>>(keys, values, out, sums, n);
    return tell(count);
}

extern "C" cudaError_t apps_sort_u32(const uint32_t *in, uint32_t *out,
                                     size_t n) {
    sort<<<1, 1>>>(in, NULL, out, NULL, n);
    return cudaGetLastError();
}

extern "C" cudaError_t apps_sort_pairs_u32(const uint32_t *keys,
                                           const uint32_t *values,
                                           uint32_t *out, uint32_t *values_out,
                                           size_t n) {
    sort<<<1, 1>>>(keys, values, out, values_out, n);
    return cudaGetLastError();
}
