/* SPDX-License-Identifier: MIT
 *
 * naive.cu: the steps of lab 1's reference for eight elements, and the same
 * kernel used in place by threads that come late.
 */
#include <naive.cu>
#include "cells.h"

enum { N = 8 };

int main(void) {
    int32_t values[N] = {3, 1, 7, 0, 4, 1, 6, 3}, *src, *dst;
    cells_check(cudaMalloc(&src, sizeof values));
    cells_check(cudaMalloc(&dst, sizeof values));
    cells_check(cudaMemcpy(src, values, sizeof values, cudaMemcpyHostToDevice));
    cells_row("input", values, N, NULL);
    for (int offset = 1; offset < N; offset *= 2) {
        char label[32];
        hillis_steele_step<<<1, N>>>(src, dst, N, (size_t)offset);
        snprintf(label, sizeof label, "offset %d", offset);
        cells_device_row(label, dst, N, values);
        int32_t *swap = src;
        src = dst, dst = swap;
    }
    cells_check(cudaFree(src));
    cells_check(cudaFree(dst));
    return 0;
}
