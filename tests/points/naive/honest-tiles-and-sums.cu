// SPDX-License-Identifier: MIT
//: what: blocks of 512 elements are scanned in shared memory by Hillis and
//     Steele, the blocks' sums by the same function again, a last kernel adds
//     them: another algorithm than asked
//: kind: honest
//: group: unseen
#include "naive.h"
#include "scanlab.h"

enum { TILE = 512 };

__global__ void scan_tiles(const int32_t *in, int32_t *out, int32_t *sums,
                           size_t n) {
    __shared__ int32_t buffer[2][TILE];
    unsigned t = threadIdx.x, now = 0;
    size_t i = (size_t)blockIdx.x * TILE + t;
    buffer[now][t] = i < n ? in[i] : 0;
    for (unsigned d = 1; d < TILE; d *= 2) {
        __syncthreads();
        int32_t item = buffer[now][t];
        if (t >= d) item = scan_add(buffer[now][t - d], item);
        now = 1 - now;
        buffer[now][t] = item;
    }
    if (i < n) out[i] = buffer[now][t];
    if (t == TILE - 1) sums[blockIdx.x] = buffer[now][t];
}

__global__ void add_sums(int32_t *out, const int32_t *sums, size_t n) {
    size_t i = (size_t)(blockIdx.x + 1) * TILE + threadIdx.x;
    if (i < n) out[i] = scan_add(sums[blockIdx.x], out[i]);
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    size_t tiles = (n + TILE - 1) / TILE;
    int32_t *sums = NULL; /* of the tiles, then scanned */
    cudaError_t status = cudaMalloc(&sums, 2 * tiles * sizeof *sums);
    if (status != cudaSuccess) return status;
    scan_tiles<<<(unsigned)tiles, TILE>>>(d_in, d_out, sums, n);
    status = cudaGetLastError();
    if (status == cudaSuccess && tiles > 1)
        status = naive_inclusive_scan(sums, sums + tiles, tiles);
    if (status == cudaSuccess && tiles > 1) {
        add_sums<<<(unsigned)(tiles - 1), TILE>>>(d_out, sums + tiles, n);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(sums);
    return status != cudaSuccess ? status : freed;
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    if (n == 0) return cudaSuccess;
    cudaError_t status = cudaMemsetAsync(d_out, 0, sizeof *d_out);
    if (status != cudaSuccess || n == 1) return status;
    return naive_inclusive_scan(d_in, d_out + 1, n - 1);
}
