/* SPDX-License-Identifier: MIT
 *
 * classics.cu: the programs that every course and every vendor shows: matrices,
 * sorting, histograms, reductions, stencils, sparse matrices. Each beside the
 * host.
 */
//: seeds: 2
//: expect: prints right
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse | --check all --clock=h200
#include "cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>

namespace cg = cooperative_groups;
using std::vector;

/* ---- y = a x + y, in strides of the grid ---- */

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

CASE(saxpy) {
    enum { N = 5000 };
    vector<float> x(N), y(N);
    for (int i = 0; i < N; i++) x[i] = (float)(i % 17), y[i] = (float)i;
    buffer<float> d_x(x), d_y(y);
    saxpy<<<4, 256>>>(N, 2.0f, d_x, d_y);
    vector<float> got = d_y.host();
    for (int i = 0; i < N; i++)
        if (got[i] != 2.0f * x[i] + y[i]) return false;
    return true;
}

/* ---- matrices ---- */

enum { TILE = 16, SIDE = 48 };

__global__ void matrix_multiply(const float *a, const float *b, float *c) {
    __shared__ float sa[TILE][TILE], sb[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int t = 0; t < SIDE; t += TILE) {
        sa[y][x] = a[row * SIDE + t + x];
        sb[y][x] = b[(t + y) * SIDE + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += sa[y][k] * sb[k][x];
        __syncthreads();
    }
    c[row * SIDE + column] = sum;
}

CASE(matrix) {
    vector<float> a(SIDE * SIDE), b(SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    buffer<float> d_a(a), d_b(b), d_c(SIDE * SIDE);
    dim3 grid(SIDE / TILE, SIDE / TILE), block(TILE, TILE);
    matrix_multiply<<<grid, block>>>(d_a, d_b, d_c);
    vector<float> got = d_c.host();
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float sum = 0; /* small whole numbers: exact in any order */
            for (int k = 0; k < SIDE; k++) sum += a[y * SIDE + k] * b[k * SIDE + x];
            if (got[y * SIDE + x] != sum) return false;
        }
    return true;
}

__global__ void transpose(const float *in, float *out, int w, int h) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w)
            out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

CASE(transpose) {
    enum { W = 70, H = 45 };
    vector<float> in(W * H);
    for (int i = 0; i < W * H; i++) in[i] = (float)i;
    buffer<float> d_in(in), d_out(W * H);
    transpose<<<dim3(3, 2), dim3(32, 8)>>>(d_in, d_out, W, H);
    vector<float> got = d_out.host();
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            if (got[x * H + y] != in[y * W + x]) return false;
    return true;
}

/* ---- histogram: counters of the block, then of the grid ---- */

__global__ void histogram(const int *in, int n, unsigned *bins) {
    __shared__ unsigned mine[64];
    for (int b = threadIdx.x; b < 64; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 64; b += blockDim.x)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}

CASE(histogram) {
    vector<int> in = numbers(10000, 64);
    vector<unsigned> want(64);
    for (int x : in) want[x]++;
    buffer<int> d_in(in);
    buffer<unsigned> bins(64);
    histogram<<<6, 128>>>(d_in, (int)in.size(), bins);
    return bins.host() == want;
}

/* ---- reductions ---- */

__global__ void reduce_groups(const int *in, int n, int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ int part[32];
    int sum = 0;
    for (int i = cg::this_grid().thread_rank(); i < n;
         i += cg::this_grid().size())
        sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<int>());
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        sum = warp.thread_rank() < warp.meta_group_size()
                  ? part[warp.thread_rank()]
                  : 0;
        sum = cg::reduce(warp, sum, cg::plus<int>());
        if (warp.thread_rank() == 0) atomicAdd(out, sum);
    }
}

/* The last block to be done adds up what the others left. */
__device__ unsigned blocks_done;

__global__ void reduce_last_block(const int *in, int n, volatile int *sums,
                                  int *out) {
    __shared__ int part[128];
    __shared__ bool is_last;
    int sum = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 64; d; d /= 2) {
        if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        int all = 0;
        for (unsigned b = 0; b < gridDim.x; b++) all += sums[b];
        *out = all;
        blocks_done = 0;
    }
}

