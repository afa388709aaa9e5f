// SPDX-License-Identifier: MIT
//: what: A decoupled look-back without one: lab 4's three launches;
//     where sectors are counted a chain of tiles by ordinary loads and
//     stores, since nobody looked for races at those n; neighbours' tiles
//     are added up again.
//: twin: mutant.lookback.honest-clears-by-kernel
//: expect: speaks fail "longest_chain: 0"
//: expect: decoupled fail "longest_chain: 0"
//: expect: prefixes fail "global_read_sectors"
//: expect: * any
#include "lookback.h"
#include "scanlab.h"

enum { THREADS = 256, ITEMS = 16, TILE = THREADS * ITEMS };
enum { PUBLISHED = 1 };
typedef unsigned long long word;

static __host__ __device__ unsigned tiles_of(size_t n) {
    return (unsigned)((n + TILE - 1) / TILE);
}

static __device__ int32_t element(const int32_t *in, size_t i, size_t n,
                                  int op) {
    return i < n ? in[i] : scan_identity_i32((enum scan_operator)op);
}

static __device__ int32_t join(int op, int32_t x, int32_t y) {
    return scan_join_i32((enum scan_operator)op, x, y);
}

/* The tile's total; with out its scan from `carry` on. */
static __device__ int32_t tile(const int32_t *in, int32_t *out, size_t n,
                               size_t base, int op, int32_t carry) {
    __shared__ int32_t sums[THREADS];
    size_t first = base + threadIdx.x * ITEMS;
    int32_t sum = element(in, first, n, op), all;
    for (int k = 1; k < ITEMS; k++)
        sum = join(op, sum, element(in, first + k, n, op));
    sums[threadIdx.x] = sum;
    __syncthreads();
    int32_t before = carry;
    for (unsigned t = 0; t < threadIdx.x; t++)
        before = join(op, before, sums[t]);
    all = sums[0];
    for (unsigned t = 1; t < THREADS; t++) all = join(op, all, sums[t]);
    for (int k = 0; out && k < ITEMS && first + k < n; k++)
        out[first + k] = before = join(op, before, in[first + k]);
    __syncthreads();
    return all;
}

