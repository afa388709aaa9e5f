/* SPDX-License-Identifier: MIT
 *
 * linked.cu: a program of two sources whose device code calls across them and
 * shares variables (parts/linked_part.cu has the other half).
 */
//: nvcc: -rdc=true parts/linked_part.cu
//: seeds: 2
#include "parts/linked.h"

static __device__ int hidden = 1; /* the other source has one of its own */
__shared__ int scratch[64];

__global__ void here(int *x) {
    int i = threadIdx.x;
    scratch[i] = twice(x[i]) * factor + offset;
    __syncthreads();
    x[i] = scratch[i] + largest(hidden, i & 1) + operations[i & 1](i, 3);
    if (i == 0) printf("here %d\n", hidden);
}

/* Together more than a block has: each has its own alone. */
template <int N> __global__ void large(int *x) {
    __shared__ int own[9000];
    own[8900 + threadIdx.x] = x[threadIdx.x] + N;
    __syncthreads();
    x[threadIdx.x] = own[8900 + (threadIdx.x ^ 1)];
}

CASE(own_shared) {
    std::vector<int> in = numbers(64, 100);
    buffer<int> d(in);
    cudaFuncAttributes of;
    CHECK(cudaFuncGetAttributes(&of, large<2>));
    large<1><<<1, 64>>>(d);
    large<2><<<1, 64>>>(d);
    std::vector<int> got = d.host();
    for (int i = 0; i < 64; i++)
        if (got[i] != in[i] + 3) return false;
    return of.sharedSizeBytes == 36000;
}

CASE(linked) {
    std::vector<int> in = numbers(64, 100);
    buffer<int> d(in);
    int three = 3, two = 20, seen = 0;
    CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    CHECK(cudaMemcpyToSymbol(hidden, &two, sizeof two));
    elsewhere<<<1, 64>>>(d, 7); /* sets offset */
    here<<<1, 64>>>(d);
    std::vector<int> got = d.host();
    CHECK(cudaMemcpyFromSymbol(&seen, offset, sizeof seen));
    for (int i = 0; i < 64; i++) {
        int x = in[i] + 1000 + 2;
        if (got[i] != x * 2 * 3 + 7 + 20 + (i & 1 ? i * 3 : i + 3)) return false;
    }
    return seen == 7;
}

//: case: linked-run linked
//: expect: prints elsewhere 2
//: expect: prints here 20
//: expect: prints right
//: case: linked-shared own_shared
//: expect: prints right
int main(int argc, char **argv) {
    return run_case(argc, argv);
}
