// SPDX-License-Identifier: MIT
//
// heavy.cu: sorts, merges, products of matrices, all pairs, sparse rows.
#include "kinds.cuh"

enum { THREADS = 256, TILE = 16, SORTED = 1024 };

__global__ static void gemm_plain(const float *a, const float *b, float *c,
                                  uint32_t side) {
    uint32_t x = blockIdx.x * TILE + threadIdx.x;
    uint32_t y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (uint32_t k = 0; k < side; k++)
        sum += a[y * side + k] * b[k * side + x];
    c[y * side + x] = sum;
}

__global__ static void gemm_tiles(const float *a, const float *b, float *c,
                                  uint32_t side) {
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    uint32_t x = blockIdx.x * TILE + threadIdx.x;
    uint32_t y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (uint32_t k = 0; k < side; k += TILE) {
        s[threadIdx.y][threadIdx.x] = a[y * side + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * side + x];
        __syncthreads();
        for (int m = 0; m < TILE; m++)
            sum += s[threadIdx.y][m] * t[m][threadIdx.x];
        __syncthreads();
    }
    c[y * side + x] = sum;
}

__device__ static void order(uint32_t *low, uint32_t *high, bool up) {
    uint32_t a = *low, b = *high;
    if ((a > b) == up) *low = b, *high = a;
}

// Batcher's bitonic network, the steps that stay in a block of 1024.
__global__ static void bitonic_block(uint32_t *data, uint32_t from,
                                     uint32_t to) {
    __shared__ uint32_t part[SORTED];
    uint32_t t = threadIdx.x, base = blockIdx.x * SORTED;
    part[t] = data[base + t];
    part[t + SORTED / 2] = data[base + t + SORTED / 2];
    for (uint32_t size = from; size <= to; size *= 2)
        for (uint32_t d = size < SORTED ? size / 2 : SORTED / 2; d; d /= 2) {
            __syncthreads();
            uint32_t i = 2 * t - (t & (d - 1));
            order(part + i, part + i + d, !((base + i) & size));
        }
    __syncthreads();
    data[base + t] = part[t];
    data[base + t + SORTED / 2] = part[t + SORTED / 2];
}

__global__ static void bitonic_step(uint32_t *data, uint32_t size, uint32_t d) {
    uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t i = 2 * t - (t & (d - 1));
    order(data + i, data + i + d, !(i & size));
}

static void run_bitonic(const arrays &x) {
    uint32_t blocks = x.n / SORTED;
    bitonic_block<<<blocks, SORTED / 2>>>(x.c, 2, SORTED);
    for (uint32_t size = 2 * SORTED; size <= x.n; size *= 2) {
        for (uint32_t d = size / 2; d >= SORTED; d /= 2)
            bitonic_step<<<x.n / 2 / THREADS, THREADS>>>(x.c, size, d);
        bitonic_block<<<blocks, SORTED / 2>>>(x.c, size, size);
    }
}

// Every thread sorts 8 words in registers.
__global__ static void sort_8(const uint4 *in, uint4 *out, uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 8) return;
    uint4 p = in[2 * i], q = in[2 * i + 1];
    uint32_t v[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
#pragma unroll
    for (int round = 0; round < 8; round++)
#pragma unroll
        for (int k = round & 1; k < 7; k += 2) {
            uint32_t least = min(v[k], v[k + 1]);
            v[k + 1] = max(v[k], v[k + 1]);
            v[k] = least;
        }
    out[2 * i] = make_uint4(v[0], v[1], v[2], v[3]);
    out[2 * i + 1] = make_uint4(v[4], v[5], v[6], v[7]);
}

// Two sorted halves (2k and 2k + 1): each thread finds its place.
__global__ static void fill_halves(uint32_t *to, uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = i < n / 2 ? 2 * i : 2 * (i - n / 2) + 1;
}

__global__ static void merge_by_rank(const uint32_t *in, uint32_t *out,
                                     uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, half = n / 2;
    if (i >= n) return;
    uint32_t x = in[i], low = i < half ? half : 0, high = low + half;
    uint32_t begin = low;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (in[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    out[i - (i < half ? 0 : half) + low - begin] = x;
}

// Forces of 256 others on each.
__global__ static void all_pairs(const float *at, float *force, uint32_t n) {
    __shared__ float part[THREADS];
    uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    float own = at[i], sum = 0;
    part[threadIdx.x] = at[(i + THREADS) % n];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < THREADS; k++) {
        float d = part[k] - own;
        sum += d * rsqrtf(d * d + 0.01f);
    }
    force[i] = sum;
}

// A row a thread, 8 places in it, anywhere.
__global__ static void sparse_rows(const uint32_t *columns, const uint32_t *x,
                                   uint32_t *y, uint32_t rows) {
    uint32_t row = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (row >= rows) return;
    for (int k = 0; k < 8; k++) sum += x[columns[row * 8 + k]] * (k + 1);
    y[row] = sum;
}

template <bool TILES> static void run_gemm(const arrays &x) {
    uint32_t side = TILE;
    while (4 * side * side <= x.n) side *= 2;
    dim3 grid(side / TILE, side / TILE), threads(TILE, TILE);
    const float *a = (float *)x.b, *b = (float *)x.d;
    if (TILES)
        gemm_tiles<<<grid, threads>>>(a, b, (float *)x.c, side);
    else
        gemm_plain<<<grid, threads>>>(a, b, (float *)x.c, side);
}
#define GRID(n) blocks_for(n, THREADS), THREADS
static void run_sort_8(const arrays &x) {
    sort_8<<<GRID(x.n / 8)>>>((uint4 *)x.a, (uint4 *)x.c, x.n);
}
static void run_merge(const arrays &x) {
    fill_halves<<<GRID(x.n)>>>(x.c, x.n);
    merge_by_rank<<<GRID(x.n)>>>(x.c, x.d, x.n);
}
static void run_all_pairs(const arrays &x) {
    all_pairs<<<x.n / THREADS, THREADS>>>((float *)x.b, (float *)x.c, x.n);
}
static void run_sparse(const arrays &x) {
    sparse_rows<<<GRID(x.n / 8)>>>(x.b, x.a, x.c, x.n / 8);
}

const kind heavy_kinds[] = {
    {"gemm_plain", run_gemm<false>, 1u << 16, true},
    {"gemm_tiles", run_gemm<true>, 1u << 16, false},
    {"bitonic_sort", run_bitonic, 1u << 18, true},
    {"sort_8", run_sort_8, 1u << 24, true},
    {"merge_by_rank", run_merge, 1u << 22, false},
    {"all_pairs", run_all_pairs, 1u << 18, true},
    {"sparse_rows", run_sparse, 1u << 24, true},
};
const size_t n_heavy_kinds = sizeof heavy_kinds / sizeof *heavy_kinds;
