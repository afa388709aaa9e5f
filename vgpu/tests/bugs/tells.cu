/* SPDX-License-Identifier: MIT
 *
 * tells.cu: words by which threads tell each other something, and indices that
 * wrap: what is said names the access, the fence or the product.
 */
//: run: --check all | --check all --schedule random:SEED
#include "check.h"

__device__ int flag, data, seen, mutex, counts[2], word;

/* case: fences on both sides, but the flag is stored by an ordinary store */
__global__ void plain_flag() {
    if (blockIdx.x == 0) {
        data = 9;
        __threadfence();
        flag = 1; // BUG plain-store
    } else {
        while (*(volatile int *)&flag == 0) { // BUG plain-wait
        }
        __threadfence();
        seen = data; // BUG plain-data
    }
}

__global__ void strong_flag() {
    if (blockIdx.x == 0) {
        data = 9;
        __threadfence();
        *(volatile int *)&flag = 1;
    } else {
        while (*(volatile int *)&flag == 0) {
        }
        __threadfence();
        seen = data;
    }
}

/* case: a lock with a fence before it is released, and none where it is taken
 */
__global__ void lock(bool acquires) {
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    if (acquires) __threadfence();
    int old = counts[0]; // BUG lock-read
    counts[0] = old + 1; // BUG lock-write
    __threadfence();
    atomicExch(&mutex, 0);
}

/* case: every thread stores the same */
__global__ void same_word() {
    word = 7; // BUG same-word
}

__global__ void one_stores() {
    if (threadIdx.x == 0) word = 7;
}

/* case: a product that 32 bits do not hold */
__global__ void product(int *out, int stride) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int at = i * stride;      // BUG product-made
    if (at < 64) out[at] = i; // BUG product
}

/* case: an unsigned number below 0 */
__global__ void below(int *out, unsigned n) {
    unsigned last = n - 1 - threadIdx.x;
    out[last] = 1; // BUG below
}

/* case: one thread stores right before the block's shared memory, at the address
 * -4, which with its 4 bytes is 0 */
__global__ void shared_below(int *out) {
    __shared__ int first;
    if (threadIdx.x == 0) (&first)[-1] = out[0]; // BUG shared-below
    __syncthreads();
    out[threadIdx.x] = first;
}

//: case: tells-shared-below shared_below
//: expect: finding out-of-bounds at shared-below "byte -4 of shared memory"
//: case: tells-plain-flag plain_flag
//: expect: finding global-race at plain-wait other plain-store "the other access is an ordinary one"
//: expect: finding global-race at plain-data "nothing orders the two"
//: case: tells-strong-flag strong_flag
//: case: tells-lock-not-acquired lock
//: expect: finding global-race at lock-read other lock-write "no __threadfence() stands behind that access"
//: expect: finding global-race at lock-write other lock-write
//: case: tells-lock right_lock
//: case: tells-same-word same_word
//: expect: finding global-race at same-word "let one of them do it"
//: case: tells-one-stores one_stores
//: case: tells-product product 65536
//: expect: finding out-of-bounds at product "by 65536 for it, which is more than 32 bits hold"
//: case: tells-product-small product 1
//: case: tells-below below 31
//: expect: finding out-of-bounds at below "element 4294967295 is -1 in 32 unsigned bits"
//: case: tells-not-below below 32
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    int number = argc > 2 ? atoi(argv[2]) : 0;
    int *out;
    CHECK(cudaMalloc(&out, 64 * sizeof *out));
    if (is("plain_flag")) plain_flag<<<2, 1>>>();
    if (is("strong_flag")) strong_flag<<<2, 1>>>();
    if (is("lock")) lock<<<8, 1>>>(false);
    if (is("right_lock")) lock<<<8, 1>>>(true);
    if (is("same_word")) same_word<<<1, 64>>>();
    if (is("one_stores")) one_stores<<<1, 64>>>();
    if (is("product")) product<<<129, 256>>>(out, number);
    if (is("below")) below<<<1, 32>>>(out, (unsigned)number);
    if (is("shared_below")) {
        cudaMemset(out, 0, 64 * sizeof *out);
        shared_below<<<1, 32>>>(out);
    }
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}
