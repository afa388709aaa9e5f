/* SPDX-License-Identifier: MIT
 *
 * labs.cu: calls the reference solutions at the sizes named as arguments, for
 * the comparison of counts. Before a size an empty kernel is launched, so that
 * a list of launches tells which size each belongs to. Link it with
 * reference/naive.cu and reference/work_efficient.cu, -DSOLUTION.
 */
#include <stdio.h>
#include <stdlib.h>

#include "naive.h"
#include "work_efficient.h"

/* The grid is the number of the size, from 1. */
extern "C" __global__ void next_size(void) {
}

static void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "labs: %s\n", cudaGetErrorString(status));
    exit(1);
}

static void run(size_t n) {
    int32_t *d_in = NULL, *d_out = NULL;
    check(cudaMalloc(&d_in, n * sizeof *d_in));
    check(cudaMalloc(&d_out, n * sizeof *d_out));
    check(cudaMemset(d_in, 1, n * sizeof *d_in));
    check(naive_inclusive_scan(d_in, d_out, n));
    check(naive_exclusive_scan(d_in, d_out, n));
    check(work_efficient_exclusive_scan(d_in, d_out, n));
    check(work_efficient_inclusive_scan(d_in, d_out, n));
    check(cudaDeviceSynchronize());
    check(cudaFree(d_in));
    check(cudaFree(d_out));
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        next_size<<<i, 1>>>();
        check(cudaGetLastError());
        run((size_t)strtoull(argv[i], NULL, 10));
    }
    return 0;
}
