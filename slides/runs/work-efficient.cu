/* SPDX-License-Identifier: MIT
 *
 * work-efficient.cu: the levels of lab 2's reference for eight elements, up
 * and down.
 */
#include <work_efficient.cu>
#include "cells.h"

enum { N = 8 };

int main(void) {
    int32_t values[N] = {3, 1, 7, 0, 4, 1, 6, 3}, *tree;
    char label[32];
    cells_check(cudaMalloc(&tree, sizeof values));
    cells_check(
        cudaMemcpy(tree, values, sizeof values, cudaMemcpyHostToDevice));
    cells_row("leaves", values, N, NULL);
    for (size_t stride = 1; stride < N; stride *= 2) {
        up_sweep<<<1, N>>>(tree, N / (2 * stride), stride);
        snprintf(label, sizeof label, "stride %zu", stride);
        cells_device_row(label, tree, N, values);
    }
    printf("\\cellgap\n");
    cells_check(cudaMemset(tree + N - 1, 0, sizeof *tree));
    cells_device_row("root = 0", tree, N, values);
    for (size_t stride = N / 2; stride > 0; stride /= 2) {
        down_sweep<<<1, N>>>(tree, N / (2 * stride), stride);
        snprintf(label, sizeof label, "stride %zu", stride);
        cells_device_row(label, tree, N, values);
    }
    cells_check(cudaFree(tree));
    return 0;
}
