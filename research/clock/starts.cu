// SPDX-License-Identifier: MIT
//
// starts.cu: what a kernel takes before its first instruction, when L2 has its
// code and when other data have taken its place; and when the host is ahead.
#include "measure.cuh"

__global__ static void nothing(uint32_t *never) {
    if (never) *never = 1;
}

// As most kernels: arguments, an address, a load, a store.
__global__ static void small(const uint32_t *from, uint32_t *to, uint32_t add,
                             uint32_t n) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + add;
}

__global__ static void spin(long long cycles, uint32_t *never) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    if (never) *never = 1;
}

// N instructions one behind the other, 16 bytes each.
template <int N>
__global__ static void straight(long long *cycles, float *out, float by) {
    float x[4] = {by, by + 1, by + 2, by + 3};
    long long begin = clock64();
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 4]) : "f"(by));
    if (!threadIdx.x && !blockIdx.x) *cycles = clock64() - begin;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

static samples cold(const bench &b, const std::function<void()> &work) {
    double least = 1e30, most = 0;
    double seen[15];
    for (double &one : seen) {
        empty_l2(b);
        must(cudaDeviceSynchronize(), "emptying L2");
        cudaEvent_t begin, end;
        float ms = 0;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        cudaEventRecord(begin);
        work();
        cudaEventRecord(end);
        must(cudaEventSynchronize(end), "timed work");
        cudaEventElapsedTime(&ms, begin, end);
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
        one = ms * 1e3;
    }
    for (int i = 0; i < 15; i++) // insertion sort
        for (int k = i; k && seen[k - 1] > seen[k]; k--) {
            double t = seen[k];
            seen[k] = seen[k - 1];
            seen[k - 1] = t;
        }
    least = seen[0], most = seen[14];
    return {seen[7], least, most};
}

static void both(const bench &b, const char *what, const char *cold_what,
                 double param, const std::function<void()> &work,
                 const char *unit) {
    row(what, param, events(work), 1, unit);
    row(cold_what, param, cold(b, work), 1, unit);
}

template <int N> static void code(const bench &b) {
    for (int blocks = 1; blocks <= b.multiprocessors;
         blocks += b.multiprocessors - 1) {
        both(
            b, blocks == 1 ? "code_one_block" : "code_all",
            blocks == 1 ? "cold_code_one_block" : "cold_code_all", N,
            [&] {
                straight<N><<<blocks, 32>>>(b.cycles, (float *)b.out, 0.5f);
            },
            "us; by instructions in a straight line");
        if (blocks > 1) continue;
        row("code_cycles", N,
            cycles(b,
                   [&] {
                       straight<N><<<1, 32>>>(b.cycles, (float *)b.out, 0.5f);
                   }),
            1, "cycles; by instructions in a straight line");
        row("cold_code_cycles", N,
            cycles(b,
                   [&] {
                       empty_l2(b);
                       straight<N><<<1, 32>>>(b.cycles, (float *)b.out, 0.5f);
                   }),
            1, "cycles; by instructions in a straight line");
    }
}

// Behind a kernel of 300 us the host is ahead: the device's own rate.
static void queued(const bench &b, const char *what,
                   const std::function<void()> &one) {
    for (int n = 16; n <= 64; n *= 4)
        row(what, n, events([&] {
                spin<<<1, 32>>>(594000, nullptr);
                for (int k = 0; k < n; k++) one();
            }),
            1, "us in all; by launches behind a kernel of 594000 cycles");
}

void start_rows(const bench &b) {
    uint32_t *from = b.memory, *to = b.memory + (1 << 20);
    both(
        b, "start_nothing", "cold_start_nothing", 1,
        [] { nothing<<<1, 32>>>(nullptr); }, "us; a kernel that does nothing");
    both(
        b, "start_events", "cold_start_events", 0, [] {}, "us; no kernel");
    for (uint32_t n = 32; n <= 1 << 18; n *= 16)
        both(
            b, "start_small", "cold_start_small", n,
            [&] { small<<<(n + 255) / 256, 256>>>(from, to, 1, n); },
            "us; a kernel that adds to a word, by threads");
    for (int k = 4; k <= 64; k *= 4)
        row("small_in_a_row", k, events([&] {
                for (int i = 0; i < k; i++) small<<<1, 32>>>(from, to, 1, 32);
            }),
            1, "us in all; by launches");
    row("host_small_in_a_row", 16, host([&] {
            for (int i = 0; i < 16; i++) small<<<1, 32>>>(from, to, 1, 32);
        }),
        1, "us of the host in all");
    row("memset_small", 4096,
        cold(b,
             [&] {
                 cudaMemsetAsync(to, 0, 4096);
                 small<<<1, 32>>>(from, to, 1, 32);
             }),
        1, "us; memset of 4096 bytes, then a small kernel; cold");
    code<64>(b), code<256>(b), code<1024>(b), code<4096>(b);
    queued(b, "queued_nothing", [] { nothing<<<1, 32>>>(nullptr); });
    queued(b, "queued_small", [&] { small<<<1, 32>>>(from, to, 1, 32); });
    queued(b, "queued_all",
           [&] { small<<<b.multiprocessors, 1024>>>(from, to, 1, 1 << 17); });
    queued(b, "queued_memset", [&] { cudaMemsetAsync(to, 0, 4096); });
}
