// SPDX-License-Identifier: MIT
//: what: each block of 128 threads scans 256 elements as a tree in shared
//     memory, the sums of the blocks are scanned by the same function, a last
//     kernel adds them
//: kind: honest
//: group: seen
#include "scanlab.h"
#include "work_efficient.h"

enum { THREADS = 128, TILE = 2 * THREADS };

__global__ void scan_tile(const int32_t *in, int32_t *out, int32_t *sums,
                          size_t n) {
    __shared__ int32_t tree[TILE];
    size_t first = (size_t)blockIdx.x * TILE;
    unsigned t = threadIdx.x, stride = 1;
    for (unsigned i = t; i < TILE; i += THREADS)
        tree[i] = first + i < n ? in[first + i] : 0;
    for (unsigned nodes = THREADS; nodes > 0; nodes /= 2, stride *= 2) {
        __syncthreads();
        if (t >= nodes) continue;
        unsigned right = (t + 1) * 2 * stride - 1;
        tree[right] = scan_add(tree[right - stride], tree[right]);
    }
    if (t == 0) {
        sums[blockIdx.x] = tree[TILE - 1];
        tree[TILE - 1] = 0;
    }
    for (unsigned nodes = 1; nodes <= THREADS; nodes *= 2) {
        stride /= 2;
        __syncthreads();
        if (t >= nodes) continue;
        unsigned right = (t + 1) * 2 * stride - 1;
        int32_t before = tree[right], left = tree[right - stride];
        tree[right - stride] = before;
        tree[right] = scan_add(before, left);
    }
    __syncthreads();
    for (unsigned i = t; i < TILE; i += THREADS)
        if (first + i < n) out[first + i] = tree[i];
}

__global__ void add_before(const int32_t *before, int32_t *out, size_t n) {
    size_t i = (size_t)(blockIdx.x + 1) * TILE + threadIdx.x;
    if (i < n) out[i] = scan_add(before[blockIdx.x + 1], out[i]);
}

cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    if (n == 0) return cudaSuccess;
    size_t tiles = (n + TILE - 1) / TILE;
    int32_t *sums = NULL, *before;
    cudaError_t status = cudaMalloc(&sums, 2 * tiles * sizeof *sums);
    if (status != cudaSuccess) return status;
    before = sums + tiles;
    scan_tile<<<(unsigned)tiles, THREADS>>>(d_in, d_out, sums, n);
    status = cudaGetLastError();
    if (status == cudaSuccess && tiles > 1)
        status = work_efficient_exclusive_scan(sums, before, tiles);
    if (status == cudaSuccess && tiles > 1) {
        add_before<<<(unsigned)(tiles - 1), TILE>>>(before, d_out, n);
        status = cudaGetLastError();
    }
    cudaError_t freed = cudaFree(sums);
    return status != cudaSuccess ? status : freed;
}

/* ---- the functions that need the tree as it is ---- */

__global__ void up_level(int32_t *tree, size_t nodes, size_t stride) {
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= nodes) return;
    size_t right = (k + 1) * 2 * stride - 1;
    tree[right] = scan_add(tree[right - stride], tree[right]);
}

cudaError_t work_efficient_up_sweep(const int32_t *d_in, int32_t *d_out,
                                    size_t n) {
    cudaError_t status = cudaMemcpyAsync(d_out, d_in, n * sizeof *d_out,
                                         cudaMemcpyDeviceToDevice);
    for (size_t s = 1; s < n && status == cudaSuccess; s *= 2) {
        size_t nodes = n / (2 * s);
        up_level<<<(unsigned)((nodes + 255) / 256), 256>>>(d_out, nodes, s);
        status = cudaGetLastError();
    }
    if (status != cudaSuccess) return status;
    return cudaMemsetAsync(d_out + n - 1, 0, sizeof *d_out);
}

__global__ void add_input(const int32_t *in, int32_t *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scan_add(in[i], out[i]);
}

cudaError_t work_efficient_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n) {
    cudaError_t status = work_efficient_exclusive_scan(d_in, d_out, n);
    if (status != cudaSuccess || n == 0) return status;
    add_input<<<(unsigned)((n + 255) / 256), 256>>>(d_in, d_out, n);
    return cudaGetLastError();
}
