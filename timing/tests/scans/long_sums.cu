/* SPDX-License-Identifier: MIT
 *
 * long_sums.cu: sums of groups of tiles (timing/fast/groups.cuh), on a board so
 * small that a call goes around it several times, and calls that follow each
 * other on it. For compute capability 9.0; exit status: 1 when an output is
 * wrong.
 *
 *   long_sums [MOST]   up to so many elements of 64 bits, twice as many of 32
 */
#include <stdio.h>
#include <stdlib.h>

#include "scanlab.h"

#define STREAM_FROM_BYTES         1
#define SHAPE_GROUPS_FROM         4
#define SHAPE_LONG_SLOTS_BYTES_32 4
#define SHAPE_LONG_SLOTS_BYTES_64 4
#define SHAPE_LONG_SLOTS_FROM_32  4
#define SHAPE_LONG_SLOTS_FROM_64  4
#define SHAPE_SMALL_GROUPS_FROM   16
/* Tiles of order 8, tuple 8, 64 bits, that there is room for. 64: four groups,
 * and small tiles, for a device of two multiprocessors. */
#ifndef PLACES
#define PLACES               64
#define SHAPE_HEAVY_ITEMS_32 15
#define SHAPE_HEAVY_ITEMS_64 7
#define SHAPE_LONG_ITEMS_32  15
#define SHAPE_LONG_ITEMS_64  7
#define SHAPE_HEAVY_SCANNERS 64
#define SHAPE_LONG_SCANNERS  64
#define SHAPE_SLOTS_SCANNERS 64
#define SHAPE_SLOTS_ITEMS_32 7
#define SHAPE_SLOTS_ITEMS_64 7
#endif
enum { BOARD_WORDS = PLACES * 8 * 6 * 2 };

#include "launch.cuh"

static uint64_t *in, *got, *d_in, *d_out;
static size_t most;

/* Sums of order Q of n elements T, which are the first of `in`. */
template <typename T, int Q> static bool try_one(size_t n, int tuple) {
    typedef stream_shape<orders<T, Q>, 0, LONG_SLOTS> shape;
    static_assert((bool)shape::GROUPS, "sums of groups");
    size_t wrong = 0, first = n;
    T sum[8][Q] = {};
    const T *from = (const T *)in, *to = (const T *)got;
    if (cudaMemset(d_out, 0xff, most * sizeof *d_out) ||
        fast_scan<orders<T, Q>, 0, true>((T *)d_in, (T *)d_out, n, tuple) ||
        cudaMemcpy(got, d_out, n * sizeof(T), cudaMemcpyDeviceToHost)) {
        printf("n = %zu: %s\n", n, cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        T *of = sum[i % tuple];
        of[0] += from[i];
        for (int d = 1; d < Q; d++) of[d] += of[d - 1];
        if (to[i] == of[Q - 1]) continue;
        if (wrong++ == 0) first = i;
    }
    printf("%zu bytes, order %d, tuple %d, n = %zu: ", sizeof(T), Q, tuple, n);
    if (wrong)
        printf("%zu wrong, the first is %zu\n", wrong, first);
    else
        printf("right\n");
    return wrong == 0;
}

template <typename T> static bool try_type(void) {
    size_t n = most * sizeof *in / sizeof(T);
    bool right =
        try_one<T, 8>(n, 8) & try_one<T, 8>(n / 2, 3) & try_one<T, 8>(n - 5, 1);
    if (PLACES > 64) return right; /* takes long enough */
    return right & try_one<T, 2>(n, 8) & try_one<T, 5>(n / 2, 5) &
           try_one<T, 8>(n / 3, 2) & try_one<T, 1>(n, 7) &
           try_one<T, 8>(n - 1, 8);
}

int main(int argc, char **argv) {
    typedef stream_engine<orders<uint64_t, 8>, 0, LONG_SLOTS> engine;
    most = (size_t)3 * PLACES * engine::SCANNERS * engine::ITEMS + 77;
    if (argc > 1) most = (size_t)atol(argv[1]);
    in = (uint64_t *)malloc(most * sizeof *in);
    got = (uint64_t *)malloc(most * sizeof *got);
    for (size_t i = 0; i < most; i++) in[i] = i * 0x9e3779b97f4a7c15 >> 7;
    if (cudaMalloc(&d_in, most * sizeof *in) ||
        cudaMalloc(&d_out, most * sizeof *in) ||
        cudaMemcpy(d_in, in, most * sizeof *in, cudaMemcpyHostToDevice)) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    bool right = try_type<uint64_t>();
    right &= try_type<uint32_t>();
    printf("%s\n", right ? "all right" : "NOT all right");
    return !right;
}
