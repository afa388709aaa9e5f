// SPDX-License-Identifier: MIT
//
// measure.cuh: how the constants of the clock are taken: rows of a CSV, each
// the median of several runs with the smallest and the largest beside it.
// The unit of a row says what was counted; vgpu/docs/clock.md, which rows say
// little.
#ifndef SCANLAB_TIMING_CLOCK_MEASURE_CUH
#define SCANLAB_TIMING_CLOCK_MEASURE_CUH
#include <functional>
#include <stddef.h>
#include <stdint.h>

// Where kernels leave their cycles and what they computed, on the device.
struct bench {
    long long *cycles;
    uint32_t *out;    // 1 MiB
    uint32_t *memory; // `bytes` of it, at least 1 GiB
    size_t bytes;
    uint32_t *flush; // as large as twice L2, read to empty it
    size_t flush_bytes;
    int multiprocessors;
};

// What a group of rows measures. Each file has one.
void arithmetic_rows(const bench &b);
void shared_rows(const bench &b);
void memory_rows(const bench &b);
void l2_rows(const bench &b);     // words of L2, apart
void atomic_rows(const bench &b); // and fences
void message_rows(const bench &b);
void launch_rows(const bench &b);
void pool_rows(const bench &b);
void async_rows(const bench &b);
void start_rows(const bench &b);
void cached_rows(const bench &b);  // constants, the read-only cache, one warp
void written_rows(const bench &b); // own stores, local memory

// Ends the program unless `error` is success. `what`: in the message.
void must(cudaError_t error, const char *what);

// One value of each of `runs` runs.
struct samples {
    double median, least, most;
};

// `launch` starts one kernel that leaves its cycles in b.cycles[0].
samples cycles(const bench &b, const std::function<void()> &launch,
               int runs = 9);
// Microseconds between two events around `work`, on an idle device.
samples events(const std::function<void()> &work, int runs = 21);
// Microseconds of the host's clock for `work`.
samples host(const std::function<void()> &work, int runs = 41);

// what,param,median,least,most,unit; each of the samples times `scale`.
void row(const char *what, double param, const samples &s, double scale,
         const char *unit);
// The same for a rate: amount divided by each of the samples.
void rate(const char *what, double param, const samples &s, double amount,
          const char *unit);

// Words of L2 that nobody needs take the place of all others.
void empty_l2(const bench &b);

#endif
