// SPDX-License-Identifier: MIT
//
// across.cu: times of scans across devices, on GPUs and on virtual ones, to
// compare the two (vgpu/docs/clock.md): lab 9's functions and the fast scans of
// timing/fast/devices.cuh.
//
//   across RUNS [MOST_LAB MOST_FAST]     elements on each device, at most
//
// A row: from an event of device 0 before the calls to one behind the ends of
// all devices. Every result is checked. Exit status 1: one was wrong.
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum { BOARD_WORDS = 1 << 21 };

#include "devices.cuh"
#include "many_gpus.h"

enum { MOST = 4, ROOM_LETTERS = 1 << 13 };
typedef orders<uint32_t, 1> sums;

static int g, wrong;
static int32_t *in[MOST], *out[MOST];
static cudaStream_t stream[MOST];
static cudaEvent_t begin, end[MOST], last;
static several s;

static void must(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "across:%d: %s\n", line, cudaGetErrorString(e));
    exit(2);
}
#define MUST(...) must((__VA_ARGS__), __LINE__)

static int32_t element(size_t k) {
    return (int32_t)((uint32_t)k * 2654435761u >> 20);
}

static void fill(size_t n) {
    std::vector<int32_t> part(n);
    for (int d = 0; d < g; d++) {
        for (size_t k = 0; k < n; k++) part[k] = element(d * n + k);
        MUST(cudaSetDevice(d));
        MUST(cudaMemcpy(in[d], part.data(), n * 4, cudaMemcpyHostToDevice));
        MUST(cudaMemset(out[d], 0x5a, n * 4));
    }
}

// chunk: of the dealt layout; 0: parts.
static void check(const char *who, size_t n, size_t chunk) {
    std::vector<std::vector<int32_t>> is(g, std::vector<int32_t>(n));
    std::vector<uint32_t> at(g, 0);
    for (int d = 0; d < g; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaMemcpy(is[d].data(), out[d], n * 4, cudaMemcpyDeviceToHost));
    }
    uint32_t sum = 0;
    size_t bad = 0, step = chunk ? chunk : n;
    for (size_t first = 0; first < n; first += step)
        for (int d = 0; d < g; d++)
            for (size_t k = first; k < first + step && k < n; k++) {
                sum += (uint32_t)element(d * n + k);
                bad += (uint32_t)is[d][k] != sum;
            }
    if (!bad) return;
    wrong = 1;
    printf("# wrong: %s on %d, %zu: %zu\n", who, g, n, bad);
}

// All of one call: the device's events stand before and behind it.
template <typename work>
static double time_of(bool synchronous, const work &body) {
    for (int d = 0; d < g; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaDeviceSynchronize());
    }
    MUST(cudaSetDevice(0));
    MUST(cudaEventRecord(begin, stream[0]));
    body();
    for (int d = 1; d < g && !synchronous; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaEventRecord(end[d], stream[d]));
    }
    MUST(cudaSetDevice(0));
    for (int d = 1; d < g && !synchronous; d++)
        MUST(cudaStreamWaitEvent(stream[0], end[d], 0));
    MUST(cudaEventRecord(last, stream[0]));
    MUST(cudaEventSynchronize(last));
    float ms;
    MUST(cudaEventElapsedTime(&ms, begin, last));
    return ms * 1e3;
}

template <typename work>
static void row(const char *who, size_t n, int runs, size_t chunk,
                bool synchronous, bool scans, const work &body) {
    std::vector<double> us;
    fill(n);
    if (runs > 1) time_of(synchronous, body);
    for (int r = 0; r < runs; r++) us.push_back(time_of(synchronous, body));
    if (scans) check(who, n, chunk);
    std::sort(us.begin(), us.end());
    printf("%s,%d,%zu,%.3f,%.3f,%.3f\n", who, g, n, us[us.size() / 2], us[0],
           us.back());
    fflush(stdout);
}

typedef cudaError_t lab_function(const int32_t *const[], int32_t *const[],
                                 const size_t[], int);

static void lab_rows(size_t n, int runs) {
    struct {
        const char *who;
        lab_function *call;
    } all[] = {{"lab/host", many_gpus_host},
               {"lab/peer", many_gpus_peer},
               {"lab/chain", many_gpus_chain},
               {"lab/lookback", many_gpus_lookback}};
    size_t each[MOST];
    for (int d = 0; d < g; d++) each[d] = n;
    for (auto &is : all)
        row(is.who, n, runs, 0, true, true,
            [&] { MUST(is.call(in, out, each, g)); });
}

static void fast_rows(size_t n, int runs) {
    size_t each[MOST], chunk = 32 * dealt_tile<sums>();
    for (int d = 0; d < g; d++) each[d] = n;
    s.devices = g, s.chunk = 32;
    auto scan = [&](enum layout l) {
        MUST((
            scan_across<sums>(&s, l, (uint32_t **)in, (uint32_t **)out, each)));
    };
    row("copy", n, runs, 0, false, false, [&] {
        for (int d = 0; d < g; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaMemcpyAsync(out[d], in[d], n * 4, cudaMemcpyDeviceToDevice,
                                 stream[d]));
        }
    });
    row("copy/peer", n, runs, 0, false, false, [&] {
        MUST(cudaSetDevice(0));
        if (g > 1)
            MUST(cudaMemcpyPeerAsync(out[1], 1, in[0], 0, n * 4, stream[0]));
    });
    row("fast/parts", n, runs, 0, false, true, [&] { scan(PARTS); });
    row("fast/chain", n, runs, 0, false, true, [&] { scan(CHAIN); });
    row("fast/dealt", n, runs, chunk, false, true, [&] { scan(DEALT); });
}

static void open_devices(size_t most) {
    int found = 0;
    MUST(cudaGetDeviceCount(&found));
    if (found < g) g = found;
    MUST(cudaDeviceGetAttribute(&s.processors, cudaDevAttrMultiProcessorCount,
                                0));
    s.letters = ROOM_LETTERS;
    for (int d = 0; d < g; d++) {
        size_t bytes =
            (size_t)s.letters * MOST_DEVICES * 2 * sizeof(letter_word);
        MUST(cudaSetDevice(d));
        for (int e = 0; e < g; e++)
            if (e != d) MUST(cudaDeviceEnablePeerAccess(e, 0));
        MUST(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        MUST(cudaEventCreate(&end[d]));
        MUST(cudaMalloc((void **)&in[d], most * 4));
        MUST(cudaMalloc((void **)&out[d], most * 4));
        MUST(cudaMalloc((void **)&s.inbox[d], bytes));
        MUST(cudaMemset(s.inbox[d], 0, bytes));
        MUST(prepare_part_kernels<sums>());
        s.stream[d] = stream[d];
    }
    MUST(cudaSetDevice(0));
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&last));
}

int main(int argc, char **argv) {
    int runs = argc > 1 ? atoi(argv[1]) : 11, found;
    size_t lab = argc > 3 ? strtoull(argv[2], NULL, 10) : 1 << 18;
    size_t fast = argc > 3 ? strtoull(argv[3], NULL, 10) : 1 << 24;
    g = MOST;
    open_devices(std::max(lab, fast));
    found = g;
    printf("who,devices,n_each,median_us,min_us,max_us\n");
    for (g = 1; g <= found; g *= 2) {
        for (size_t n = 1024; n <= lab; n *= 4) lab_rows(n, runs);
        for (size_t n = 4096; n <= fast; n *= 4) fast_rows(n, runs);
    }
    return wrong;
}