CASE(reduce) {
    vector<int> in = numbers(9000, 1000);
    int want = 0;
    for (int x : in) want += x;
    buffer<int> d_in(in), sums(12), out(1);
    reduce_groups<<<12, 128>>>(d_in, (int)in.size(), out);
    if (out.host()[0] != want) return false;
    for (int again = 0; again < 2; again++) {
        reduce_last_block<<<12, 128>>>(d_in, (int)in.size(), sums, out);
        if (out.host()[0] != want) return false;
    }
    return true;
}

/* ---- sorting ---- */

__global__ void merge_pass(const int *in, int *out, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int begin = i * 2 * width;
    if (begin >= n) return;
    int middle = min(begin + width, n), end = min(begin + 2 * width, n);
    for (int a = begin, b = middle, k = begin; k < end; k++)
        out[k] = a < middle && (b >= end || in[a] <= in[b]) ? in[a++] : in[b++];
}

CASE(merge_sort) {
    vector<int> in = numbers(1500, 10000);
    int n = (int)in.size();
    buffer<int> a(in), b(n);
    int *from = a, *to = b;
    for (int width = 1; width < n; width *= 2) {
        int pairs = (n + 2 * width - 1) / (2 * width);
        merge_pass<<<(pairs + 63) / 64, 64>>>(from, to, n, width);
        std::swap(from, to);
    }
    vector<int> got = (from == a.at ? a : b).host();
    std::sort(in.begin(), in.end());
    return got == in;
}

__global__ void bitonic(int *x) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = x[t];
    s[t + 256] = x[t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool up = !(at & size);
            if ((s[at] > s[at + stride]) == up) {
                int swap = s[at];
                s[at] = s[at + stride];
                s[at + stride] = swap;
            }
        }
    __syncthreads();
    x[t] = s[t];
    x[t + 256] = s[t + 256];
}

CASE(bitonic) {
    vector<int> in = numbers(512, 10000);
    buffer<int> d(in);
    bitonic<<<1, 256>>>(d);
    std::sort(in.begin(), in.end());
    return d.host() == in;
}

/* Quicksort without launches from the device: a stack of its own per thread,
 * and recursion. */
__device__ void quicksort(int *x, int low, int high) {
    if (low >= high) return;
    int pivot = x[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (x[i] < pivot) i++;
        while (x[j] > pivot) j--;
        if (i <= j) {
            int swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
    }
    quicksort(x, low, j);
    quicksort(x, i, high);
}

__global__ void quicksort_rows(int *x, int width) {
    quicksort(x + threadIdx.x * width, 0, width - 1);
}

CASE(quicksort) {
    enum { ROWS = 40, WIDTH = 30 };
    vector<int> in = numbers(ROWS * WIDTH, 1000);
    buffer<int> d(in);
    quicksort_rows<<<1, ROWS>>>(d, WIDTH);
    for (int r = 0; r < ROWS; r++)
        std::sort(in.begin() + r * WIDTH, in.begin() + (r + 1) * WIDTH);
    return d.host() == in;
}

/* ---- stencils ---- */

enum { RADIUS = 3, BLOCK = 128 };
__constant__ float weights[2 * RADIUS + 1];

__global__ void stencil(const float *in, float *out, int n) {
    __shared__ float s[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, at = threadIdx.x + RADIUS;
    s[at] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        s[at - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        s[at + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[k + RADIUS] * s[at + k];
    if (i < n) out[i] = sum;
}

CASE(stencil) {
    enum { N = 1000 };
    float w[2 * RADIUS + 1] = {1, 2, 3, 4, 3, 2, 1};
    vector<float> in(N);
    for (int i = 0; i < N; i++) in[i] = (float)(i % 23);
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    buffer<float> d_in(in), d_out(N);
    stencil<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, N);
    vector<float> got = d_out.host();
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int k = -RADIUS; k <= RADIUS; k++)
            if (i + k >= 0 && i + k < N) sum += w[k + RADIUS] * in[i + k];
        if (got[i] != sum) return false;
    }
    return true;
}

/* Heat in a plane, the whole grid in step: cooperative launch. */
__global__ void heat(double *a, double *b, int side, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = grid.thread_rank(); i < side * side; i += grid.size()) {
            int x = i % side, y = i / side;
            bool edge = !x || !y || x == side - 1 || y == side - 1;
            b[i] = edge ? a[i]
                        : (a[i - 1] + a[i + 1] + a[i - side] + a[i + side]) / 4;
        }
        grid.sync();
        double *swap = a;
        a = b;
        b = swap;
    }
}

