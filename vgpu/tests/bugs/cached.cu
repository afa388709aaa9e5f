/* SPDX-License-Identifier: MIT
 *
 * cached.cu: loads through the read-only cache (__ldg, const __restrict__) of
 * words that the same launch writes, and of words that it does not.
 */
#include "check.h"

enum { N = 256, THREADS = 64 };

/* case: barriers order the threads, and do not help */
__global__ void in_place(const int *__restrict__ in, int *out) {
    int t = threadIdx.x, a = in[t] + 1;
    __syncthreads();
    out[t] = a; // BUG stored
    __syncthreads();
    int b = in[(t + 1) % THREADS]; // BUG again
    __syncthreads();
    if (out != in) out[t] = b;
}

__device__ unsigned flag, data;

/* case: flag and fences are right, only the last load is not */
__global__ void flagged(unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x) {
        data = 5; // BUG data
        __threadfence();
        atomicExch(&flag, 1);
    } else {
        while (!atomicAdd(&flag, 0)) {}
        __threadfence();
        *out = __ldg(&data); // BUG ldg
    }
}

__global__ void flagged_right(unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x) {
        data = 5;
        __threadfence();
        atomicExch(&flag, 1);
    } else {
        while (!atomicAdd(&flag, 0)) {}
        __threadfence();
        *out = data;
    }
}

/* case: vectors of what an atomic operation has changed; bytes */
__global__ void mixed(const int4 *in, int *out, unsigned char *bytes) {
    int t = threadIdx.x;
    if (t == 9) atomicAdd(out + 4 * t + 2, 1); // BUG atomic
    if (t == 63) bytes[4 * N + 6] = 7; // BUG one-byte
    __syncthreads();
    int4 v = __ldg(in + t); // BUG vector
    unsigned char c = __ldg(bytes + 4 * N + 2 * t); // BUG byte
    if (v.x + c == 1000) bytes[4 * N + 2 * t + 1] = c;
}

/* case: all has been read before anything is written, as in thrust::unique */
__global__ void read_first(const int *in, int *out) {
    int t = threadIdx.x, a = __ldg(in + (t + 1) % THREADS);
    __syncthreads();
    out[t] = a;
}

/* case: each launch reads what the one before has written */
__global__ void step(const int *__restrict__ in, int *__restrict__ out) {
    int t = blockIdx.x * THREADS + threadIdx.x;
    out[t] = in[t] + (t ? in[t - 1] : 0);
}

/* case: the two halves of one array, and bytes between bytes */
__global__ void halves(const int *in, int *out, unsigned char *bytes) {
    int t = threadIdx.x;
    out[N / 2 + t] = __ldg(in + (t ^ 1));
    bytes[4 * N + 2 * t] = __ldg(bytes + 4 * N + 2 * t + 1);
}

//: run: --check all | --check all --schedule reverse | --check all --schedule random:SEED
//: case: cached-in-place in-place
//: expect: finding read-only-cache at again other stored "through the read-only cache, which block" "of the same launch wrote at line 14"
//: case: cached-in-place-unchecked in-place
//: run: --check none | --check memcheck
//: case: cached-not-in-place two-arrays
//: case: cached-flagged flagged
//: expect: finding read-only-cache at ldg other data "this thread reads data through the read-only cache"
//: case: cached-flagged-weak flagged
//: run: --racecheck --memory-model weak:SEED
//: expect: finding read-only-cache at ldg other data
//: case: cached-flagged-right flagged-right
//: run: --check all | --racecheck --memory-model weak:SEED
//: case: cached-mixed mixed
//: run: --check all
//: expect: finding read-only-cache at vector other atomic "reads byte 152 of"
//: expect: finding read-only-cache at byte other one-byte "reads byte 1028 of"
//: case: cached-read-first read-first
//: case: cached-launches launches
//: case: cached-halves halves
int main(int, char **argv) {
    const char *is = argv[1];
    int *d, *e;
    CHECK(cudaMalloc(&d, 8 * N));
    CHECK(cudaMalloc(&e, 8 * N));
    CHECK(cudaMemset(d, 0, 8 * N));
    CHECK(cudaMemset(e, 0, 8 * N));
    if (!strcmp(is, "in-place")) in_place<<<1, THREADS>>>(d, d);
    if (!strcmp(is, "two-arrays")) in_place<<<1, THREADS>>>(d, e);
    if (!strcmp(is, "flagged")) flagged<<<2, 32>>>((unsigned *)d);
    if (!strcmp(is, "flagged-right")) flagged_right<<<2, 32>>>((unsigned *)d);
    if (!strcmp(is, "mixed"))
        mixed<<<1, THREADS>>>((int4 *)d, d, (unsigned char *)d);
    if (!strcmp(is, "read-first")) read_first<<<1, THREADS>>>(d, d);
    for (int k = 0; k < 4 && !strcmp(is, "launches"); k++)
        step<<<N / THREADS, THREADS>>>(k & 1 ? e : d, k & 1 ? d : e);
    if (!strcmp(is, "halves"))
        halves<<<1, THREADS>>>(d, d, (unsigned char *)d);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d));
    CHECK(cudaFree(e));
    return 0;
}
