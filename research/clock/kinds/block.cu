// SPDX-License-Identifier: MIT
//
// block.cu: reductions, histograms, transposes and stencils in shared memory.
#include "kinds.cuh"

enum { THREADS = 256, BINS = 256, TILE = 32, HALO = 3 };

__global__ static void reduce_tree(const uint32_t *in, uint32_t *sum,
                                   uint32_t n) {
    __shared__ uint32_t part[THREADS];
    uint32_t i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    part[t] = i < n ? in[i] : 0;
    for (uint32_t half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (!t) atomicAdd(sum, part[0]);
}

// Each pair of threads is further apart in each step: conflicts of banks.
__global__ static void reduce_strides(const uint32_t *in, uint32_t *out,
                                      uint32_t n) {
    __shared__ uint32_t part[THREADS];
    uint32_t i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (uint32_t step = 1; step < THREADS; step *= 2) {
        uint32_t at = 2 * step * t;
        if (at + step < THREADS) part[at] += part[at + step];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = part[0];
}

__device__ static uint32_t warp_sum(uint32_t x) {
    for (int d = 16; d; d /= 2) x += __shfl_down_sync(~0u, x, d);
    return x;
}

__global__ static void reduce_shuffles(const uint4 *in, uint32_t *sum,
                                       uint32_t n) {
    __shared__ uint32_t part[THREADS / 32];
    uint32_t x = 0, i = blockIdx.x * THREADS + threadIdx.x;
    for (; i < n / 4; i += gridDim.x * THREADS) {
        uint4 v = in[i];
        x += v.x + v.y + v.z + v.w;
    }
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    x = warp_sum(threadIdx.x < THREADS / 32 ? part[threadIdx.x] : 0);
    if (!threadIdx.x) atomicAdd(sum, x);
}

__global__ static void count_odd(const uint32_t *in, uint32_t *count,
                                 uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned odd = __ballot_sync(~0u, i < n && in[i] & 1);
    if (threadIdx.x % 32 == 0) atomicAdd(count, __popc(odd));
}

__global__ static void histogram_global(const uint32_t *in, uint32_t *bins,
                                        uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + (in[i] >> 24), 1);
}

__global__ static void histogram_shared(const uint32_t *in, uint32_t *bins,
                                        uint32_t n) {
    __shared__ uint32_t own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n;
         i += gridDim.x * THREADS)
        atomicAdd(own + (in[i] >> 24), 1);
    __syncthreads();
    atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}

template <int PAD>
__global__ static void transpose_tiles(const uint32_t *from, uint32_t *to,
                                       uint32_t width, uint32_t height) {
    __shared__ uint32_t tile[TILE][TILE + PAD];
    uint32_t x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE;
    for (uint32_t r = threadIdx.y; r < TILE; r += blockDim.y)
        tile[r][threadIdx.x] = from[(y + r) * width + x];
    __syncthreads();
    for (uint32_t r = threadIdx.y; r < TILE; r += blockDim.y)
        to[(blockIdx.x * TILE + r) * height + y + threadIdx.x] =
            tile[threadIdx.x][r];
}

__global__ static void stencil_7(const float *from, float *to, uint32_t n) {
    __shared__ float part[THREADS + 2 * HALO];
    uint32_t i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    part[t + HALO] = i < n ? from[i] : 0;
    if (t < HALO) part[t] = i >= HALO ? from[i - HALO] : 0;
    if (t >= THREADS - HALO)
        part[t + 2 * HALO] = i + HALO < n ? from[i + HALO] : 0;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * HALO; k++) sum += part[t + k];
    if (i < n) to[i] = sum;
}

// Rows of 256; every warp has one.
__global__ static void matrix_vector(const float *matrix, const float *vector,
                                     float *out, uint32_t rows) {
    uint32_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0;
    if (row >= rows) return;
    for (uint32_t k = threadIdx.x % 32; k < 256; k += 32)
        sum += matrix[row * 256 + k] * vector[k];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) out[row] = sum;
}

// A block has a row of 256.
__global__ static void softmax(const uint32_t *in, float *out) {
    __shared__ float part[THREADS / 32];
    uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    float e = __expf((in[i] & 255) * 0.01f), sum = e;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < THREADS / 32; k++) sum += part[k];
    out[i] = e / sum;
}

#define GRID blocks_for(x.n, THREADS), THREADS
#define RUN(name, ...)                                                         \
    static void run_##name(const arrays &x) {                                  \
        __VA_ARGS__;                                                           \
    }
template <int PAD> static void run_transpose(const arrays &x) {
    uint32_t width = TILE;
    while (width * width < x.n) width *= 2;
    dim3 grid(width / TILE, x.n / width / TILE), threads(TILE, 8);
    transpose_tiles<PAD><<<grid, threads>>>(x.a, x.c, width, x.n / width);
}
RUN(reduce_tree, reduce_tree<<<GRID>>>(x.a, x.c, x.n))
RUN(reduce_strides, reduce_strides<<<GRID>>>(x.a, x.c, x.n))
RUN(reduce_shuffles,
    reduce_shuffles<<<132 * 4, THREADS>>>((const uint4 *)x.a, x.c, x.n))
RUN(count_odd, count_odd<<<GRID>>>(x.a, x.c, x.n))
RUN(histogram_global, histogram_global<<<GRID>>>(x.a, x.c, x.n))
RUN(histogram_shared, histogram_shared<<<132 * 4, THREADS>>>(x.a, x.c, x.n))
RUN(stencil_7, stencil_7<<<GRID>>>((float *)x.b, (float *)x.c, x.n))
RUN(matrix_vector, matrix_vector<<<blocks_for(x.n / 8, THREADS), THREADS>>>(
                       (float *)x.b, (float *)x.b, (float *)x.c, x.n / 256))
RUN(softmax, softmax<<<x.n / THREADS, THREADS>>>(x.a, (float *)x.c))

const kind block_kinds[] = {
    {"reduce_tree", run_reduce_tree, 1u << 24, false},
    {"reduce_strides", run_reduce_strides, 1u << 24, true},
    {"reduce_shuffles", run_reduce_shuffles, 1u << 24, true},
    {"count_odd", run_count_odd, 1u << 24, true},
    {"histogram_global", run_histogram_global, 1u << 24, false},
    {"histogram_shared", run_histogram_shared, 1u << 24, true},
    {"transpose_conflicts", run_transpose<0>, 1u << 24, true},
    {"transpose_padded", run_transpose<1>, 1u << 24, false},
    {"stencil_7", run_stencil_7, 1u << 24, true},
    {"matrix_vector", run_matrix_vector, 1u << 24, true},
    {"softmax", run_softmax, 1u << 24, true},
};
const size_t n_block_kinds = sizeof block_kinds / sizeof *block_kinds;
