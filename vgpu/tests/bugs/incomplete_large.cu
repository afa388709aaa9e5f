/* SPDX-License-Identifier: MIT
 *
 * incomplete_large.cu: the limits of racecheck that take seconds, or a GiB of
 * memory, to pass; each beside a launch that stays below (incomplete.cu has the
 * others).
 */
//: when: nightly
//: nvcc: -std=c++17
//: arch: compute_90
//: run: --check racecheck | --check racecheck --format json
//: gpu: no, only the virtual GPU's checks have these limits
#include "check.h"

#include <cstdint>

enum { WORDS = (1 << 23) + 1024, THREADS = 64 };

/* 2^23 - 1 strong writes of a launch are told apart. */
__global__ void writes(unsigned n, unsigned *words, unsigned *out) {
    volatile unsigned *to = words;
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k == 0) *out = 1;
    for (; k < n; k += gridDim.x * blockDim.x) to[k] = 1;
}

/* Of each word one read is remembered with the word, and those of 63 other
 * threads in a table of 2^23 - 1. */
__global__ void accesses(unsigned n, unsigned *words, unsigned *out) {
    const volatile unsigned *from = words;
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++) sum += from[k];
    if (threadIdx.x == 0) *out = sum + 1;
}

/* Weak reads do no harm there until somebody writes. */
__global__ void readers(unsigned n, unsigned *words, unsigned *out) {
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k++) sum += words[k];
    __threadfence();
    if (atomicAdd(out + 1, 1) != blockDim.x - 1) return;
    __threadfence();
    for (unsigned k = 0; k < n; k++) words[k] = 1;
    *out = sum + 1;
}

/* What a release hands on takes a clock of some nodes, which share 512 MiB. */
__global__ void releases(unsigned n, unsigned *words, unsigned *out) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(words + k) : "memory");
    if (k == 0) *out = 1;
}

__device__ void copy_one(unsigned *to, const unsigned *from) {
    uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* With copies a block takes 513 of 2^32 numbers. */
__global__ void blocks(unsigned *out) {
    __shared__ unsigned to;
    if (blockIdx.x) return;
    copy_one(&to, out);
    *out = 1;
}

/* A thread numbers 2^24 - 2 groups of copies; also those without a copy. */
__global__ void groups(unsigned n, unsigned *out) {
    __shared__ unsigned to;
    for (unsigned k = 0; k < n; k++)
        asm volatile("cp.async.commit_group;" ::: "memory");
    copy_one(&to, out);
    *out = 1;
}

//: case: incomplete-writes writes 8388608
//: exit: 86
//: expect: says too many strong writes to tell apart
//: case: incomplete-not-writes writes 8388607
//: expect: prints right
//: case: incomplete-accesses accesses 133154
//: exit: 86
//: expect: says too many accesses of words that threads share to keep apart
//: case: incomplete-not-accesses accesses 133152
//: expect: prints right
//: case: incomplete-readers readers 133154
//: exit: 86
//: expect: says one word was read by more threads than it keeps, and then written
//: case: incomplete-not-readers readers 133152
//: expect: prints right
//: case: incomplete-releases releases 524288
//: exit: 86
//: expect: says no memory is left for what threads know of each other
//: case: incomplete-not-releases releases 262144
//: expect: prints right
//: case: incomplete-blocks blocks 8372256
//: exit: 86
//: expect: says the grid has too many blocks
//: case: incomplete-not-blocks blocks 8372255
//: expect: prints right
//: case: incomplete-groups groups 16777215
//: exit: 86
//: expect: says a thread has more groups of asynchronous copies than it can number
//: case: incomplete-not-groups groups 16777214
//: expect: prints right
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0, right = 0;
    unsigned *out, *words;
    CHECK(cudaMalloc(&out, 16));
    CHECK(cudaMalloc(&words, WORDS * sizeof *words));
    CHECK(cudaMemset(out, 0, 16));
    CHECK(cudaMemset(words, 0, WORDS * sizeof *words));
    if (!strcmp(what, "writes")) writes<<<256, 256>>>(n, words, out);
    if (!strcmp(what, "accesses")) accesses<<<1, THREADS>>>(n, words, out);
    if (!strcmp(what, "readers")) readers<<<1, THREADS>>>(n, words, out);
    if (!strcmp(what, "releases")) releases<<<4096, 128>>>(n, words, out);
    if (!strcmp(what, "blocks")) blocks<<<n, 1>>>(out);
    if (!strcmp(what, "groups")) groups<<<1, 1>>>(n, out);
    CHECK(cudaMemcpy(&right, out, sizeof right, cudaMemcpyDeviceToHost));
    puts(right == 1 ? "right" : "wrong");
    CHECK(cudaFree(out));
    CHECK(cudaFree(words));
    return 0;
}
