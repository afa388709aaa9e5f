/* SPDX-License-Identifier: MIT
 *
 * stack.cu: arrays whose length is known when the kernel runs (alloca), in
 * kernels, in functions that call themselves, different in every thread.
 */
//: run: --check all | --check all --schedule random:5
#include "cases.h"

#include <alloca.h>

enum { BLOCKS = 4, THREADS = 96, N = BLOCKS * THREADS };

/* The sum of 1 .. n, each depth with an array of its own below it. */
__device__ __noinline__ int sum_to(int n) {
    int *mine = (int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++) mine[i] = n;
    int below = n > 1 ? sum_to(n - 1) : 0;
    int sum = 0;
    for (int i = 0; i < n; i++) sum += mine[(i * 5 + 3) % n];
    return below + sum / n;
}

__global__ void sums(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = i % 13 + 1;
    int *own = (int *)alloca(n * sizeof(int));
    for (int k = 0; k < n; k++) own[k] = k * i;
    int sum = sum_to(n);
    for (int k = 0; k < n; k++) sum += own[k] - k * i;
    out[i] = sum;
}

CASE(alloca) {
    int *d, h[N];
    bool ok = true;
    CHECK(cudaMalloc(&d, sizeof h));
    sums<<<BLOCKS, THREADS>>>(d);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        int n = i % 13 + 1;
        ok &= h[i] == n * (n + 1) / 2;
    }
    CHECK(cudaFree(d));
    return ok;
}

//: case: stack-alloca alloca
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
