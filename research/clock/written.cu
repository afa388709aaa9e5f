// SPDX-License-Identifier: MIT
//
// written.cu: loads of what the same warp has just stored, and a thread's own
// (local) memory: latency, and how long its stores and loads take, by how much
// of it each thread has.
#include "measure.cuh"

enum { STEPS = 256, THREADS = 1024 };

// A load behind a store. `by`: 0 where the assembler does not know it; how many
// words the store is away from what is loaded.
__global__ static void load_stored(long long *cycles, uint32_t *memory,
                                   uint32_t by, uint32_t stores) {
    uint32_t *at = memory + threadIdx.x, x = 0;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at));
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) {
        if (stores)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at + by), "r"(x));
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at + (x & 1)));
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    memory[threadIdx.x] = x;
}

template <int WORDS>
__global__ static void local_chain(long long *cycles, uint32_t *out,
                                   uint32_t k) {
    uint32_t words[WORDS], x = 0;
    for (int i = 0; i < WORDS; i++) words[i ^ k] = (i + 1) % WORDS;
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) x = words[x];
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

// Each thread writes all of its words, or reads them, again and again.
template <int WORDS>
__global__ static void local_sweep(long long *cycles, uint32_t *out, uint32_t k,
                                   uint32_t writes) {
    uint32_t words[WORDS], x = 0;
    for (int i = 0; i < WORDS; i++) words[i ^ k] = i + k;
    __syncthreads();
    long long begin = clock64();
    for (int round = 0; round < 8; round++)
        if (writes) {
#pragma unroll 8
            for (int i = 0; i < WORDS; i++) words[i ^ k] = i + round;
        } else {
#pragma unroll 8
            for (int i = 0; i < WORDS; i++) x += words[i ^ k];
        }
    __syncthreads();
    long long end = clock64();
    if (!threadIdx.x && !blockIdx.x) *cycles = end - begin;
    for (int i = 0; i < WORDS; i++) x += words[i ^ k];
    out[threadIdx.x] = x;
}

template <int WORDS> static void sweeps(const bench &b) {
    const double n = 8.0 * WORDS * (THREADS / 32);
    for (uint32_t writes = 0; writes < 2; writes++)
        row(writes ? "local_stores" : "local_loads", WORDS,
            cycles(b,
                   [&] {
                       local_sweep<WORDS><<<b.multiprocessors, THREADS>>>(
                           b.cycles, b.out, 0, writes);
                   }),
            1 / n,
            "cycles of a multiprocessor for an access of a warp; by words of "
            "each of 1024 threads");
}

// All of so many words in turn, by 32 warps; of four turns the last one counts.
__global__ static void l1_again(long long *cycles, const uint32_t *memory,
                                uint32_t *out, uint32_t words) {
    uint32_t x = 0;
    long long begin = 0;
    for (int turn = 0; turn < 4; turn++) {
        __syncthreads();
        begin = clock64();
        for (uint32_t i = threadIdx.x; i < words; i += THREADS) {
            uint32_t y;
            asm volatile("ld.global.ca.u32 %0, [%1];"
                         : "=r"(y)
                         : "l"(memory + i));
            x += y;
        }
        __syncthreads();
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

// Words that L1 has: of so many lines, one of each bank; or `ways` in a bank.
__global__ static void l1_gather(long long *cycles, const uint32_t *memory,
                                 uint32_t *out, uint32_t lines, uint32_t ways,
                                 uint32_t none) {
    uint32_t lane = threadIdx.x % 32, x = 0;
    uint32_t bank = ways > 1 ? lane / ways : lane;
    const uint32_t *at = memory + lane % lines * 32 + bank;
    long long begin = 0;
    for (int turn = 0; turn < 2; turn++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 8
        for (int i = 0; i < STEPS; i++) {
            uint32_t y;
            asm volatile("ld.global.ca.u32 %0, [%1];"
                         : "=r"(y)
                         : "l"(at + i % 8 * 1024 + i * none));
            x += y;
        }
        __syncthreads();
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

void written_rows(const bench &b) {
    for (uint32_t lines = 1; lines <= 32; lines *= 2)
        row("l1_lines", lines,
            cycles(b,
                   [&] {
                       l1_gather<<<1, THREADS>>>(b.cycles, b.memory, b.out,
                                                 lines, 1, 0);
                   }),
            1.0 / STEPS / (THREADS / 32),
            "cycles for a load of a warp, 32 warps; by lines, no conflict");
    for (uint32_t ways = 2; ways <= 32; ways *= 2)
        row("l1_ways", ways,
            cycles(b,
                   [&] {
                       l1_gather<<<1, THREADS>>>(b.cycles, b.memory, b.out, 32,
                                                 ways, 0);
                   }),
            1.0 / STEPS / (THREADS / 32),
            "cycles for a load of a warp, 32 warps, 32 lines; by words in a "
            "bank");
    for (uint32_t kib : {64u, 128u, 160u, 192u, 208u, 216u, 224u, 232u, 240u,
                         248u, 256u, 288u})
        row("l1_holds", kib,
            cycles(b,
                   [&] {
                       l1_again<<<1, THREADS>>>(b.cycles, b.memory, b.out,
                                                kib * 256);
                   }),
            1.0 / (kib * 1024.0 / 128),
            "cycles for a line, read again and again in turn; by KiB");
    for (uint32_t stores = 0; stores < 2; stores++)
        for (uint32_t by : {0u, 32u, 64u})
            row(stores ? "load_behind_store" : "load_alone", by,
                cycles(b,
                       [&] {
                           load_stored<<<1, 32>>>(b.cycles, b.memory, by,
                                                  stores);
                       }),
                1.0 / STEPS,
                "cycles; one warp; by words from the load to the store");
    row("local_chain", 16,
        cycles(b, [&] { local_chain<16><<<1, 32>>>(b.cycles, b.out, 0); }),
        1.0 / STEPS, "cycles; one warp");
    sweeps<8>(b);
    sweeps<16>(b);
    sweeps<32>(b);
    sweeps<64>(b);
    sweeps<128>(b);
    sweeps<256>(b);
}
