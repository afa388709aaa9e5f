// SPDX-License-Identifier: MIT
//
// messages.cu: what a word from block to block takes: two blocks that answer
// each other, and chains through all blocks.
#include "measure.cuh"

enum how { VOLATILE, FENCED, ACQUIRE };

template <how HOW> __device__ static void send(uint32_t *word, uint32_t value) {
    if (HOW == ACQUIRE) {
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word),
                     "r"(value)
                     : "memory");
        return;
    }
    if (HOW == FENCED) __threadfence();
    *(volatile uint32_t *)word = value;
}

template <how HOW>
__device__ static void await(uint32_t *word, uint32_t value) {
    uint32_t seen;
    do {
        if (HOW == ACQUIRE)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(word)
                         : "memory");
        else
            seen = *(volatile uint32_t *)word;
    } while (seen != value);
    if (HOW == FENCED) __threadfence();
}

// The first block and the last answer each other; the others end at once.
template <how HOW>
__global__ static void answer(long long *cycles, uint32_t *words, int rounds) {
    if (threadIdx.x || (blockIdx.x && blockIdx.x != gridDim.x - 1)) return;
    long long begin = clock64();
    for (int r = 1; r <= rounds; r++) {
        if (!blockIdx.x) send<HOW>(words, r), await<HOW>(words + 64, r);
        if (blockIdx.x) await<HOW>(words, r), send<HOW>(words + 64, r);
    }
    if (!blockIdx.x) *cycles = clock64() - begin;
}

// Tile t waits for tile t - 1. `pollers`: threads of a block that read the
// word.
template <how HOW> __global__ static void chain(uint32_t *words, int tiles) {
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        if (t) await<HOW>(words + (t - 1) * 8, 1);
        if (blockDim.x > 1) __syncthreads();
        if (!threadIdx.x) send<HOW>(words + t * 8, 1);
    }
}

template <how HOW>
static void rows(const bench &b, const char *one, const char *hop) {
    enum { ROUNDS = 1000, TILES = 8000 };
    row(one, 2,
        cycles(b,
               [&] {
                   cudaMemset(b.memory, 0, 4096);
                   answer<HOW>
                       <<<b.multiprocessors, 32>>>(b.cycles, b.memory, ROUNDS);
               }),
        0.5 / ROUNDS, "cycles one way, to a block on another multiprocessor");
    samples clears =
        events([&] { cudaMemsetAsync(b.memory, 0, TILES * 32); }, 9);
    for (int threads = 1; threads <= 256; threads *= 16) {
        samples s = events(
            [&] {
                cudaMemsetAsync(b.memory, 0, TILES * 32);
                chain<HOW><<<b.multiprocessors, threads>>>(b.memory, TILES);
            },
            9);
        s = {s.median - clears.median, s.least - clears.median,
             s.most - clears.median};
        row(hop, threads, s, 1e3 / TILES,
            "ns a hop from tile to tile; by threads that poll");
    }
}

void message_rows(const bench &b) {
    rows<VOLATILE>(b, "answer_volatile", "hop_volatile");
    rows<FENCED>(b, "answer_fenced", "hop_fenced");
    rows<ACQUIRE>(b, "answer_acquire", "hop_acquire");
}
