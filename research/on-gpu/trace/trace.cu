/* SPDX-License-Identifier: MIT
 *
 * trace.cu: where the streaming engine's warps spend their cycles, as CSV to
 * standard output; built and run by trace.sh. For each scan: its time and
 * cudaMemcpyAsync's (us; median, least, most of 11, in turn), and of the first
 * thread of each role the cycles per tile in each of its laps (mean, least,
 * most of all blocks). The outputs are not checked: shapes.cu does that.
 */
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOARD_WORDS = 1024 * 8 * 8, TIMES = 11 };

#include "launch.cuh"

static void must(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "trace: %s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

__global__ void fill(uint32_t *a, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        a[i] = (uint32_t)(i * 2654435761u ^ i >> 13);
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static const char *const laps[CLOCK_ROLES][CLOCK_LAPS] = {
    {"ticket", "wait-empty", "bring", ""},
    {"wait-full", "sum-columns", "publish", "barrier"},
    {"wait-full", "look", "", ""},
    {"wait-full", "sum", "wait-known", "walk"},
    {"wait-scanned", "store", "", ""}};
static const char *const roles[CLOCK_ROLES] = {"producer", "reducers",
                                               "lookers", "scanners", "storer"};

static void print_clocks(const char *type, int order, int tuple) {
    static long long clocks[MOST_BLOCKS][CLOCK_ROLES][CLOCK_LAPS + 1];
    must(cudaMemcpyFromSymbol(clocks, the_clocks, sizeof clocks), "clocks");
    for (int r = 0; r < CLOCK_ROLES; r++)
        for (int lap = 0; lap < CLOCK_LAPS; lap++) {
            double sum = 0, least = 1e30, most = 0;
            int blocks = 0;
            for (int b = 0; b < MOST_BLOCKS; b++) {
                if (clocks[b][r][CLOCK_LAPS] == 0) continue;
                double mean = (double)clocks[b][r][lap] /
                              (double)clocks[b][r][CLOCK_LAPS];
                sum += mean;
                if (mean < least) least = mean;
                if (mean > most) most = mean;
                blocks++;
            }
            if (*laps[r][lap] && blocks)
                printf("%s,%d,%d,%s,%s,%.0f,%.0f,%.0f\n", type, order, tuple,
                       roles[r], laps[r][lap], sum / blocks, least, most);
        }
}

static void *in, *out;
static cudaEvent_t begin, end;

template <class A, int S>
static void trace(const char *type, size_t bytes, int order, int tuple) {
    typedef typename A::Elem T;
    static const long long none[MOST_BLOCKS][CLOCK_ROLES][CLOCK_LAPS + 1] = {};
    float scan[TIMES], copy[TIMES];
    size_t n = bytes / sizeof(T);
    must(cudaMemcpyToSymbol(the_clocks, none, sizeof none), "clocks");
    for (int i = -2; i < TIMES; i++) {
        float ms[2];
        for (int which = 0; which < 2; which++) {
            must(cudaEventRecord(begin), "record");
            if (which)
                must(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice),
                     "copy");
            else
                must((fast_scan<A, S, true>((const T *)in, (T *)out, n, tuple)),
                     "scan");
            must(cudaEventRecord(end), "record");
            must(cudaEventSynchronize(end), "wait");
            must(cudaEventElapsedTime(&ms[which], begin, end), "time");
        }
        if (i < 0) continue;
        scan[i] = ms[0];
        copy[i] = ms[1];
    }
    qsort(scan, TIMES, sizeof *scan, by_value);
    qsort(copy, TIMES, sizeof *copy, by_value);
    printf("%s,%d,%d,all,us,%.1f,%.1f,%.1f\n", type, order, tuple,
           1e3 * scan[TIMES / 2], 1e3 * scan[0], 1e3 * scan[TIMES - 1]);
    printf("%s,%d,%d,copy,us,%.1f,%.1f,%.1f\n", type, order, tuple,
           1e3 * copy[TIMES / 2], 1e3 * copy[0], 1e3 * copy[TIMES - 1]);
    print_clocks(type, order, tuple);
    fflush(stdout);
}

int main(void) {
    size_t bytes = (size_t)1 << 30;
    must(cudaMalloc(&in, bytes), "allocate");
    must(cudaMalloc(&out, bytes), "allocate");
    must(cudaEventCreate(&begin), "event");
    must(cudaEventCreate(&end), "event");
    fill<<<1024, 256>>>((uint32_t *)in, bytes / 4);
    must(cudaDeviceSynchronize(), "fill");
    puts("type,order,tuple,role,lap,mean,least,most");
    trace<orders<uint32_t, 1>, 1>("int32", bytes, 1, 1);
    trace<orders<uint32_t, 1>, 1>("int32-64MiB", (size_t)1 << 26, 1, 1);
    trace<orders<uint64_t, 1>, 1>("int64", bytes, 1, 1);
    trace<orders<uint32_t, 3>, 1>("int32", bytes, 3, 1);
    trace<orders<uint32_t, 5>, 1>("int32", bytes, 5, 1);
    trace<orders<uint32_t, 8>, 1>("int32", bytes, 8, 1);
    for (int s = 2; s <= 8; s++)
        trace<orders<uint32_t, 1>, 0>("int32", bytes, 1, s);
    for (int s = 2; s <= 8; s += 3)
        trace<orders<uint64_t, 1>, 0>("int64", bytes, 1, s);
    trace<orders<uint64_t, 8>, 1>("int64", bytes, 8, 1);
    trace<orders<uint32_t, 8>, 0>("int32", bytes, 8, 8);
    trace<orders<uint64_t, 8>, 0>("int64", bytes, 8, 8);
    return 0;
}
