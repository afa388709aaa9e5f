// SPDX-License-Identifier: MIT
//
// cached.cu: constant memory, by how many words a warp wants; loads through the
// read-only cache, and how old what they get may be; what one warp alone pays
// for the lines and banks of its own access.
#include <vector>

#include "measure.cuh"

enum { STEPS = 256, ALL_STEPS = 1024, TABLE_WORDS = 16384, WARP = 32 };

// Every word says where the next one is.
__constant__ uint32_t table[TABLE_WORDS];

static void fill_table(const std::vector<uint32_t> &words) {
    must(cudaMemcpyToSymbol(table, words.data(), words.size() * 4), "constant");
}

__device__ static uint32_t constant_word(uint32_t at) {
    uint32_t x, address;
    asm volatile("{ .reg .u64 t; cvta.to.const.u64 t, %1; cvt.u32.u64 %0, t; }"
                 : "=r"(address)
                 : "l"(table));
    asm volatile("ld.const.u32 %0, [%1];" : "=r"(x) : "r"(address + 4 * at));
    return x;
}

// Lane l begins at word l % words * apart. Of several turns the last one
// counts.
__global__ static void constant_chain(long long *cycles, uint32_t *out,
                                      uint32_t words, uint32_t apart,
                                      int turns) {
    uint32_t x = threadIdx.x % WARP % words * apart;
    long long begin = 0;
    for (int turn = 0; turn < turns; turn++) {
        begin = clock64();
#pragma unroll 16
        for (int i = 0; i < ALL_STEPS; i++) x = constant_word(x);
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

// Each load wants other words than the one before.
__global__ static void constant_rate(long long *cycles, uint32_t *out,
                                     uint32_t words, uint32_t apart) {
    uint32_t x = threadIdx.x % WARP % words * apart, sum = 0;
    for (int i = 0; i < 512; i++) sum += constant_word(i); // fetches
    __syncthreads();
    long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < STEPS; i++) {
        sum += constant_word(x);
        x = (x + 1) % 512;
    }
    __syncthreads();
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = sum;
}

// One warp, whose lanes go round `kib` KiB together.
static void constant_round(const bench &b, const char *name, uint32_t kib,
                           uint32_t step, int turns) {
    std::vector<uint32_t> ring(TABLE_WORDS);
    uint32_t n = kib * 256;
    for (uint32_t i = 0; i < n; i++) ring[i] = (i + step) % n;
    fill_table(ring);
    row(name, kib,
        cycles(
            b,
            [&] { constant_chain<<<1, WARP>>>(b.cycles, b.out, 1, 0, turns); }),
        1.0 / ALL_STEPS, "cycles; one warp, all lanes one word; by KiB");
}

static void constant_rows(const bench &b) {
    for (uint32_t kib = 1; kib <= 64; kib *= 2) {
        constant_round(b, "constant_latency", kib, 16, 2); // each 64 bytes
        constant_round(b, "constant_latency_32_bytes", kib, 8, 2);
        constant_round(b, "constant_latency_256_bytes", kib, 64, 2);
    }
    constant_round(b, "constant_first", 64, 16, 1); // each stop is new
    constant_round(b, "constant_first_256_bytes", 64, 64, 1);
    std::vector<uint32_t> self(TABLE_WORDS);
    for (uint32_t i = 0; i < TABLE_WORDS; i++) self[i] = i;
    fill_table(self);
    for (uint32_t words = 1; words <= 32; words *= 2)
        for (uint32_t apart : {1u, 16u}) {
            const char *chain =
                apart == 1 ? "constant_words" : "constant_lines";
            const char *rates =
                apart == 1 ? "constant_words_rate" : "constant_lines_rate";
            row(chain, words,
                cycles(b,
                       [&] {
                           constant_chain<<<1, WARP>>>(b.cycles, b.out, words,
                                                       apart, 2);
                       }),
                1.0 / ALL_STEPS,
                "cycles; one warp; by words that its lanes want");
            row(rates, words,
                cycles(b,
                       [&] {
                           constant_rate<<<1, 1024>>>(b.cycles, b.out, words,
                                                      apart);
                       }),
                1.0 / STEPS / 32,
                "cycles per load of a warp; 32 warps; by words");
        }
}

// ---- the read-only cache ----

enum how { PLAIN, READ_ONLY, L2_ONLY };

template <how HOW> __device__ static uint32_t word_of(const uint32_t *at) {
    uint32_t x;
    if (HOW == PLAIN)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at));
    else if (HOW == READ_ONLY)
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(x) : "l"(at));
    else
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(at));
    return x;
}

// What a second load gets after another access has changed the word: of the
// same thread, or of another multiprocessor. `again` is `word`, which the
// compiler does not know.
enum { OWN_STORE, OWN_FENCE, OTHER, OTHER_FENCE, OTHER_ACQUIRE, N_CASES };

