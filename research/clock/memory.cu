// SPDX-License-Identifier: MIT
//
// memory.cu: global memory: the latency of L1, L2 and DRAM, how many sectors
// and bytes they deliver, atomics, fences.
#include <algorithm>
#include <vector>

#include "measure.cuh"

enum { STEPS = 1024, LINE = 128, SECTOR = 32 };

enum cache { ALL, L2 };

// One lane follows a ring through memory. Its words are offsets in words.
template <cache WHERE>
__global__ static void chase(long long *cycles, const uint32_t *ring,
                             uint32_t *out) {
    uint32_t x = 0, y;
    long long begin = 0;
    for (int i = -8; i < STEPS; i++) { // the first eight fetch the translations
        if (!i) begin = clock64();
        if (WHERE == ALL)
            asm volatile("ld.global.ca.u32 %0, [%1];"
                         : "=r"(y)
                         : "l"(ring + x));
        else
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(y)
                         : "l"(ring + x));
        x = y;
    }
    *cycles = clock64() - begin;
    *out = x;
}

// A ring over `bytes` with one stop every `stride` bytes, in random order.
static void make_ring(const bench &b, size_t bytes, size_t stride) {
    size_t n = bytes / stride;
    std::vector<uint32_t> order(n), ring(bytes / 4);
    uint64_t random = 88172645463325252ull;
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (size_t i = n - 1; i > 1; i--) { // the ring begins at 0
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        std::swap(order[i], order[1 + random % i]);
    }
    for (size_t i = 0; i < n; i++)
        ring[order[i] * (stride / 4)] =
            (uint32_t)(order[(i + 1) % n] * (stride / 4));
    must(cudaMemcpy(b.memory, ring.data(), bytes, cudaMemcpyHostToDevice),
         "a ring");
}

static void latency_rows(const bench &b) {
    make_ring(b, 16 << 10, LINE);
    row("l1_latency", 16,
        cycles(b, [&] { chase<ALL><<<1, 1>>>(b.cycles, b.memory, b.out); }),
        1.0 / STEPS, "cycles; by KiB");
    for (int mib = 1; mib <= 1024; mib *= 4) {
        make_ring(b, (size_t)mib << 20, mib < 64 ? LINE : 4096);
        row("l2_or_dram_latency", mib,
            cycles(b,
                   [&] {
                       if (mib >= 64) empty_l2(b);
                       chase<L2><<<1, 1>>>(b.cycles, b.memory, b.out);
                   }),
            1.0 / STEPS, "cycles; by MiB");
    }
}

// Every warp reads so many sectors with each instruction, of a window that fits
// L1 or L2.
template <cache WHERE>
__global__ static void gather(long long *cycles, const uint32_t *from,
                              uint32_t *out, int sectors, uint32_t mask) {
    uint32_t lane = threadIdx.x % 32, sum = 0;
    uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 4096 +
                  lane % sectors * (SECTOR / 4) + lane / sectors % 8;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < STEPS; i++) {
        uint32_t y;
        if (WHERE == ALL)
            asm volatile("ld.global.ca.u32 %0, [%1];"
                         : "=r"(y)
                         : "l"(from + (at & mask)));
        else
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(y)
                         : "l"(from + (at & mask)));
        at += 256;
        sum += y;
    }
    __syncthreads();
    long long end = clock64();
    if (!threadIdx.x && !blockIdx.x) *cycles = end - begin;
    out[threadIdx.x] = sum;
}

static void sector_rows(const bench &b) {
    for (int sectors = 1; sectors <= 32; sectors *= 2) {
        row("l1_sectors", sectors,
            cycles(b,
                   [&] {
                       gather<ALL><<<1, 1024>>>(b.cycles, b.memory, b.out,
                                                sectors, 2047);
                   }),
            1.0 / STEPS / 32, "cycles per warp instruction; by sectors");
        row("l2_sectors_one_sm", sectors,
            cycles(b,
                   [&] {
                       gather<L2><<<1, 1024>>>(b.cycles, b.memory, b.out,
                                               sectors, 0x3ffff);
                   }),
            1.0 / STEPS / 32, "cycles per warp instruction; by sectors");
        row("l2_sectors_all", sectors,
            cycles(b,
                   [&] {
                       gather<L2><<<b.multiprocessors, 1024>>>(
                           b.cycles, b.memory, b.out, sectors, 0x3fffff);
                   }),
            1.0 / STEPS / 32,
            "cycles per warp instruction of each multiprocessor; by sectors");
    }
}

// Every lane has a word, `apart` words behind its neighbour's, of 16 MiB, which
// stay in L2: 8 apart and more, a sector each; 32 and more, a line each.
enum { WORDS_OF_L2 = 1 << 22, ROUNDS = 128 };