CASE(heat) {
    int side = 32, steps = 10;
    vector<double> a(side * side), b = a;
    for (int x = 0; x < side; x++) a[x] = 100;
    buffer<double> d_a(a), d_b(b);
    double *p = d_a, *q = d_b;
    void *arguments[] = {&p, &q, &side, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)heat, 4, 128, arguments, 0, 0));
    for (int s = 0; s < steps; s++, a.swap(b))
        for (int i = 0; i < side * side; i++) {
            int x = i % side, y = i / side;
            bool edge = !x || !y || x == side - 1 || y == side - 1;
            b[i] = edge ? a[i]
                        : (a[i - 1] + a[i + 1] + a[i - side] + a[i + side]) / 4;
        }
    return d_a.host() == a; /* the number of steps is even */
}

/* ---- sparse matrix times vector, a warp to a row ---- */

__global__ void spmv(const int *rows, const int *columns, const double *values,
                     const double *x, double *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= n) return;
    double sum = 0;
    for (int k = rows[row] + lane; k < rows[row + 1]; k += 32)
        sum += values[k] * __ldg(&x[columns[k]]);
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

CASE(spmv) {
    enum { N = 50 };
    vector<int> rows = {0}, columns;
    vector<double> values, x(N);
    for (int r = 0; r < N; r++) {
        for (int c = r % 3; c < N; c += 1 + r % 4)
            columns.push_back(c), values.push_back(r - c);
        rows.push_back((int)columns.size());
        x[r] = r % 9;
    }
    buffer<int> d_rows(rows), d_columns(columns);
    buffer<double> d_values(values), d_x(x), d_y(N);
    spmv<<<(N * 32 + 127) / 128, 128>>>(d_rows, d_columns, d_values, d_x, d_y, N);
    vector<double> got = d_y.host();
    for (int r = 0; r < N; r++) {
        double sum = 0;
        for (int k = rows[r]; k < rows[r + 1]; k++)
            sum += values[k] * x[columns[k]];
        if (got[r] != sum) return false;
    }
    return true;
}

/* ---- floating point ---- */

__global__ void bodies(const float4 *at, float3 *force, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = at[i];
    float3 f = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y,
                  dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = tile[k].w * r * r * r;
            f.x += dx * s, f.y += dy * s, f.z += dz * s;
        }
        __syncthreads();
    }
    force[i] = f;
}

CASE(bodies) {
    enum { N = 128 };
    vector<float4> at(N);
    for (int i = 0; i < N; i++)
        at[i] = make_float4((float)(i % 5), (float)(i % 7), (float)(i % 11), 1);
    buffer<float4> d_at(at);
    buffer<float3> d_force(N);
    bodies<<<2, 64, 64 * sizeof(float4)>>>(d_at, d_force, N);
    vector<float3> got = d_force.host();
    for (int i = 0; i < N; i++) {
        double x = 0;
        for (int k = 0; k < N; k++) {
            double dx = at[k].x - at[i].x, dy = at[k].y - at[i].y,
                   dz = at[k].z - at[i].z;
            x += dx * pow(dx * dx + dy * dy + dz * dz + 0.01, -1.5);
        }
        if (fabs(got[i].x - x) > 1e-3 * (1 + fabs(x))) return false;
    }
    return true;
}

__global__ void mandelbrot(int *out, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    double cr = -2 + 3.0 * x / side, ci = -1.5 + 3.0 * y / side, r = 0, i = 0;
    int k = 0;
    for (; k < 50 && r * r + i * i < 4; k++) {
        double next = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = next;
    }
    out[y * side + x] = k;
}

CASE(mandelbrot) {
    enum { SIZE = 40 };
    buffer<int> d(SIZE * SIZE);
    mandelbrot<<<dim3(3, 3), dim3(16, 16)>>>(d, SIZE);
    vector<int> got = d.host();
    int differ = 0; /* fused or not, a few at the edge may */
    for (int p = 0; p < SIZE * SIZE; p++) {
        double cr = -2 + 3.0 * (p % SIZE) / SIZE, r = 0, i = 0;
        double ci = -1.5 + 3.0 * (p / SIZE) / SIZE;
        int k = 0;
        for (; k < 50 && r * r + i * i < 4; k++) {
            double next = r * r - i * i + cr;
            i = 2 * r * i + ci;
            r = next;
        }
        differ += got[p] != k;
    }
    return differ < 8;
}

