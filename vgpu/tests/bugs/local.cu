/* SPDX-License-Identifier: MIT
 *
 * local.cu: arrays that each thread has for itself, of which a part was never
 * written; and right programs that keep more there than they read.
 */
//: run: --check all
#include "check.h"

#include <stdio.h>
#include <string.h>

struct ahead {
    int n;
    double value;
};

/* The first n elements are written, and element i + n is read. */
__global__ void half(int *to, int n) {
    int a[8];
    for (int i = 0; i < n; i++) a[i] = i;
    to[threadIdx.x] = a[(threadIdx.x + n) & 7] + 1; // BUG half
}

/* The same, and nothing is done with it but to store it: an element, and no
 * part of a struct that is copied. */
__global__ void stored(int *to, int n) {
    int a[8];
    for (int i = 0; i < n; i++) a[i] = i;
    to[threadIdx.x] = a[(threadIdx.x + n) & 7]; // BUG stored
}

__global__ void whole(int *to, int n) {
    int a[8];
    for (int i = 0; i < n; i++) a[i] = i;
    to[threadIdx.x] = a[threadIdx.x & (n - 1)];
}

/* A window of which only the part that was filled is read. */
__global__ void window(int *to, int n) {
    int a[16], filled = 0;
    for (int i = threadIdx.x & 3; i < n; i += 2) a[filled++ & 15] = i;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        if (i < filled) sum += a[i];
    to[threadIdx.x] = sum;
}

/* Copies of whole structs take along the words between their members. */
__global__ void structs(ahead *to, int n) {
    ahead a[4], b[4];
    for (int i = 0; i < n; i++) a[i].n = i, a[i].value = i;
    for (int i = 0; i < n; i++) b[n - 1 - i] = a[i];
    to[threadIdx.x] = b[threadIdx.x & (n - 1)];
}

/* Each call has an array of its own in memory that calls before it have used.
 */
__device__ __noinline__ int sum_of(int depth, int n) {
    int a[4];
    for (int i = 0; i < n; i++) a[i] = depth + i;
    int rest = depth ? sum_of(depth - 1, n) : 0;
    return rest + a[depth & (n - 1)];
}

__global__ void calls(int *to, int n) {
    to[threadIdx.x] = sum_of(3, n) + sum_of(1, n);
}

__global__ void prints(int *to, int n) {
    if (threadIdx.x == 0) printf("%d %s %g\n", n, "elements", 0.5);
    to[threadIdx.x] = n;
}

/* By pointers, so that the compiler cannot tell which space they are in. */
__device__ __noinline__ int read_at(const int *from, int i) {
    return from[i] + 1; // BUG far
}

__global__ void far(int *to, int n) {
    int a[8];
    for (int i = 0; i < n; i++) a[i] = i;
    to[threadIdx.x] = read_at(n ? a : to, threadIdx.x & 7);
}

/* A block's threads find nothing that those of a block before it wrote. */
__global__ void blocks(int *to, int n) {
    int a[8];
    for (int i = 0; i < (blockIdx.x ? 1 : n); i++) a[i] = i;
    to[blockIdx.x * blockDim.x + threadIdx.x] =
        a[threadIdx.x & (n - 1)] + 1; // BUG blocks
}

/* The bytes of a word one by one, and as a whole. */
__global__ void pieces(int *to, int n) {
    int a[4];
    for (int i = 0; i < 4 * n; i++) ((char *)a)[i] = (char)i;
    to[threadIdx.x] = a[threadIdx.x & (n - 1)];
}

int main(int argc, char **argv) {
    int *to;
    CHECK(cudaMalloc(&to, 1 << 16));
    CHECK(cudaMemset(to, 0, 1 << 16));
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "half")) half<<<1, 32>>>(to, 4);
    if (!strcmp(what, "stored")) stored<<<1, 32>>>(to, 4);
    if (!strcmp(what, "whole")) whole<<<1, 32>>>(to, 8);
    if (!strcmp(what, "window")) window<<<1, 32>>>(to, 12);
    if (!strcmp(what, "structs")) structs<<<1, 32>>>((ahead *)to, 4);
    if (!strcmp(what, "calls")) calls<<<1, 32>>>(to, 4);
    if (!strcmp(what, "prints")) prints<<<1, 32>>>(to, 4);
    if (!strcmp(what, "far")) far<<<1, 32>>>(to, 4);
    if (!strcmp(what, "near")) far<<<1, 32>>>(to, 8);
    if (!strcmp(what, "blocks")) blocks<<<400, 32>>>(to, 4);
    if (!strcmp(what, "pieces")) pieces<<<1, 32>>>(to, 4);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(to));
    return 0;
}

//: case: local-half-written half
//: expect: finding uninitialised-read at half "read of 4 bytes that nothing has written: byte 16 of the thread's local memory"
//: case: local-stored stored
//: expect: finding uninitialised-read at stored "byte 16 of the thread's local memory"
//: case: local-whole whole
//: case: local-window window
//: case: local-structs structs
//: case: local-calls calls
//: case: local-prints prints
//: case: local-far far
//: expect: finding uninitialised-read at far "read of 4 bytes that nothing has written"
//: case: local-near near
//: case: local-after-another-block blocks
//: expect: finding uninitialised-read at blocks "read of 4 bytes that nothing has written"
//: case: local-pieces pieces
