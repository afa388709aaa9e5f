/* SPDX-License-Identifier: MIT
 *
 * lookback.cu: the snapshot of paper 002, Figure 6, once tile 6 has published
 * as well, and what lab 6's reference reads from it before each tile.
 */
#include <lookback.cu>
#include "cells.h"

enum { N = 8 };

int main(void) {
    const int32_t prefix[N] = {1, 0, 0, 1, 0, 1, 0, 0};
    const int32_t values[N] = {2, 2, 2, 8, 2, 12, 2, 2};
    int32_t before[N], *d_prefix, *d_values, *d_before;
    cells_check(cudaMalloc(&d_prefix, sizeof prefix));
    cells_check(cudaMalloc(&d_values, sizeof values));
    cells_check(cudaMalloc(&d_before, sizeof before));
    cells_check(
        cudaMemcpy(d_prefix, prefix, sizeof prefix, cudaMemcpyHostToDevice));
    cells_check(
        cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
    cells_check(lookback_snapshot(d_prefix, d_values, d_before, N));
    cells_check(
        cudaMemcpy(before, d_before, sizeof before, cudaMemcpyDeviceToHost));
    printf("\\cellrow{state}{");
    for (int i = 0; i < N; i++)
        printf("%s%s", i ? "," : "", prefix[i] ? "\\hot{P}" : "A");
    printf("}{}\n");
    cells_row("value", values, N, NULL);
    cells_row("before", before, N, NULL);
    cells_check(cudaFree(d_prefix));
    cells_check(cudaFree(d_values));
    cells_check(cudaFree(d_before));
    return 0;
}
