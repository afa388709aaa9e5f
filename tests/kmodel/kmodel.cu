/* SPDX-License-Identifier: MIT
 *
 * kmodel.cu: one up-sweep of lab 3's reference, or the scan of the Connection
 * Machine (CM), on n ones. wavefronts.c runs it under vgpu and counts.
 *
 *     kmodel plain|padding|leftright|cm N BANKS
 */
#include "bank_conflicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 512, PER_THREAD = BANK_MAX_N / THREADS };

/* Hillis and Steele in shared memory, as section VII counts it: sums go to
 * registers first, and back into place when all are made. */
__global__ void cm_block(const int32_t *in, int32_t *out, unsigned n) {
    extern __shared__ int32_t a[];
    int32_t sum[PER_THREAD];
    for (unsigned i = threadIdx.x; i < n; i += THREADS) a[i] = in[i];
    for (unsigned offset = 1; offset < n; offset *= 2) {
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            unsigned i = threadIdx.x + k * THREADS;
            if (i >= offset && i < n) sum[k] = a[i] + a[i - offset];
        }
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < PER_THREAD; k++) {
            unsigned i = threadIdx.x + k * THREADS;
            if (i >= offset && i < n) a[i] = sum[k]; /* counted: CM */
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += THREADS) out[i] = a[i];
}

static cudaError_t cm_scan(const int32_t *d_in, int32_t *d_out, size_t n) {
    cm_block<<<1, THREADS, n * sizeof *d_in>>>(d_in, d_out, (unsigned)n);
    return cudaGetLastError();
}

static int map_named(const char *name) {
    static const char *const maps[] = {"plain", "padding", "leftright", "cm"};
    for (int map = 0; map < 4; map++)
        if (strcmp(name, maps[map]) == 0) return map;
    return -1;
}

static cudaError_t run(int map, size_t n, int banks, int32_t *last) {
    int32_t *d_in = NULL, *d_out = NULL, ones[BANK_MAX_N];
    for (int i = 0; i < BANK_MAX_N; i++) ones[i] = 1;
    cudaError_t status = cudaMalloc(&d_in, n * sizeof *d_in);
    if (status == cudaSuccess) status = cudaMalloc(&d_out, n * sizeof *d_in);
    if (status == cudaSuccess)
        status =
            cudaMemcpy(d_in, ones, n * sizeof *ones, cudaMemcpyHostToDevice);
    if (status == cudaSuccess)
        status = map == 3 ? cm_scan(d_in, d_out, n)
                          : bank_up_sweep(d_in, d_out, n, map, banks);
    if (status == cudaSuccess)
        status =
            cudaMemcpy(ones, d_out, n * sizeof *ones, cudaMemcpyDeviceToHost);
    *last = ones[map == BANK_MAP_LEFTRIGHT ? 0 : n - 1]; /* where the root is */
    cudaFree(d_out);
    cudaFree(d_in);
    return status;
}

int main(int argc, char **argv) {
    int map = argc == 4 ? map_named(argv[1]) : -1;
    size_t n = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    int banks = argc == 4 ? atoi(argv[3]) : 0;
    int32_t total = 0;
    if (map < 0 || n == 0 || n > BANK_MAX_N || (banks != 16 && banks != 32)) {
        fprintf(stderr, "usage: kmodel plain|padding|leftright|cm N BANKS\n");
        return 2;
    }
    cudaError_t status = run(map, n, banks, &total);
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return 1;
    }
    if (total != (int32_t)n) {
        fprintf(stderr, "the total is %d, not %zu\n", total, n);
        return 1;
    }
    return 0;
}
