// SPDX-License-Identifier: MIT
//
// async.cu: copies that arrive later (cp.async, cp.async.bulk), barriers in
// shared memory (mbarrier), sleeping, what those who poll take from others,
// and L2 without any help of L1.
#include "measure.cuh"

enum { TIMES = 256, BUFFER = 32 << 10 };

__device__ static uint32_t shared_address(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

__device__ static void barrier_init(uint64_t *b, uint32_t count) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)),
        "r"(count)
        : "memory");
}

__device__ static void barrier_wait(uint64_t *b, uint32_t parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra AGAIN;\n}" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

__device__ static void bulk_load(void *to, const void *from, uint32_t bytes,
                                 uint64_t *b) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(b)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

// One thread copies, waits, copies; the next copy `step` bytes further.
__global__ static void bulk(long long *cycles, const char *from, uint32_t bytes,
                            size_t step, int depth) {
    extern __shared__ char buffers[];
    __shared__ uint64_t full[8];
    if (threadIdx.x) return;
    for (int k = 0; k < depth; k++) barrier_init(&full[k], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    from += blockIdx.x * (TIMES * step);
    long long begin = clock64();
    for (int i = 0; i < TIMES + depth; i++) {
        int k = i % depth, round = i / depth;
        if (i >= depth) barrier_wait(&full[k], (round - 1) & 1);
        if (i < TIMES)
            bulk_load(buffers + (size_t)k * bytes, from + i * step, bytes,
                      &full[k]);
    }
    if (!blockIdx.x) *cycles = clock64() - begin;
}

// READ: waits until the buffer has been read; else until all is written.
template <bool READ>
__global__ static void bulk_store(long long *cycles, char *to, uint32_t bytes,
                                  size_t step) {
    extern __shared__ char buffers[];
    if (threadIdx.x) return;
    long long begin = clock64();
    for (int i = 0; i < TIMES; i++) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
                     "%2;\ncp.async.bulk.commit_group;" ::"l"(to + i * step),
                     "r"(shared_address(buffers)), "r"(bytes)
                     : "memory");
        if (READ)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    *cycles = clock64() - begin;
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// cp.async: each lane 16 bytes; the warp waits for all of them each time.
__global__ static void small_copies(long long *cycles, const char *from,
                                    size_t step) {
    __shared__ uint4 buffer[1024];
    long long begin = clock64();
    for (int i = 0; i < TIMES; i++) {
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;\n"
            "cp.async.wait_all;" ::"r"(shared_address(&buffer[threadIdx.x])),
            "l"(from + i * step + threadIdx.x * 16)
            : "memory");
    }
    if (!threadIdx.x) *cycles = clock64() - begin;
}

static void copy_rows(const bench &b) {
    const char *memory = (const char *)b.memory;
    cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         160 << 10);
    for (uint32_t bytes = 16; bytes <= BUFFER; bytes *= 2) {
        row("bulk_copy_l2", bytes,
            cycles(
                b,
                [&] { bulk<<<1, 32, bytes>>>(b.cycles, memory, bytes, 0, 1); }),
            1.0 / TIMES, "cycles with mbarrier and wait; by bytes, from L2");
        row("bulk_copy_dram", bytes,
            cycles(b,
                   [&] {
                       empty_l2(b);
                       bulk<<<1, 32, bytes>>>(b.cycles, memory, bytes,
                                              256 << 10, 1);
                   }),
            1.0 / TIMES, "cycles with mbarrier and wait; by bytes, from DRAM");
    }
    for (int depth = 1; depth <= 4; depth *= 2)
        for (int blocks = 1; blocks <= b.multiprocessors;
             blocks += b.multiprocessors - 1)
            row(blocks == 1 ? "bulk_copies_in_flight"
                            : "bulk_copies_in_flight_all",
                depth,
                cycles(b,
                       [&] {
                           empty_l2(b);
                           bulk<<<blocks, 32, 4 * BUFFER>>>(b.cycles, memory,
                                                            8192, 8192, depth);
                       }),
                1.0 / TIMES,
                "cycles for each 8 KiB from DRAM; by copies in "
                "flight");
    for (uint32_t bytes = 16; bytes <= BUFFER; bytes *= 8) {
        row("bulk_store_read", bytes,
            cycles(b,
                   [&] {
                       bulk_store<true><<<1, 32, BUFFER>>>(
                           b.cycles, (char *)b.memory, bytes, BUFFER);
                   }),
            1.0 / TIMES, "cycles until the buffer is free; by bytes");
        row("bulk_store_done", bytes,
            cycles(b,
                   [&] {
                       bulk_store<false><<<1, 32, BUFFER>>>(
                           b.cycles, (char *)b.memory, bytes, BUFFER);
                   }),
            1.0 / TIMES, "cycles until it is written; by bytes");
    }
    for (int threads = 32; threads <= 1024; threads *= 4)
        row("cp_async_l2", threads,
            cycles(b,
                   [&] { small_copies<<<1, threads>>>(b.cycles, memory, 0); }),
            1.0 / TIMES, "cycles with wait; by threads with 16 bytes each");
}

// All threads of the block arrive, then wait.
__global__ static void barriers(long long *cycles) {
    __shared__ uint64_t b;
    if (!threadIdx.x) barrier_init(&b, blockDim.x);
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < TIMES; i++) {
        asm volatile(
            "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&b))
            : "memory");
        barrier_wait(&b, i & 1);
    }
    if (!threadIdx.x) *cycles = clock64() - begin;
}

