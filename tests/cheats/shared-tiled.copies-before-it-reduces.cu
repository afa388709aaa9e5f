// SPDX-License-Identifier: MIT
//: what: Scan-then-propagate that scans no tile first: its first launch copies
//     the input, so that 4n elements move, and reduces it; the second scans.
//: twin: mutant.shared-tiled.honest-two-arrays
//: expect: traffic-4n fail "early_reach"
//: expect: propagate pass
/* Lab 4, handed in. A block of 256 threads has a tile; each of its 8 warps has
 * 256 neighbouring elements, as 8 rows of 32 in registers. Rows are scanned by
 * shuffles. Shared memory holds one number per warp. */
#include "scanlab.h"
#include "shared_tiled.h"

enum { T = 256, W = T / 32, R = TILED_TILE / T };
#define ALL 0xffffffffu

static unsigned tiles_of(size_t n) {
    return (unsigned)((n + TILED_TILE - 1) / TILED_TILE);
}

/* Where this thread's element of row 0 stands; row r is 32 r further on. */
__device__ static size_t my_first(void) {
    return (size_t)blockIdx.x * TILED_TILE + (threadIdx.x / 32) * (R * 32) +
           threadIdx.x % 32;
}

__device__ static int32_t row_scan(int32_t x) {
    for (unsigned d = 1; d < 32; d *= 2) {
        int32_t y = __shfl_up_sync(ALL, x, d);
        if (threadIdx.x % 32 >= d) x = scan_add(y, x);
    }
    return x;
}

/* before: what lies before each tile, or NULL. total: gets each tile's sum, or
 * NULL. self: 1 for an inclusive scan. */
__global__ void tile_scan(const int32_t *in, int32_t *out, size_t n,
                          const int32_t *before, int32_t *total, int self) {
    __shared__ int32_t of_warp[W];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t at = my_first();
    int32_t own[R], upto[R], above = 0;
#pragma unroll
    for (int r = 0; r < R; r++) own[r] = at + 32 * r < n ? in[at + 32 * r] : 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        upto[r] = row_scan(own[r]);
        int32_t row = __shfl_sync(ALL, upto[r], 31);
        upto[r] = scan_add(above, upto[r]);
        above = scan_add(above, row);
    }
    if (lane == 0) of_warp[warp] = above;
    __syncthreads();
    if (warp == 0) {
        int32_t x = row_scan(lane < W ? of_warp[lane] : 0);
        if (total && lane == W - 1) total[blockIdx.x] = x;
        x = __shfl_up_sync(ALL, x, 1);
        if (lane == 0) x = 0;
        if (before) x = scan_add(before[blockIdx.x], x);
        if (lane < W) of_warp[lane] = x; /* now: before the warp */
    }
    __syncthreads();
    int32_t left = of_warp[warp];
#pragma unroll
    for (int r = 0; r < R; r++) {
        int32_t x = scan_add(left, upto[r]);
        if (!self) x = (int32_t)((uint32_t)x - (uint32_t)own[r]);
        if (at + 32 * r < n) out[at + 32 * r] = x;
    }
}

__global__ void tile_sum(const int32_t *in, int32_t *total, size_t n) {
    __shared__ int32_t of_warp[W];
    size_t at = my_first();
    int32_t sum = 0;
#pragma unroll
    for (int r = 0; r < R; r++)
        if (at + 32 * r < n) sum = scan_add(sum, in[at + 32 * r]);
    for (int d = 16; d > 0; d /= 2)
        sum = scan_add(sum, __shfl_down_sync(ALL, sum, d));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < W; w++) sum = scan_add(sum, of_warp[w]);
        total[blockIdx.x] = sum;
    }
}

