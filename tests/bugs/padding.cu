/* SPDX-License-Identifier: MIT
 *
 * padding.cu: copies of whole structs read bytes between the members that
 * nobody writes.
 */
//: run: --check all
#include "check.h"

struct mark {
    char kind;
    int value;
};
struct edge {
    short from;
    char weight;
};

__global__ void make(mark *m, edge *e, unsigned long long *status) {
    unsigned i = threadIdx.x;
    m[i].kind = 'a';
    m[i].value = i;
    e[i].from = i;
    e[i].weight = 1;
    ((unsigned *)(status + i))[1] = 1; /* the flag without the value */
}

template <class T> __global__ void copy(const T *from, T *to) {
    to[threadIdx.x] = from[threadIdx.x]; // BUG half
}

__global__ void bytes(const char *from, int *to) {
    to[threadIdx.x] = from[threadIdx.x]; // BUG bytes
}

//: case: padding-of-structs structs
//: case: padding-half-a-word half
//: expect: finding uninitialised-read at half "read of 8 bytes, 4 of them that nothing has written"
//: case: padding-bytes bytes
//: expect: finding uninitialised-read at bytes "read of 1 bytes that nothing has written"
int main(int, char **argv) {
    mark *m;
    edge *e;
    unsigned long long *s;
    int *to;
    CHECK(cudaMalloc(&m, 64 * sizeof *m));
    CHECK(cudaMalloc(&e, 64 * sizeof *e));
    CHECK(cudaMalloc(&s, 64 * sizeof *s));
    CHECK(cudaMalloc(&to, 64 * sizeof *to));
    make<<<1, 32>>>(m, e, s);
    copy<<<1, 32>>>(m, m + 32);
    copy<<<1, 32>>>(e, e + 32);
    if (!strcmp(argv[1], "half")) copy<<<1, 32>>>(s, s + 32);
    if (!strcmp(argv[1], "bytes")) bytes<<<1, 32>>>((char *)(to + 32), to);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(m));
    CHECK(cudaFree(e));
    CHECK(cudaFree(s));
    CHECK(cudaFree(to));
    return 0;
}
