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

/* Words of padding: behind an int, before the end. */
struct ahead {
    int n;
    double value;
};
struct tail {
    double value;
    int n;
};

__global__ void words(ahead *a, tail *t) {
    unsigned i = threadIdx.x;
    a[i].n = i;
    a[i].value = i;
    t[i].value = i;
    t[i].n = i;
}

__global__ void pick(const int *from, int *to) {
    to[threadIdx.x] = from[4 * threadIdx.x + 1] + 1; // BUG pick
}

__global__ void second(const int2 *from, int *to) {
    int2 x = from[threadIdx.x]; // BUG second
    to[threadIdx.x] = x.x + x.y;
}

__global__ void firsts(int2 *to) {
    to[threadIdx.x].x = 1;
}

template <class T> __global__ void pass(const T *from, T *to) {
    to[threadIdx.x] = from[threadIdx.x]; // BUG nothing
}

/* Through shared memory, each by another thread. */
__global__ void through(const ahead *from, ahead *to) {
    __shared__ ahead all[32];
    all[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = all[31 - threadIdx.x];
}

/* Half of a pair in shared memory is written, and both are used. */
__global__ void shared_pairs(int *to) {
    __shared__ int2 all[32];
    all[threadIdx.x].x = 1;
    __syncthreads();
    int2 x = all[31 - threadIdx.x]; // BUG shared-pair
    to[threadIdx.x] = x.x + x.y;
}

/* The same load and store, first of padding, then of what was written. */
__global__ void each(const ahead *from, ahead *to, int n) {
#pragma unroll 1
    for (int k = 0; k < n; k++)
        to[32 * k + threadIdx.x] = from[32 * k + threadIdx.x];
}

/* As memcpy does it, and as a block copies structs together. */
__global__ void as_bytes(const ahead *from, ahead *to) {
    memcpy(to + threadIdx.x, from + threadIdx.x, sizeof *to);
}

__global__ void as_words(const ahead *from, ahead *to) {
    for (unsigned i = threadIdx.x; i < 32 * sizeof *to / 4; i += blockDim.x)
        ((int *)to)[i] = ((const int *)from)[i];
}

__global__ void one(const int *from, int *to) {
    *to = *from; // BUG one
}

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
//: case: padding-of-words words
//: case: padding-of-words-used pick
//: expect: finding uninitialised-read at pick "read of 4 bytes that nothing has written"
//: case: padding-of-words-twice twice
//: expect: finding uninitialised-read at pick "read of 4 bytes that nothing has written"
//: case: padding-as-bytes as-bytes
//: case: padding-as-bytes-used as-bytes pick
//: expect: finding uninitialised-read at pick "read of 4 bytes that nothing has written"
//: case: padding-as-words as-words
//: case: padding-as-words-used as-words pick
//: expect: finding uninitialised-read at pick "read of 4 bytes that nothing has written"
//: case: padding-through-shared through
//: case: padding-through-shared-used through pick
//: expect: finding uninitialised-read at pick "read of 4 bytes that nothing has written"
//: case: padding-or-shared-pair shared-pair
//: expect: finding uninitialised-read at shared-pair "read of 8 bytes, 4 of them that nothing has written"
//: case: padding-or-one one
//: expect: finding uninitialised-read at one "read of 4 bytes that nothing has written"
//: case: padding-or-half-copied half-copied
//: expect: says a copy to the host of 256 bytes took 128 that nothing has written
//: case: padding-written-later later
//: case: padding-in-first-round first-round
//: expect: finding uninitialised-read at pick "read of 4 bytes that nothing has written"
//: case: padding-in-second-round second-round
//: case: padding-or-second second
//: expect: finding uninitialised-read at second "read of 8 bytes, 4 of them that nothing has written"
//: case: padding-or-nothing nothing
//: expect: finding uninitialised-read at nothing "read of 8 bytes that nothing has written"

/* Copies of structs with words of padding, and what is no padding. */
static void run_words(const char *what, bool is_picked) {
    ahead *a;
    tail *t;
    int2 *pairs;
    int *to;
    CHECK(cudaMalloc(&a, 160 * sizeof *a));
    CHECK(cudaMalloc(&t, 96 * sizeof *t));
    CHECK(cudaMalloc(&pairs, 96 * sizeof *pairs));
    CHECK(cudaMalloc(&to, 64 * sizeof *to));
    words<<<1, 32>>>(a, t);
    pass<<<1, 32>>>(a, a + 32);
    pass<<<1, 32>>>(t, t + 32);
    if (!strcmp(what, "as-bytes")) as_bytes<<<1, 32>>>(a, a + 32);
    if (!strcmp(what, "as-words")) as_words<<<1, 32>>>(a, a + 32);
    if (!strcmp(what, "through")) through<<<1, 32>>>(a, a + 32);
    if (!strcmp(what, "shared-pair")) shared_pairs<<<1, 32>>>(to);
    if (!strcmp(what, "pick") || is_picked) pick<<<1, 32>>>((int *)(a + 32), to);
    if (!strcmp(what, "twice")) {
        pass<<<1, 32>>>(a + 32, a + 64);
        pick<<<1, 32>>>((int *)(a + 64), to);
    }
    if (!strcmp(what, "later")) { /* a copy of written words, to the same place */
        CHECK(cudaMemset(a, 0, 32 * sizeof *a));
        pass<<<1, 32>>>(a, a + 32);
        pick<<<1, 32>>>((int *)(a + 32), to);
    }
    if (strstr(what, "-round")) { /* padding, then written words */
        CHECK(cudaMemset(a + 32, 0, 32 * sizeof *a));
        each<<<1, 32>>>(a, a + 96, 2);
        pick<<<1, 32>>>((int *)(a + (*what == 'f' ? 96 : 128)), to);
    }
    if (!strcmp(what, "second")) {
        firsts<<<1, 32>>>(pairs);
        second<<<1, 32>>>(pairs, to);
    }
    if (!strcmp(what, "one")) one<<<1, 1>>>(to + 32, to);
    if (!strcmp(what, "half-copied")) {
        int2 home[32];
        firsts<<<1, 32>>>(pairs);
        pass<<<1, 32>>>(pairs, pairs + 32);
        CHECK(cudaMemcpy(home, pairs + 32, sizeof home,
                         cudaMemcpyDeviceToHost));
    }
    if (!strcmp(what, "nothing")) pass<<<1, 32>>>(pairs, pairs + 32);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFree(t));
    CHECK(cudaFree(pairs));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv) {
    run_words(argv[1], argc > 2);
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