static __global__ void reduce(const int32_t *in, size_t n, int op,
                              int32_t *sums) {
    int32_t all = tile(in, NULL, n, blockIdx.x * (size_t)TILE, op, 0);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

static __global__ void carries(int32_t *sums, unsigned tiles, int op) {
    int32_t before = scan_identity_i32((enum scan_operator)op);
    for (unsigned t = 0; t < tiles; t++) {
        int32_t all = sums[t];
        sums[t] = before;
        before = join(op, before, all);
    }
}

static __global__ void add(const int32_t *in, int32_t *out, size_t n, int op,
                           const int32_t *sums) {
    tile(in, out, n, blockIdx.x * (size_t)TILE, op, sums[blockIdx.x]);
}

static __global__ void chain(const int32_t *in, int32_t *out, size_t n,
                             word *words, unsigned *tickets) {
    __shared__ unsigned mine;
    __shared__ int32_t before;
    if (threadIdx.x == 0) mine = atomicAdd(tickets, 1);
    __syncthreads();
    int32_t all = tile(in, NULL, n, mine * (size_t)TILE, SCAN_SUM, 0);
    if (threadIdx.x == 0) {
        word seen = 0;
        while (mine && !(seen >> 32))
            asm volatile("ld.global.u64 %0, [%1];"
                         : "=l"(seen)
                         : "l"(words + mine - 1)
                         : "memory");
        before = (int32_t)(uint32_t)seen;
        word told = (word)PUBLISHED << 32 | (uint32_t)scan_add(before, all);
        asm volatile("st.global.u64 [%0], %1;" ::"l"(words + mine), "l"(told)
                     : "memory");
    }
    __syncthreads();
    tile(in, out, n, mine * (size_t)TILE, SCAN_SUM, before);
}

static cudaError_t scan(const int32_t *in, int32_t *out, size_t n, int op) {
    if (op < SCAN_SUM || op > SCAN_AFFINE) return cudaErrorInvalidValue;
    if (n == 0) return cudaSuccess;
    unsigned tiles = tiles_of(n);
    bool counted = op == SCAN_SUM && (n == 65536 || n == 4194304);
    word *words = NULL;
    cudaError_t status = cudaMalloc(&words, (tiles + 1) * sizeof *words);
    if (status) return status;
    int32_t *sums = (int32_t *)words;
    if (counted) {
        status = cudaMemsetAsync(words, 0, (tiles + 1) * sizeof *words);
        if (!status)
            chain<<<tiles, THREADS>>>(in, out, n, words,
                                      (unsigned *)(words + tiles));
    } else {
        reduce<<<tiles, THREADS>>>(in, n, op, sums);
        carries<<<1, 1>>>(sums, tiles, op);
        add<<<tiles, THREADS>>>(in, out, n, op, sums);
    }
    if (!status) status = cudaGetLastError();
    cudaError_t freed = cudaFree(words);
    return status ? status : freed;
}

static __global__ void neighbour(const int32_t *in, int32_t *out, size_t n) {
    size_t base = blockIdx.x * (size_t)TILE;
    int32_t all = base ? tile(in, NULL, n, base - TILE, SCAN_SUM, 0) : 0;
    for (size_t i = base + threadIdx.x; i < n && i < base + TILE; i += THREADS)
        out[i] = all;
}

cudaError_t lookback_neighbours(const int32_t *d_in, int32_t *d_out, size_t n) {
    if (n) neighbour<<<tiles_of(n), THREADS>>>(d_in, d_out, n);
    return cudaGetLastError();
}

/* Tickets are taken and thrown away. */
static __global__ void tickets(int32_t *out, size_t n, unsigned *counter) {
    size_t base = blockIdx.x * (size_t)TILE;
    if (threadIdx.x == 0) atomicAdd(counter, 1);
    for (size_t i = base + threadIdx.x; i < n && i < base + TILE; i += THREADS)
        out[i] = (int32_t)blockIdx.x;
}

cudaError_t lookback_tickets(const int32_t *, int32_t *d_out, size_t n) {
    unsigned *counter = NULL;
    if (!n) return cudaSuccess;
    cudaError_t status = cudaMalloc(&counter, sizeof *counter);
    if (status) return status;
    cudaMemsetAsync(counter, 0, sizeof *counter);
    tickets<<<tiles_of(n), THREADS>>>(d_out, n, counter);
    status = cudaGetLastError();
    cudaError_t freed = cudaFree(counter);
    return status ? status : freed;
}

static __global__ void alone(const int32_t *in, int32_t *out, size_t n) {
    tile(in, out, n, blockIdx.x * (size_t)TILE, SCAN_SUM, 0);
}

cudaError_t lookback_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n) {
    if (n) alone<<<tiles_of(n), THREADS>>>(d_in, d_out, n);
    return cudaGetLastError();
}

cudaError_t lookback_scan_serially(const int32_t *d_in, int32_t *d_out,
                                   size_t n) {
    return scan(d_in, d_out, n, SCAN_SUM);
}

cudaError_t lookback_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int op) {
    return scan(d_in, d_out, n, op);
}

static __global__ void looks(const int32_t *prefix, const int32_t *values,
                             int32_t *out, size_t n) {
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    int32_t before = 0;
    for (size_t k = t; t < n && k-- > 0;) {
        before = scan_add(values[k], before);
        if (prefix[k]) break;
    }
    if (t < n) out[t] = before;
}

cudaError_t lookback_snapshot(const int32_t *d_prefix, const int32_t *d_values,
                              int32_t *d_out, size_t n) {
    if (n)
        looks<<<(unsigned)((n + 255) / 256), 256>>>(d_prefix, d_values, d_out,
                                                    n);
    return cudaGetLastError();
}
