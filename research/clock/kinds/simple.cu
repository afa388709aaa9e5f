// SPDX-License-Identifier: MIT
//
// simple.cu: kernels in which no thread needs another one.
#include "kinds.cuh"

enum { THREADS = 256 };

__device__ static uint32_t index_of_thread() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ static void saxpy(const float *x, float *y, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) y[i] = 2.5f * x[i] + y[i];
}

__global__ static void triad_in_turns(const float *x, const float *y, float *z,
                                      uint32_t n) {
    for (uint32_t i = index_of_thread(); i < n; i += gridDim.x * blockDim.x)
        z[i] = x[i] + 3.0f * y[i];
}

__global__ static void gather(const uint32_t *from, const uint32_t *where,
                              uint32_t *to, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) to[i] = from[where[i]];
}

__global__ static void scatter(const uint32_t *from, const uint32_t *where,
                               uint32_t *to, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) to[where[i]] = from[i];
}

__global__ static void bit_reversal(const uint32_t *from, uint32_t *to,
                                    uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) to[__brev(i) >> __clz(n) >> 1] = from[i];
}

// Rows of `side` words, read along rows and written along columns.
__global__ static void transpose_plain(const uint32_t *from, uint32_t *to,
                                       uint32_t side, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) to[i % side * (n / side) + i / side] = from[i];
}

__global__ static void stencil_5_points(const float *from, float *to,
                                        uint32_t side, uint32_t n) {
    uint32_t i = index_of_thread(), x = i & (side - 1);
    if (i >= n) return;
    float sum = from[i];
    if (x) sum += from[i - 1];
    if (x < side - 1) sum += from[i + 1];
    if (i >= side) sum += from[i - side];
    if (i + side < n) sum += from[i + side];
    to[i] = sum * 0.2f;
}

__global__ static void find(const uint32_t *sorted, const uint32_t *what,
                            uint32_t *where, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i >= n) return;
    uint32_t low = 0, high = n, x = what[i] % n * 3;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    where[i] = low;
}

__global__ static void multiples_of_3(uint32_t *to, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) to[i] = 3 * i;
}

__global__ static void option_prices(const uint32_t *in, float *out,
                                     uint32_t n) {
    uint32_t i = index_of_thread();
    if (i >= n) return;
    float price = 10.0f + (in[i] & 1023) * 0.1f, strike = 60.0f, years = 1.5f;
    float root = sqrtf(years), spread = 0.3f * root;
    float d = (__logf(price / strike) + (0.02f + 0.045f) * years) / spread;
    float e = d - spread;
    float p = 1.0f / (1.0f + __expf(-1.702f * d));
    float q = 1.0f / (1.0f + __expf(-1.702f * e));
    out[i] = price * p - strike * __expf(-0.02f * years) * q;
}

// So many steps as the number wants: warps diverge.
__global__ static void collatz(const uint32_t *in, uint32_t *out, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i >= n) return;
    uint32_t x = in[i] % 4096 + 1, steps = 0;
    for (; x != 1 && steps < 64; steps++) x = x & 1 ? 3 * x + 1 : x >> 1;
    out[i] = steps;
}

__global__ static void xorshift(uint32_t *out, uint32_t n) {
    uint32_t i = index_of_thread(), x = i * 2654435761u + 1;
    if (i >= n) return;
    for (int k = 0; k < 32; k++) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    out[i] = x;
}

__global__ static void remainders(const uint32_t *in, const uint32_t *by,
                                  uint32_t *out, uint32_t n) {
    uint32_t i = index_of_thread();
    if (i < n) out[i] = in[i] % (by[i] + 1) + in[i] / (by[i] + 3);
}

__global__ static void polynomial_f64(const uint32_t *in, uint32_t *out,
                                      uint32_t n) {
    uint32_t i = index_of_thread();
    if (i >= n) return;
    double x = in[i] * 0x1p-32, sum = 1;
    for (int k = 0; k < 16; k++) sum = sum * x + 0.5;
    out[i] = (uint32_t)(sum * 1000);
}

// One step of list ranking: my successor's successor, and its rank.
__global__ static void jump(const uint32_t *next, const uint32_t *rank,
                            uint32_t *next_out, uint32_t *rank_out,
                            uint32_t n) {
    uint32_t i = index_of_thread();
    if (i >= n) return;
    uint32_t s = next[i];
    rank_out[i] = rank[i] + rank[s];
    next_out[i] = next[s];
}

static uint32_t side_of(uint32_t n) {
    uint32_t side = 1;
    while (side * side < n) side *= 2;
    return side;
}

#define GRID blocks_for(x.n, THREADS), THREADS
#define RUN(name, ...)                                                         \
    static void run_##name(const arrays &x) {                                  \
        __VA_ARGS__;                                                           \
    }
RUN(saxpy, saxpy<<<GRID>>>((float *)x.b, (float *)x.c, x.n))
RUN(triad, triad_in_turns<<<132 * 8, THREADS>>>((float *)x.b, (float *)x.c,
                                                (float *)x.d, x.n))
RUN(gather, gather<<<GRID>>>(x.a, x.b, x.c, x.n))
RUN(scatter, scatter<<<GRID>>>(x.a, x.b, x.c, x.n))
RUN(bit_reversal, bit_reversal<<<GRID>>>(x.a, x.c, x.n))
RUN(transpose_plain, transpose_plain<<<GRID>>>(x.a, x.c, side_of(x.n), x.n))
RUN(stencil,
    stencil_5_points<<<GRID>>>((float *)x.a, (float *)x.c, side_of(x.n), x.n))
RUN(find, multiples_of_3<<<GRID>>>(x.c, x.n);
    find<<<GRID>>>(x.c, x.b, x.d, x.n))
RUN(option_prices, option_prices<<<GRID>>>(x.a, (float *)x.c, x.n))
RUN(collatz, collatz<<<GRID>>>(x.a, x.c, x.n))
RUN(xorshift, xorshift<<<GRID>>>(x.c, x.n))
RUN(remainders, remainders<<<GRID>>>(x.a, x.b, x.c, x.n))
RUN(polynomial_f64, polynomial_f64<<<GRID>>>(x.a, x.c, x.n))
RUN(jump, jump<<<GRID>>>(x.b, x.a, x.c, x.d, x.n))
RUN(sixteen_launches,
    for (int k = 0; k < 16; k++)
        stencil_5_points<<<GRID>>>((float *)(k & 1 ? x.d : x.c),
                                   (float *)(k & 1 ? x.c : x.d), side_of(x.n),
                                   x.n))

const kind simple_kinds[] = {
    {"saxpy", run_saxpy, 1u << 24, false},
    {"triad", run_triad, 1u << 24, true},
    {"gather", run_gather, 1u << 24, false},
    {"scatter", run_scatter, 1u << 24, true},
    {"bit_reversal", run_bit_reversal, 1u << 24, true},
    {"transpose_plain", run_transpose_plain, 1u << 24, false},
    {"stencil_5_points", run_stencil, 1u << 24, true},
    {"binary_search", run_find, 1u << 22, true},
    {"option_prices", run_option_prices, 1u << 22, false},
    {"collatz", run_collatz, 1u << 20, true},
    {"xorshift", run_xorshift, 1u << 22, false},
    {"remainders", run_remainders, 1u << 22, true},
    {"polynomial_f64", run_polynomial_f64, 1u << 22, true},
    {"list_jump", run_jump, 1u << 24, true},
    {"sixteen_launches", run_sixteen_launches, 1u << 20, true},
};
const size_t n_simple_kinds = sizeof simple_kinds / sizeof *simple_kinds;
