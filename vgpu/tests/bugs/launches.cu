/* SPDX-License-Identifier: MIT
 *
 * launches.cu: which of a kernel's launches it was, and who launched the kernel
 * of a library.
 */
//: nvcc: -g
#include "check.h"

#include <cub/device/device_reduce.cuh>

enum { N = 1000, MORE = 5000 };

__global__ void number(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i; // BUG number
}

static int *fresh(int n = N) {
    int *a;
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMemset(a, 0, n * sizeof *a));
    return a;
}

/* case: the third launch gets more elements than there are */
static int third_is_longer() {
    int *a = fresh();
    for (int k = 0; k < 3; k++) number<<<4, 256>>>(a, k == 2 ? N + 24 : N);
    return cudaDeviceSynchronize() == cudaSuccess;
}

/* case: the kernel is launched once, and another one before it */
static int once() {
    int *a = fresh();
    CHECK(cudaMemset(a, 0, N * sizeof *a));
    number<<<4, 256>>>(a, N + 24);
    return cudaDeviceSynchronize() == cudaSuccess;
}

static int sum(const int *a, int n) {
    void *scratch = nullptr;
    size_t bytes = 0;
    int *out = fresh(), result = -1;
    cub::DeviceReduce::Sum(scratch, bytes, a, out, n);
    CHECK(cudaMalloc(&scratch, bytes));
    cub::DeviceReduce::Sum(scratch, bytes, a, out, n);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    return result;
}

/* case: CUB gets more elements than there are, the second time */
static int library_reads_on() {
    sum(fresh(N + MORE), N + MORE);
    sum(fresh(), N + MORE);
    return 0;
}

/* case: CUB gets as many as there are */
static int library_is_right() {
    int *a = fresh();
    return sum(a, N) + sum(a, N / 2);
}

//: run: --check memcheck
//: case: launches-third third_is_longer
//: expect: finding out-of-bounds at number "past the end"
//: expect: says launch 3 of 3 of this kernel
//: case: launches-once once
//: expect: finding out-of-bounds at number "past the end"
//: expect: lacks of this kernel
//: case: launches-of-a-library library_reads_on
//: expect: finding out-of-bounds at - "past the end"
//: expect: says launch 2 of 2 of this kernel, launched at
//: expect: says launches.cu:46
//: case: launches-of-a-library-right library_is_right
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)();
    } cases[] = {
#define C(name) {#name, name}
        C(third_is_longer), C(once), C(library_reads_on), C(library_is_right)};
    for (auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name)) return c.run();
    return 2;
}