// Sectors that are written again get another word.
__device__ static uint32_t word_apart(uint32_t number, uint32_t apart) {
    uint32_t turn = number * apart / WORDS_OF_L2;
    return (number * apart + (apart >= 8 ? turn % 8 : 0)) % WORDS_OF_L2;
}

__global__ static void store_apart(uint32_t *to, uint32_t apart) {
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        to[word_apart(thread + i * gridDim.x * blockDim.x, apart)] = i;
    }
}

__global__ static void load_apart(const uint32_t *from, uint32_t apart,
                                  uint32_t *out) {
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 8
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t number = thread + i * gridDim.x * blockDim.x, y;
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(y)
                     : "l"(from + word_apart(number, apart)));
        sum += y;
    }
    if (sum == 0x12345678) *out = sum;
}

static void apart_rows(const bench &b) {
    int blocks = b.multiprocessors * 8;
    double words = blocks * 256.0 * ROUNDS * 1e-3;
    for (uint32_t apart = 1; apart <= 256; apart *= 2) {
        rate("store_apart", apart,
             events([&] { store_apart<<<blocks, 256>>>(b.memory, apart); }, 9),
             words, "G words a second to L2; by words from lane to lane");
        rate(
            "load_apart", apart,
            events([&] { load_apart<<<blocks, 256>>>(b.memory, apart, b.out); },
                   9),
            words, "G words a second from L2; by words from lane to lane");
    }
}

__global__ static void read(const uint4 *from, size_t n, size_t step,
                            uint32_t *out) {
    uint32_t sum = 0;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint4 v = from[i * step];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678) *out = sum;
}

__global__ static void write(uint4 *to, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = make_uint4(1, 2, 3, 4);
}

__global__ static void copy(const uint4 *from, uint4 *to, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) to[i] = from[i];
}

static void bandwidth_rows(const bench &b) {
    uint4 *cells = (uint4 *)b.memory;
    int blocks = b.multiprocessors * 4;
    for (size_t mib = 4; mib <= 1024; mib *= 4) {
        size_t n = (mib << 20) / 16;
        samples s =
            events([&] { read<<<blocks, 512>>>(cells, n, 1, b.out); }, 9);
        rate("read", (double)mib, s, n * 16 * 1e-3,
             "GB/s; by MiB, as often as it fits in L2");
        s = events([&] { write<<<blocks, 512>>>(cells, n); }, 9);
        rate("write", (double)mib, s, n * 16 * 1e-3, "GB/s; by MiB");
        s = events([&] { copy<<<blocks, 512>>>(cells, cells + n, n); }, 9);
        rate("copy", (double)mib, s, n * 32 * 1e-3,
             "GB/s read and written; by MiB");
    }
    for (int step = 1; step <= 8; step *= 2) { // 16 of 16, 32, 64, 128 bytes
        size_t n = b.bytes / 2 / 16 / step;
        rate("read_16_bytes_of", 16 * step,
             events([&] { read<<<blocks, 512>>>(cells, n, step, b.out); }, 9),
             n * 16 * 1e-3, "GB/s of use; by bytes from one to the next");
    }
    for (int sms = 1; sms < 2 * b.multiprocessors; sms *= 2) {
        int used = std::min(sms, b.multiprocessors);
        size_t n = (size_t)used << 16; // a MiB a block: eight of them fit
        samples s =
            events([&] { read<<<used, 1024>>>(cells, n, 1, b.out); }, 1);
        std::vector<double> seen;
        for (int i = 0; i < 7; i++) {
            empty_l2(b);
            seen.push_back(events(
                               [&] {
                                   read<<<used, 1024>>>(cells + (i + 1) * n, n,
                                                        1, b.out);
                               },
                               1)
                               .median);
        }
        std::sort(seen.begin(), seen.end());
        s = {seen[3], seen[0], seen[6]};
        rate("read_by_blocks", used, s, n * 16 * 1e-3,
             "GB/s from DRAM; by blocks of 1024 threads, one a multiprocessor");
    }
}

// `spread`: 0 one word for all, 1 a word a lane, 2 a word a thread.
__global__ static void add(uint32_t *words, int spread, int times) {
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at = spread == 0 ? 0 : spread == 1 ? thread % 32 : thread;
    for (int i = 0; i < times; i++) atomicAdd(words + at, 1u);
}

// The lanes of a warp are `lines` words apart, in so many lines of 128 bytes:
// each in a sector of its own from 8 on. All warps add to the same lines.
__global__ static void add_apart(uint32_t *words, int lines, int times) {
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    uint32_t at = threadIdx.x % 32 * lines + warp;
    for (int i = 0; i < times; i++)
        atomicAdd(words + (at + 7 * i) % (32 * lines), 1u);
}

