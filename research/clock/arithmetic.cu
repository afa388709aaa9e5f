// SPDX-License-Identifier: MIT
//
// arithmetic.cu: what an instruction of instructions.def takes (one chain in
// one warp) and how many a multiprocessor finishes (four chains in each of 1 to
// 32 warps).
#include <stdio.h>

#include "measure.cuh"

enum { STEPS = 256, CHAINS = 4 };

#define X(name, type, in, count, text)                                         \
    __global__ static void chain_##name(long long *cycles, uint32_t *out,      \
                                        uint32_t k) {                          \
        type x = (type)(threadIdx.x + 1), y = (type)k;                         \
        long long begin = clock64();                                           \
        _Pragma("unroll 64") for (int i = 0; i < STEPS;                        \
                                  i++) asm volatile(text : "+" in(x) : in(y)); \
        long long end = clock64();                                             \
        if (!threadIdx.x) *cycles = end - begin;                               \
        out[threadIdx.x] = (uint32_t)x;                                        \
    }                                                                          \
    __global__ static void rate_##name(long long *cycles, uint32_t *out,       \
                                       uint32_t k) {                           \
        type a = (type)(threadIdx.x + 1), b = a + 1, c = a + 2, d = a + 3,     \
             y = (type)k;                                                      \
        __syncthreads();                                                       \
        long long begin = clock64();                                           \
        _Pragma("unroll 16") for (int i = 0; i < STEPS; i++) {                 \
            asm volatile(text : "+" in(a) : in(y));                            \
            asm volatile(text : "+" in(b) : in(y));                            \
            asm volatile(text : "+" in(c) : in(y));                            \
            asm volatile(text : "+" in(d) : in(y));                            \
        }                                                                      \
        __syncthreads();                                                       \
        long long end = clock64();                                             \
        if (!threadIdx.x) *cycles = end - begin;                               \
        out[threadIdx.x] = (uint32_t)(a + b + c + d);                          \
    }
#include "instructions.def"
#undef X

static const struct {
    const char *name;
    int count;
    void (*chain)(long long *, uint32_t *, uint32_t);
    void (*rate)(long long *, uint32_t *, uint32_t);
} kinds[] = {
#define X(name, type, in, count, text)                                         \
    {#name, count, chain_##name, rate_##name},
#include "instructions.def"
#undef X
};

void arithmetic_rows(const bench &b) {
    char name[64];
    for (const auto &kind : kinds) {
        snprintf(name, sizeof name, "latency_%s", kind.name);
        row(name, kind.count,
            cycles(b, [&] { kind.chain<<<1, 32>>>(b.cycles, b.out, 3); }),
            1.0 / STEPS, "cycles per text of so many instructions; one warp");
        snprintf(name, sizeof name, "rate_%s", kind.name);
        for (int warps = 4; warps <= 32; warps *= 2)
            rate(name, warps,
                 cycles(
                     b,
                     [&] { kind.rate<<<1, 32 * warps>>>(b.cycles, b.out, 3); }),
                 (double)STEPS * CHAINS * kind.count * warps,
                 "warp instructions a cycle of one multiprocessor; by warps");
    }
}
