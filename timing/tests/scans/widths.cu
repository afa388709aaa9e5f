/* SPDX-License-Identifier: MIT
 *
 * widths.cu: both engines of timing/fast on tuples of 1 to 8, at sizes that
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

typedef orders<uint32_t, 1> sums;

static uint32_t *in, *d_in, *d_out, got[MOST];

template <int S, bool STREAMS> static bool try_one(size_t n, int tuple) {
    size_t wrong = 0, first = n;
    uint32_t sum[8] = {};
    if (cudaMemset(d_out, 0xff, MOST * sizeof *d_out) ||
        fast_scan<sums, S, STREAMS>(d_in, d_out, n, tuple) ||
        cudaMemcpy(got, d_out, n * sizeof *got, cudaMemcpyDeviceToHost)) {
        printf("n = %zu: %s\n", n, cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        sum[i % tuple] += in[i];
        if (got[i] == sum[i % tuple]) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong)
        printf("n = %zu, tuple %d, %s: %zu wrong, the first is %zu\n", n, tuple,
               STREAMS ? "streaming" : "tiles", wrong, first);
    return wrong == 0;
}

int main(void) {
    bool right = true;
    int tried = 0;
    in = (uint32_t *)malloc(MOST * sizeof *in);
    for (size_t i = 0; i < MOST; i++) in[i] = (uint32_t)(i * 2654435761u >> 7);
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
            right &= try_one<0, true>(n, tuple);
            tried++;
        }
    for (int tuple = 1; tuple <= 8; tuple++)
        for (size_t n = 1; n < MOST; n = n * 3 + tuple) {
            right &= try_one<0, false>(n, tuple);
            right &= try_one<1, true>(n, 1);
            tried += 2;
        }
    printf("%d calls: %s\n", tried, right ? "all right" : "NOT all right");
    return !right;
}
