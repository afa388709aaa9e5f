/* SPDX-License-Identifier: MIT
 *
 * linked_part.cu: the other half of linked.cu.
 */
#include "linked.h"

__device__ int offset = 5;
__constant__ int factor;
static __device__ int hidden = 2;

static __device__ int plus(int a, int b) {
    return a + b;
}
static __device__ int times(int a, int b) {
    return a * b;
}
__device__ operation operations[2] = {plus, times};

__device__ int twice(int x) {
    return 2 * x;
}

__global__ void elsewhere(int *x, int new_offset) {
    x[threadIdx.x] += 1000 + largest(hidden, 0);
    if (threadIdx.x == 0) {
        offset = new_offset;
        printf("elsewhere %d\n", hidden);
    }
}
