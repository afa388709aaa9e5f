/* SPDX-License-Identifier: MIT
 *
 * widths.cu: both engines of timing/fast on tuples of 1 to 8 and orders of
 * them, at sizes that
 * make parts of tiles of every length: a warp may have fewer columns than there
 * are slots, or none (on an H200 a slot without a column once added up what was
 * in shared memory before). For compute capability 9.0; exit status: 1 when an
 * output is wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include "scanlab.h"

#define STREAM_FROM_BYTES 1
enum { BOARD_WORDS = 1 << 16, MOST = 60000 };

#include "launch.cuh"

static uint64_t *in, *d_in, *d_out, got[MOST];

/* Sums of order Q of n elements T, which are the first of `in`. */
template <typename T, int Q, int S, bool STREAMS>
static bool try_one(size_t n, int tuple) {
    size_t wrong = 0, first = n;
    T sum[8][Q] = {};
    const T *from = (const T *)in, *to = (const T *)got;
    if (cudaMemset(d_out, 0xff, MOST * sizeof *d_out) ||
        fast_scan<orders<T, Q>, S, STREAMS>((T *)d_in, (T *)d_out, n, tuple) ||
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
    if (wrong)
        printf("n = %zu, %zu bytes, order %d, tuple %d, %s: %zu wrong, the "
               "first is %zu\n",
               n, sizeof(T), Q, tuple, STREAMS ? "streaming" : "tiles", wrong,
               first);
    return wrong == 0;
}

template <typename T, int Q> static bool try_orders(int *tried) {
    bool right = true;
    for (int tuple = 2; tuple <= 8; tuple++)
        for (size_t n = 1003; n < MOST; n = n * 2 + tuple, ++*tried)
            right &= try_one<T, Q, 0, true>(n, tuple);
    return right;
}

int main(void) {
    bool right = true;
    int tried = 0;
    in = (uint64_t *)malloc(MOST * sizeof *in);
    for (size_t i = 0; i < MOST; i++) in[i] = i * 0x9e3779b97f4a7c15 >> 7;
    if (cudaMalloc(&d_in, MOST * sizeof *in) ||
        cudaMalloc(&d_out, MOST * sizeof *in) ||
        cudaMemcpy(d_in, in, MOST * sizeof *in, cudaMemcpyHostToDevice)) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    /* teach90 has two multiprocessors: two tiles, each somewhat longer than
     * those before. */
    for (int tuple = 2; tuple <= 8; tuple++)
        for (size_t n = 1001; n < MOST / 2; n += 496 * (tuple % 2 ? 2 : 1)) {
            right &= try_one<uint32_t, 1, 0, true>(n, tuple);
            tried++;
        }
    for (int tuple = 1; tuple <= 8; tuple++)
        for (size_t n = 1; n < MOST; n = n * 3 + tuple) {
            right &= try_one<uint32_t, 1, 0, false>(n, tuple);
            right &= try_one<uint32_t, 1, 1, true>(n, 1);
            tried += 2;
        }
    right &= try_orders<uint32_t, 2>(&tried);
    right &= try_orders<uint32_t, 5>(&tried);
    right &= try_orders<uint64_t, 3>(&tried);
    right &= try_orders<uint64_t, 8>(&tried);
    printf("%d calls: %s\n", tried, right ? "all right" : "NOT all right");
    return !right;
}
