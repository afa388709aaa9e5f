/* SPDX-License-Identifier: MIT
 *
 * linked.h: what the two halves of linked.cu know of each other.
 */
#pragma once

#include "cases.h"

extern __device__ int offset;
extern __constant__ int factor;
typedef int (*operation)(int, int);
extern __device__ operation operations[2];

__device__ int twice(int x);
__global__ void elsewhere(int *x, int new_offset);

/* Both halves have this one. */
template <class T> __device__ __noinline__ T largest(T a, T b) {
    return a < b ? b : a;
}