// The lanes of a warp have a sector each, of 8 lines that are `distance` words
// apart. All warps add to the same words; `turn`: or to the sectors in turn.
__global__ static void add_far(uint32_t *words, uint32_t distance, int turn,
                               int times) {
    uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int i = 0; i < times; i++) {
        uint32_t sector = (threadIdx.x + (warp + i) * turn) % 32;
        atomicAdd(words + sector / 4 * distance + sector % 4 * 8, 1u);
    }
}

__global__ static void add_chain(long long *cycles, uint32_t *words,
                                 uint32_t *out) {
    uint32_t x = 0;
    long long begin = clock64();
    for (int i = 0; i < STEPS; i++) x = atomicAdd(words + (x & 1023), 0u);
    *cycles = clock64() - begin;
    *out = x;
}

template <int SCOPE>
__global__ static void fence(long long *cycles, volatile uint32_t *words,
                             int stores) {
    long long begin = clock64();
    for (int i = 0; i < 64; i++) {
        for (int k = 0; k < stores; k++)
            words[(i * stores + k) * 256 + threadIdx.x] = i;
        if (SCOPE == 0)
            __threadfence_block();
        else
            __threadfence();
    }
    long long end = clock64();
    if (!threadIdx.x) *cycles = end - begin;
}

// The same with 2 lines, of which a warp adds to every word but each second.
__global__ static void add_twice(uint32_t *words, uint32_t distance,
                                 int times) {
    uint32_t lane = threadIdx.x % 32;
    for (int i = 0; i < times; i++)
        atomicAdd(words + lane / 16 * distance + lane % 16 * 2, 1u);
}

void atomic_rows(const bench &b) {
    static const char *const names[] = {"atomic_one_word", "atomic_32_words",
                                        "atomic_own_words"};
    must(cudaMemset(b.memory, 0, 64 << 20), "cudaMemset");
    row("atomic_latency", 1,
        cycles(b, [&] { add_chain<<<1, 1>>>(b.cycles, b.memory, b.out); }),
        1.0 / STEPS, "cycles with the result awaited");
    for (int spread = 0; spread < 3; spread++) {
        int blocks = b.multiprocessors * 2;
        rate(names[spread], blocks,
             events([&] { add<<<blocks, 1024>>>(b.memory, spread, 64); }, 7),
             blocks * 1024.0 * 64 * 1e-3, "G additions a second");
    }
    for (int lines = 1; lines <= 1024; lines *= 2) {
        int blocks = b.multiprocessors * 2;
        rate("atomic_lines", lines,
             events([&] { add_apart<<<blocks, 1024>>>(b.memory, lines, 64); },
                    7),
             blocks * 1024.0 * 64 * 1e-3, "G additions a second; by lines");
    }
    for (uint32_t distance = 32; distance <= 1 << 20; distance *= 2) {
        int blocks = b.multiprocessors * 2;
        for (int turn = 0; turn <= 1; turn++)
            rate(turn ? "atomic_8_lines_in_turn" : "atomic_8_lines",
                 distance * 4,
                 events(
                     [&] {
                         add_far<<<blocks, 1024>>>(b.memory, distance, turn,
                                                   64);
                     },
                     5),
                 blocks * 1024.0 * 64 * 1e-3,
                 "G additions a second to 32 sectors; by bytes from line to "
                 "line");
    }
    for (uint32_t distance = 32; distance <= 1 << 22; distance *= 2) {
        int blocks = b.multiprocessors * 2;
        rate(
            "atomic_2_lines", distance * 4,
            events([&] { add_twice<<<blocks, 1024>>>(b.memory, distance, 64); },
                   5),
            blocks * 1024.0 * 64 * 1e-3,
            "G additions a second to 8 sectors; by bytes from line to line");
    }
    for (int stores = 0; stores <= 4; stores += stores ? 3 : 1) {
        row("fence_block", stores,
            cycles(b, [&] { fence<0><<<1, 32>>>(b.cycles, b.memory, stores); }),
            1.0 / 64, "cycles; by stores of the warp before it, included");
        row("fence_device", stores,
            cycles(b, [&] { fence<1><<<1, 32>>>(b.cycles, b.memory, stores); }),
            1.0 / 64, "cycles; by stores of the warp before it, included");
    }
}

void l2_rows(const bench &b) {
    must(cudaMemset(b.memory, 0, 64 << 20), "cudaMemset");
    apart_rows(b);
}

void memory_rows(const bench &b) {
    latency_rows(b);
    must(cudaMemset(b.memory, 0, b.bytes), "cudaMemset");
    sector_rows(b);
    bandwidth_rows(b);
}