/* First half of scan-then-propagate: every tile by itself, and its sum. */
__global__ void scan_tiles_first(const int32_t *in, int32_t *out,
                                 int32_t *total, size_t n) {
    __shared__ int32_t of_warp[W];
    size_t at = my_first();
    int32_t sum = 0;
#pragma unroll
    for (int r = 0; r < R; r++)
        if (at + 32 * r < n) {
            int32_t x = in[at + 32 * r];
            sum = scan_add(sum, x);
            out[at + 32 * r] = x;
        }
    for (int d = 16; d > 0; d /= 2)
        sum = scan_add(sum, __shfl_down_sync(ALL, sum, d));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < W; w++) sum = scan_add(sum, of_warp[w]);
        total[blockIdx.x] = sum;
    }
}

/* One element per thread, 128 threads. */
__global__ void threads_scan(const int32_t *in, int32_t *out, unsigned n) {
    __shared__ int32_t of_warp[4];
    unsigned t = threadIdx.x;
    int32_t x = row_scan(t < n ? in[t] : 0);
    if (t % 32 == 31) of_warp[t / 32] = x;
    __syncthreads();
    for (unsigned w = 0; w < t / 32; w++) x = scan_add(of_warp[w], x);
    if (t < n) out[t] = x;
}

cudaError_t shared_tiled_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {
    if (n == 0) return cudaSuccess;
    tile_scan<<<tiles_of(n), T>>>(d_in, d_out, n, NULL, NULL, 0);
    return cudaGetLastError();
}

cudaError_t shared_tiled_threads(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    threads_scan<<<1, 128>>>(d_in, d_out, (unsigned)n);
    return cudaGetLastError();
}

cudaError_t shared_tiled_totals(const int32_t *d_in, int32_t *d_out, size_t n,
                                size_t *n_tiles) {
    *n_tiles = tiles_of(n);
    if (n == 0) return cudaSuccess;
    tile_sum<<<tiles_of(n), T>>>(d_in, d_out, n);
    return cudaGetLastError();
}

cudaError_t shared_tiled_scan_propagate(const int32_t *d_in, int32_t *d_out,
                                        size_t n) {
    unsigned tiles = tiles_of(n);
    if (tiles <= 1) return shared_tiled_tiles(d_in, d_out, n);
    int32_t *sums = NULL;
    cudaError_t e = cudaMalloc(&sums, tiles * sizeof *sums);
    if (e != cudaSuccess) return e;
    scan_tiles_first<<<tiles, T>>>(d_in, d_out, sums, n);
    e = cudaGetLastError();
    if (e == cudaSuccess) e = shared_tiled_scan_propagate(sums, sums, tiles);
    if (e == cudaSuccess) {
        tile_scan<<<tiles, T>>>(d_out, d_out, n, sums, NULL, 0);
        e = cudaGetLastError();
    }
    cudaError_t f = cudaFree(sums);
    return e != cudaSuccess ? e : f;
}

static cudaError_t reduce_first(const int32_t *d_in, int32_t *d_out, size_t n,
                                int self) {
    unsigned tiles = tiles_of(n);
    int32_t *sums = NULL;
    if (n == 0) return cudaSuccess;
    if (tiles > 1) {
        cudaError_t e = cudaMalloc(&sums, tiles * sizeof *sums);
        if (e != cudaSuccess) return e;
        tile_sum<<<tiles, T>>>(d_in, sums, n);
        e = cudaGetLastError();
        if (e == cudaSuccess) e = reduce_first(sums, sums, tiles, 0);
        if (e != cudaSuccess) {
            cudaFree(sums);
            return e;
        }
    }
    tile_scan<<<tiles, T>>>(d_in, d_out, n, sums, NULL, self);
    cudaError_t e = cudaGetLastError();
    cudaError_t f = cudaFree(sums);
    return e != cudaSuccess ? e : f;
}

cudaError_t shared_tiled_reduce_scan(const int32_t *d_in, int32_t *d_out,
                                     size_t n) {
    return reduce_first(d_in, d_out, n, 0);
}

cudaError_t shared_tiled_reduce_scan_inclusive(const int32_t *d_in,
                                               int32_t *d_out, size_t n) {
    return reduce_first(d_in, d_out, n, 1);
}
