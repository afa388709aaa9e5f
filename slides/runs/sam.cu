/* SPDX-License-Identifier: MIT
 *
 * sam.cu: the example of lab 7's thesis, encoded and decoded by the reference,
 * and a signal of two channels as pairs.
 */
#include <sam.cu>
#include "cells.h"

enum { N = 10 };

typedef cudaError_t transform(const int32_t *, int32_t *, size_t, int, int);

static void row(const char *label, transform *t, const int32_t *from,
                int32_t *to, int order, int tuple) {
    int32_t *d_from, *d_to;
    size_t bytes = N * sizeof *from;
    cells_check(cudaMalloc(&d_from, bytes));
    cells_check(cudaMalloc(&d_to, bytes));
    cells_check(cudaMemcpy(d_from, from, bytes, cudaMemcpyHostToDevice));
    cells_check(t(d_from, d_to, N, order, tuple));
    cells_check(cudaMemcpy(to, d_to, bytes, cudaMemcpyDeviceToHost));
    cells_row(label, to, N, NULL);
    cells_check(cudaFree(d_from));
    cells_check(cudaFree(d_to));
}

int main(void) {
    const int32_t values[N] = {1, 2, 3, 4, 5, 2, 4, 6, 8, 10};
    const int32_t pairs[N] = {1, 50, 2, 52, 3, 54, 4, 56, 5, 58};
    const int32_t impulse[N] = {1};
    int32_t one[N], two[N], back[N];
    printf("\\cellrun{encode}{%%\n");
    cells_row("values", values, N, NULL);
    row("order 1", sam_encode_i32, values, one, 1, 1);
    row("order 2", sam_encode_i32, values, two, 2, 1);
    printf("}\n\\cellrun{decode}{%%\n");
    cells_row("order 2", two, N, NULL);
    row("scan", sam_scan_i32, two, one, 1, 1);
    row("scan of it", sam_scan_i32, one, back, 1, 1);
    printf("}\n\\cellrun{pairs}{%%\n");
    cells_row("values", pairs, N, NULL);
    row("tuple 1", sam_encode_i32, pairs, one, 1, 1);
    row("tuple 2", sam_encode_i32, pairs, two, 1, 2);
    row("decoded", sam_scan_i32, two, back, 1, 2);
    printf("}\n\\cellrun{impulse}{%%\n");
    cells_row("in", impulse, N, NULL);
    row("order 1", sam_scan_i32, impulse, one, 1, 1);
    row("order 2", sam_scan_i32, impulse, one, 2, 1);
    row("order 3", sam_scan_i32, impulse, one, 3, 1);
    printf("}\n");
    return 0;
}
