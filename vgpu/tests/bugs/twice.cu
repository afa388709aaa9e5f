/* SPDX-License-Identifier: MIT
 *
 * twice.cu: a kernel that reads one array and writes another, and is given the
 * same one twice: two pointers swapped by a = b, b = a.
 */
#include "check.h"

enum { N = 256 };

__global__ void add_neighbour(const unsigned *from, unsigned *to) {
    unsigned i = threadIdx.x;
    to[i] = from[i] + (i > 0 ? from[i - 1] : 0); // BUG step
}

__global__ void add_in_place(unsigned *data) {
    unsigned i = threadIdx.x;
    data[i] += i > 0 ? data[i - 1] : 0; // BUG place
}

//: run: --check racecheck | --check racecheck --schedule random:SEED
//: case: twice-swapped swapped
//: expect: prints right
//: case: twice-assigned assigned
//: expect: finding global-race at step "the launch gives the kernel this array twice"
//: case: twice-in-place in-place
//: expect: finding global-race at place "put a barrier between reading and writing"
int main(int argc, char **argv) {
    unsigned *a, *b, got[N], want[N];
    const char *how = argc > 1 ? argv[1] : "swapped";
    for (int i = 0; i < N; i++) got[i] = 1;
    for (int i = 0; i < N; i++) want[i] = i == 0 ? 1 : i == 1 ? 3 : 4;
    CHECK(cudaMalloc(&a, sizeof got));
    CHECK(cudaMalloc(&b, sizeof got));
    CHECK(cudaMemcpy(a, got, sizeof got, cudaMemcpyHostToDevice));
    for (int step = 0; step < 2; step++) {
        if (strcmp(how, "in-place") == 0)
            add_in_place<<<1, N>>>(a);
        else
            add_neighbour<<<1, N>>>(a, b);
        CHECK(cudaGetLastError());
        unsigned *old = a;
        a = b;
        b = strcmp(how, "assigned") == 0 ? a : old;
        if (strcmp(how, "in-place") == 0) a = old;
    }
    CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    if (a != b) CHECK(cudaFree(b));
    return verdict(got, want, N);
}
