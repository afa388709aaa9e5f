// SPDX-License-Identifier: MIT
//
// measure.cu: medians, clocks and rows (measure.cuh), and the program:
//
//   clock [GROUP...]     GROUP: arithmetic, shared, memory, l2, atomics,
//                        messages, launches, pool, async, starts,
//                        cached
//
// Rows of a CSV to standard output. Exit status: 0; 2: no card, or a call
// failed.
#include <algorithm>
#include <chrono>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "measure.cuh"

void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "clock: %s: %s\n", what, cudaGetErrorString(error));
    exit(2);
}

static samples summary(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front(), values.back()};
}

samples cycles(const bench &b, const std::function<void()> &launch, int runs) {
    std::vector<double> seen;
    launch(); // instructions are fetched for the first time
    for (int i = 0; i < runs; i++) {
        long long count = 0;
        launch();
        must(cudaMemcpy(&count, b.cycles, sizeof count, cudaMemcpyDeviceToHost),
             "a kernel");
        seen.push_back((double)count);
    }
    return summary(seen);
}

samples events(const std::function<void()> &work, int runs) {
    cudaEvent_t begin, end;
    std::vector<double> seen;
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
    work();
    must(cudaDeviceSynchronize(), "warming up");
    for (int i = 0; i < runs; i++) {
        float milliseconds = 0;
        must(cudaEventRecord(begin), "cudaEventRecord");
        work();
        must(cudaEventRecord(end), "cudaEventRecord");
        must(cudaEventSynchronize(end), "timed work");
        must(cudaEventElapsedTime(&milliseconds, begin, end),
             "cudaEventElapsedTime");
        seen.push_back(milliseconds * 1e3);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return summary(seen);
}

samples host(const std::function<void()> &work, int runs) {
    std::vector<double> seen;
    work();
    for (int i = 0; i < runs; i++) {
        auto begin = std::chrono::steady_clock::now();
        work();
        std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - begin;
        seen.push_back(took.count());
    }
    must(cudaDeviceSynchronize(), "timed work");
    return summary(seen);
}

static void line(const char *what, double param, double median, double least,
                 double most, const char *unit) {
    printf("%s,%.10g,%.5g,%.5g,%.5g,%s\n", what, param, median, least, most,
           unit);
    fflush(stdout);
}

void row(const char *what, double param, const samples &s, double scale,
         const char *unit) {
    line(what, param, s.median * scale, s.least * scale, s.most * scale, unit);
}

void rate(const char *what, double param, const samples &s, double amount,
          const char *unit) {
    line(what, param, amount / s.median, amount / s.most, amount / s.least,
         unit);
}

__global__ static void read_all(const uint32_t *from, size_t n, uint32_t *out) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) sum += from[i];
    if (sum == 0x1234567) *out = sum;
}

void empty_l2(const bench &b) {
    read_all<<<b.multiprocessors * 8, 256>>>(b.flush, b.flush_bytes / 4, b.out);
}

static const struct {
    const char *name;
    void (*rows)(const bench &);
} groups[] = {{"arithmetic", arithmetic_rows}, {"shared", shared_rows},
              {"memory", memory_rows},         {"l2", l2_rows},
              {"atomics", atomic_rows},        {"messages", message_rows},
              {"launches", launch_rows},       {"pool", pool_rows},
              {"async", async_rows},           {"starts", start_rows},
              {"cached", cached_rows},         {"written", written_rows}};

static bool wanted(const char *name, int n, char **names) {
    for (int i = 1; i < n; i++)
        if (!strcmp(name, names[i])) return true;
    return n < 2;
}

int main(int n, char **names) {
    cudaDeviceProp card;
    bench b = {};
    int khz = 0, driver = 0;
    must(cudaGetDeviceProperties(&card, 0), "no card");
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    cudaDriverGetVersion(&driver);
    printf("# %s, %d multiprocessors, %d MHz, L2 %d MiB, driver %d, CUDA %d\n",
           card.name, card.multiProcessorCount, khz / 1000,
           card.l2CacheSize >> 20, driver, CUDART_VERSION);
    printf("what,param,median,least,most,unit\n");
    b.multiprocessors = card.multiProcessorCount;
    b.bytes = (size_t)2 << 30;
    b.flush_bytes = (size_t)card.l2CacheSize * 2;
    must(cudaMalloc(&b.cycles, 64), "cudaMalloc");
    must(cudaMalloc(&b.out, 1 << 20), "cudaMalloc");
    must(cudaMalloc(&b.memory, b.bytes), "cudaMalloc");
    must(cudaMalloc(&b.flush, b.flush_bytes), "cudaMalloc");
    must(cudaMemset(b.memory, 0, b.bytes), "cudaMemset");
    must(cudaMemset(b.flush, 0, b.flush_bytes), "cudaMemset");
    for (const auto &group : groups)
        if (wanted(group.name, n, names)) group.rows(b);
    must(cudaDeviceSynchronize(), "the last kernel");
    return 0;
}