template <how HOW>
__global__ static void stale(uint32_t *word, const uint32_t *again,
                             uint32_t *turn, uint32_t *old, int which) {
    volatile uint32_t *said = turn;
    bool other = which >= OTHER;
    if (blockIdx.x == 1) {
        if (!other) return;
        while (*said != 1) {
        }
        *(volatile uint32_t *)word = 7;
        __threadfence();
        *said = 2;
        return;
    }
    uint32_t first = word_of<HOW>(word), second;
    if (first == 12345) *old = 99; // the load has ended
    if (!other) {
        *word = 7;
        if (which == OWN_FENCE) __threadfence();
    } else {
        *said = 1;
        if (which == OTHER_ACQUIRE) {
            uint32_t x;
            do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(x)
                             : "l"(turn)
                             : "memory");
            while (x != 2);
        } else {
            while (*said != 2) {
            }
            if (which == OTHER_FENCE) __threadfence();
        }
    }
    second = word_of<HOW>(again);
    *old += second == first;
}

template <how HOW> static void stale_rows(const bench &b, const char *name) {
    enum { TIMES = 200 };
    uint32_t *turn = b.out, *old = b.out + 64, n;
    for (int which = 0; which < N_CASES; which++) {
        must(cudaMemset(old, 0, 4), "cudaMemset");
        for (int i = 0; i < TIMES; i++) {
            must(cudaMemset(turn, 0, 4), "cudaMemset");
            must(cudaMemset(b.memory, 0, 256), "cudaMemset");
            stale<HOW><<<2, 1>>>(b.memory, b.memory, turn, old, which);
        }
        must(cudaMemcpy(&n, old, 4, cudaMemcpyDeviceToHost), "stale");
        samples s = {(double)n, (double)n, (double)n};
        row(name, which, s, 1.0 / TIMES,
            "old values of all; own store, and a fence; another "
            "multiprocessor's, and a fence, and an acquire");
    }
}

// ---- one warp alone ----

// Every lane reads the word that says where it is, at `apart` words from its
// neighbour's.
template <how HOW>
__global__ static void lone(long long *cycles, const uint32_t *words,
                            uint32_t *out, uint32_t apart) {
    uint32_t x = threadIdx.x * apart;
    long long begin = 0;
    for (int turn = 0; turn < 2; turn++) {
        begin = clock64();
#pragma unroll 8
        for (int i = 0; i < STEPS; i++) x = word_of<HOW>(words + x);
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

// The same of atomics that change nothing.
__global__ static void lone_atomic(long long *cycles, uint32_t *words,
                                   uint32_t *out, uint32_t apart) {
    uint32_t x = threadIdx.x * apart;
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < STEPS; i++)
        asm volatile("atom.global.max.u32 %0, [%1], 0;"
                     : "=r"(x)
                     : "l"(words + x));
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
    out[threadIdx.x] = x;
}

template <how HOW>
static void lone_rows(const bench &b, const char *name, int lanes) {
    for (uint32_t apart : {1, 2, 4, 8, 12, 16, 20, 24, 32, 33, 36, 40, 48, 64,
                           65, 72, 96, 128, 256}) {
        row(name, apart,
            cycles(b,
                   [&] {
                       lone<HOW>
                           <<<1, lanes>>>(b.cycles, b.memory, b.out, apart);
                   }),
            1.0 / STEPS, "cycles; one warp; by words from lane to lane");
    }
}

// One lane goes round so many KiB of L1, a line a step.
static void ring_rows(const bench &b) {
    for (uint32_t kib = 1; kib <= 32; kib *= 2) {
        std::vector<uint32_t> ring(kib * 256);
        for (uint32_t i = 0; i < ring.size(); i++)
            ring[i] = (uint32_t)((i + 32) % ring.size());
        must(cudaMemcpy(b.memory, ring.data(), ring.size() * 4,
                        cudaMemcpyHostToDevice),
             "a ring");
        row("lone_l1_ring", kib,
            cycles(
                b,
                [&] { lone<PLAIN><<<1, 1>>>(b.cycles, b.memory, b.out, 1); }),
            1.0 / STEPS, "cycles; one lane; by KiB");
    }
}

void cached_rows(const bench &b) {
    constant_rows(b);
    ring_rows(b);
    std::vector<uint32_t> self(1 << 16);
    for (uint32_t i = 0; i < self.size(); i++) self[i] = i;
    must(cudaMemcpy(b.memory, self.data(), self.size() * 4,
                    cudaMemcpyHostToDevice),
         "words");
    lone_rows<READ_ONLY>(b, "lone_readonly", 32);
    lone_rows<PLAIN>(b, "lone_l1", 32);
    lone_rows<L2_ONLY>(b, "lone_l2", 32);
    lone_rows<PLAIN>(b, "lone_l1_8_lanes", 8);
    lone_rows<L2_ONLY>(b, "lone_l2_8_lanes", 8);
    lone_rows<L2_ONLY>(b, "lone_l2_1_lane", 1);
    for (uint32_t apart : {1, 2, 8, 16, 32, 33, 64, 128})
        row("lone_atomic", apart,
            cycles(b,
                   [&] {
                       lone_atomic<<<1, WARP>>>(b.cycles, b.memory, b.out,
                                                apart);
                   }),
            1.0 / STEPS, "cycles; one warp; by words from lane to lane");
    stale_rows<READ_ONLY>(b, "readonly_stale");
    stale_rows<PLAIN>(b, "plain_stale");
}
