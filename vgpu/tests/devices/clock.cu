// SPDX-License-Identifier: MIT
// Model time with two devices and the profile `teach`, whose links are round: a
// word 1 us one way, a load 1 us, 16 bytes a ns, a copy 2 us and 16 bytes a ns,
// an event from device to device 4 us; a launch takes the host 2 us.
#include "check.h"

#include <stdlib.h>

enum { ROUNDS = 50, WORDS = 1 << 18 };

static int *memory[2];
static cudaStream_t stream[2];
static bool wrong;

static void on(int device) { CHECK(cudaSetDevice(device)); }

static void wait_for_both() {
    for (int d = 0; d < 2; d++) {
        on(d);
        CHECK(cudaDeviceSynchronize());
    }
}

static void between(const char *what, double is, double least, double most) {
    if (is >= least && is <= most) return;
    printf("%s: %.3f, not %.3f to %.3f\n", what, is, least, most);
    wrong = true;
}

__global__ void ping(volatile int *mine, volatile int *theirs, bool first) {
    for (int r = 1; r <= ROUNDS; r++) {
        if (!first)
            while (*mine < r) {
            }
        *theirs = r;
        if (first)
            while (*mine < r) {
            }
    }
}
__global__ void chase(const volatile int *p, int times) {
    int at = 0;
    for (int k = 0; k < times; k++) at = p[at];
    if (at) __trap();
}
__global__ void read_all(const int4 *p, int *to) {
    int4 v = p[blockIdx.x * blockDim.x + threadIdx.x];
    if (v.x | v.y | v.z | v.w) *to = 1;
}
__global__ void works(long long ns) {
    long long from, to;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
    while (to - from < ns);
}

// Of all that `work` gives to the streams of both devices, us.
template <typename work> static double time_of(const work &body) {
    cudaEvent_t begin, end[2];
    float ms;
    wait_for_both();
    on(0);
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventRecord(begin, stream[0]));
    body();
    for (int d = 1; d >= 0; d--) {
        on(d);
        CHECK(cudaEventCreate(&end[d]));
        if (d == 0) CHECK(cudaStreamWaitEvent(stream[0], end[1], 0));
        CHECK(cudaEventRecord(end[d], stream[d]));
    }
    CHECK(cudaEventSynchronize(end[0]));
    CHECK(cudaEventElapsedTime(&ms, begin, end[0]));
    return ms * 1e3;
}

template <typename kernel> static void launch(int d, const kernel &k) {
    on(d);
    k(stream[d]);
    CHECK(cudaGetLastError());
}

//: what: model time of two devices: words, loads, copies, launches that overlap
//: run: --device teach-x2 --clock | --device teach-x2 --clock --check all
//: expect: prints right
int main() {
    for (int d = 0; d < 2; d++) {
        on(d);
        CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        CHECK(cudaMalloc(&memory[d], WORDS * sizeof(int)));
        CHECK(cudaMemset(memory[d], 0, WORDS * sizeof(int)));
    }
    double hop = time_of([&] {
        for (int d = 0; d < 2; d++)
            launch(d, [&](cudaStream_t s) {
                ping<<<1, 1, 0, s>>>(memory[d] + 8, memory[1 - d] + 8, d == 0);
            });
    });
    // Both ways, and 10 us of launches and events.
    between("ping", hop, 2 * ROUNDS, 2.5 * ROUNDS + 15);
    for (int far = 0; far < 2; far++) {
        double us = time_of([&] {
            launch(0, [&](cudaStream_t s) {
                chase<<<1, 1, 0, s>>>(memory[far] + 64, 100);
            });
        });
        between(far ? "load, far" : "load, near", us, far ? 100 : 20,
                far ? 130 : 60);
    }
    double rate = time_of([&] {
        launch(0, [&](cudaStream_t s) {
            read_all<<<WORDS / 4 / 256, 256, 0, s>>>((int4 *)memory[1],
                                                     memory[0]);
        });
    });
    between("read over the link", rate, 65.5, 90); // 1 MiB
    double copy = time_of([&] {
        on(0);
        CHECK(cudaMemcpyPeerAsync(memory[1], 1, memory[0], 0,
                                  WORDS * sizeof(int), stream[0]));
    });
    between("copy", copy, 67.5, 75);
    auto both = [&](bool after) {
        return time_of([&] {
            cudaEvent_t e;
            launch(0, [&](cudaStream_t s) { works<<<1, 1, 0, s>>>(50000); });
            CHECK(cudaEventCreate(&e));
            CHECK(cudaEventRecord(e, stream[0]));
            on(1);
            if (after) CHECK(cudaStreamWaitEvent(stream[1], e, 0));
            launch(1, [&](cudaStream_t s) { works<<<1, 1, 0, s>>>(50000); });
        });
    };
    between("two at the same time", both(false), 52, 65);
    between("one behind the other", both(true), 104, 120);
    wait_for_both();
    for (int d = 0; d < 2; d++) CHECK(cudaFree(memory[d]));
    printf(wrong ? "wrong\n" : "right\n");
    return wrong;
}