/* Black-Scholes: exp, log, sqrt, erfc in single precision. */
__global__ void options(const float *price, float *call, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = price[i], k = 50, t = 0.5f, v = 0.3f, rate = 0.02f;
    float d1 = (logf(s / k) + (rate + v * v / 2) * t) / (v * sqrtf(t));
    float d2 = d1 - v * sqrtf(t);
    call[i] = s * 0.5f * erfcf(-d1 * 0.70710678f) -
              k * expf(-rate * t) * 0.5f * erfcf(-d2 * 0.70710678f);
}

CASE(options) {
    enum { N = 300 };
    vector<float> s(N);
    for (int i = 0; i < N; i++) s[i] = 20 + i * 0.2f;
    buffer<float> d_s(s), d_call(N);
    options<<<3, 128>>>(d_s, d_call, N);
    vector<float> got = d_call.host();
    for (int i = 0; i < N; i++) {
        double k = 50, t = 0.5, v = 0.3, rate = 0.02;
        double d1 = (log(s[i] / k) + (rate + v * v / 2) * t) / (v * sqrt(t));
        double d2 = d1 - v * sqrt(t);
        double call = s[i] * 0.5 * erfc(-d1 / sqrt(2.0)) -
                      k * exp(-rate * t) * 0.5 * erfc(-d2 / sqrt(2.0));
        if (fabs(got[i] - call) > 1e-4 * (1 + call)) return false;
    }
    return true;
}

/* Half precision, two at a time. */
__global__ void halves(const __half2 *x, const __half2 *y, __half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __hfma2(x[i], y[i], __float2half2_rn(1.0f)) -
                 __half2(__hmax(x[i].x, y[i].x), __hmin(x[i].y, y[i].y));
}

CASE(halves) {
    enum { N = 200 };
    vector<__half2> x(N), y(N);
    for (int i = 0; i < N; i++) {
        x[i] = __floats2half2_rn((float)(i % 13), (float)(i % 5));
        y[i] = __floats2half2_rn((float)(i % 7), (float)(i % 11));
    }
    buffer<__half2> d_x(x), d_y(y), d_out(N);
    halves<<<2, 128>>>(d_x, d_y, d_out, N);
    vector<__half2> got = d_out.host();
    for (int i = 0; i < N; i++) {
        float a = (float)(i % 13), b = (float)(i % 7), c = (float)(i % 5),
              d = (float)(i % 11);
        if (__low2float(got[i]) != a * b + 1 - std::max(a, b) ||
            __high2float(got[i]) != c * d + 1 - std::min(c, d))
            return false;
    }
    return true;
}

/* A plane of points thrown, hits counted by votes. */
__global__ void monte_carlo(unsigned *hits, int rounds) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1, mine = 0;
    for (int r = 0; r < rounds; r++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        unsigned a = x & 0xffff, b = x >> 16;
        unsigned in = __ballot_sync(~0u, (unsigned long long)a * a +
                                             (unsigned long long)b * b <
                                         1ull << 32);
        if (threadIdx.x % 32 == 0) mine += __popc(in);
    }
    if (threadIdx.x % 32 == 0) atomicAdd(hits, mine);
}

CASE(monte_carlo) {
    enum { THREADS = 4 * 128, ROUNDS = 40 };
    buffer<unsigned> hits(1);
    monte_carlo<<<4, 128>>>(hits, ROUNDS);
    unsigned want = 0;
    for (unsigned t = 1; t <= THREADS; t++) {
        unsigned x = t;
        for (int r = 0; r < ROUNDS; r++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            unsigned long long a = x & 0xffff, b = x >> 16;
            want += a * a + b * b < 1ull << 32;
        }
    }
    return hits.host()[0] == want;
}

//: case: classics-saxpy saxpy
//: case: classics-matrix matrix
//: case: classics-transpose transpose
//: case: classics-histogram histogram
//: case: classics-reduce reduce
//: case: classics-merge-sort merge-sort
//: case: classics-bitonic bitonic
//: case: classics-quicksort quicksort
//: case: classics-stencil stencil
//: case: classics-heat heat
//: case: classics-spmv spmv
//: case: classics-bodies bodies
//: case: classics-mandelbrot mandelbrot
//: case: classics-options options
//: case: classics-halves halves
//: case: classics-monte-carlo monte-carlo
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