__global__ static void arrivals(long long *cycles) {
    __shared__ uint64_t b;
    if (!threadIdx.x) barrier_init(&b, 1 << 19);
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < TIMES; i++)
        asm volatile(
            "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&b))
            : "memory");
    __syncthreads();
    if (!threadIdx.x) *cycles = clock64() - begin;
}

// The barrier's phase is over already: what a look at it takes.
__global__ static void looks(long long *cycles) {
    __shared__ uint64_t b;
    if (!threadIdx.x) barrier_init(&b, 1);
    __syncthreads();
    long long begin = clock64();
    for (int i = 0; i < TIMES; i++) barrier_wait(&b, 1);
    if (!threadIdx.x) *cycles = clock64() - begin;
}

__global__ static void sleeps(long long *cycles, uint32_t ns) {
    long long begin = clock64();
    for (int i = 0; i < TIMES; i++) __nanosleep(ns);
    if (!threadIdx.x) *cycles = clock64() - begin;
}

static void wait_rows(const bench &b) {
    for (int threads = 1; threads <= 1024; threads *= threads == 1 ? 32 : 2)
        row("mbarrier_arrive_and_wait", threads,
            cycles(b, [&] { barriers<<<1, threads>>>(b.cycles); }), 1.0 / TIMES,
            "cycles; by threads that arrive, each for itself");
    for (int threads = 1; threads <= 1024; threads *= 32)
        row("mbarrier_arrive", threads,
            cycles(b, [&] { arrivals<<<1, threads>>>(b.cycles); }), 1.0 / TIMES,
            "cycles; by threads that arrive, each for itself");
    row("mbarrier_look", 32, cycles(b, [&] { looks<<<1, 32>>>(b.cycles); }),
        1.0 / TIMES, "cycles; the phase is over already");
    for (int ns = 0; ns <= 20000; ns = ns ? ns < 1000 ? ns * 4 : ns * 2 : 10)
        row("nanosleep", ns,
            cycles(b, [&] { sleeps<<<1, 32>>>(b.cycles, ns); }), 1.0 / TIMES,
            "cycles; by ns asked for");
}

// The first `pollers` blocks wait for the last of the others, which read.
__global__ static void read_and_poll(const uint4 *from, size_t n,
                                     uint32_t *word, int pollers,
                                     uint32_t *out) {
    if ((int)blockIdx.x < pollers) {
        while (*(volatile uint32_t *)word < gridDim.x - pollers) {
        }
        return;
    }
    uint32_t sum = 0;
    size_t i = (blockIdx.x - pollers) * (size_t)blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)(gridDim.x - pollers) * blockDim.x) {
        uint4 v = from[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678) *out = sum;
    __syncthreads();
    if (!threadIdx.x) atomicAdd(word, 1);
}

// Every warp has 10 KiB of L2 of its own, so that L1 cannot help. Each load's
// address waits for the load before the last one.
__global__ static void own_ranges(long long *cycles, const uint32_t *from,
                                  uint32_t *out, int sectors) {
    enum { WORDS = 2560, ROUNDS = 500 };
    uint32_t lane = threadIdx.x % 32, sum = 0, y[4] = {0, 0, 0, 0};
    const uint32_t *at = from +
                         (blockIdx.x * blockDim.x + threadIdx.x) / 32 * WORDS +
                         lane % sectors * 8 + lane / sectors % 8;
    long long begin = 0;
    for (int i = 0; i < ROUNDS + 10; i++) {
        if (i == 10) {
            __syncthreads();
            begin = clock64();
        }
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(y[i & 3])
                     : "l"(at + i % 10 * 256 + y[i & 3]));
    }
    for (int k = 0; k < 4; k++) sum += y[k];
    if (sum == 7) begin = 0;
    __syncthreads();
    if (!threadIdx.x && !blockIdx.x) *cycles = clock64() - begin;
    out[threadIdx.x] = sum;
}

static void traffic_rows(const bench &b) {
    uint32_t *word = b.memory + b.bytes / 4 - 1024;
    int readers = b.multiprocessors * 4; // with pollers all are resident
    size_t n = ((size_t)256 << 20) / 16;
    for (int pollers = 0; pollers <= readers;
         pollers = pollers ? pollers * 2 : b.multiprocessors)
        for (int threads = 32; threads <= 256; threads *= 8)
            rate(threads == 32 ? "read_beside_polling_warps"
                               : "read_beside_polling_256_threads",
                 pollers,
                 events(
                     [&] {
                         cudaMemsetAsync(word, 0, 4);
                         read_and_poll<<<pollers + readers, threads>>>(
                             (const uint4 *)b.memory, n, word, pollers, b.out);
                     },
                     9),
                 n * 16 * 1e-3,
                 "GB/s of 256 MiB; by blocks that poll one word");
    for (int sectors = 4; sectors <= 32; sectors *= 2)
        for (int blocks = 1; blocks <= b.multiprocessors;
             blocks += b.multiprocessors - 1)
            row(blocks == 1 ? "l2_own_ranges_one_sm" : "l2_own_ranges_all",
                sectors,
                cycles(b,
                       [&] {
                           own_ranges<<<blocks, 1024>>>(b.cycles, b.memory,
                                                        b.out, sectors);
                       }),
                1.0 / 500 / 32,
                "cycles per warp instruction of a multiprocessor; by sectors");
}

void async_rows(const bench &b) {
    copy_rows(b);
    wait_rows(b);
    must(cudaMemset(b.memory, 0, b.bytes), "cudaMemset");
    traffic_rows(b);
}
