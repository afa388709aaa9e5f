/* SPDX-License-Identifier: MIT
 *
 * many_groups.cu: timing/fast at sizes where a block has more groups of tiles
 * before it than the labs' small devices ever have: to be run on a device with
 * many multiprocessors, compiled with SHAPE_FEW_TILES=4. Exit status: 1 when an
 * output is wrong.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lookback.h"

static int try_one(size_t n) {
    int32_t *in = (int32_t *)malloc(n * sizeof *in), *d_in, *d_out;
    int32_t *got = (int32_t *)malloc(n * sizeof *got);
    size_t wrong = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) in[i] = (int32_t)(i * 2654435761u >> 7);
    if (cudaMalloc(&d_in, n * sizeof *in) ||
        cudaMalloc(&d_out, n * sizeof *in) ||
        cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice) ||
        lookback_scan_i32(d_in, d_out, n, 0) ||
        cudaMemcpy(got, d_out, n * sizeof *in, cudaMemcpyDeviceToHost)) {
        printf("n = %zu: %s\n", n, cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)in[i];
        wrong += (uint32_t)got[i] != sum;
    }
    printf("n = %zu: %zu wrong\n", n, wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(got);
    return wrong != 0;
}

int main(void) {
    /* Small tiles: 147, 586. Long ones: 379, 529. */
    return try_one(1 << 18) + try_one(1 << 20) + try_one(3000017) +
                   try_one(1 << 22)
               ? 1
               : 0;
}
