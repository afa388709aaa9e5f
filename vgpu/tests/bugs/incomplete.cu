/* SPDX-License-Identifier: MIT
 *
 * incomplete.cu: what racecheck cannot number it says, in text and in JSON, and
 * just below it looks at everything. (limits.cu has the limit of memory.)
 */
//: nvcc: -std=c++17
//: arch: compute_90
//: run: --check racecheck | --check racecheck --format json
//: gpu: no, only the virtual GPU's checks have these limits
#include "check.h"

#include <cstdint>

__device__ uint32_t in_shared(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Stamps of a block have 19 bits, which a barrier of all its threads saves. */
__global__ void fences(unsigned n, unsigned *out) {
    __shared__ unsigned word;
    for (unsigned i = 0; i < n; i++) __threadfence_block();
    if (threadIdx.x == 0) word = 1;
    if (threadIdx.x == 0) *out = word;
}

/* 509 mbarriers of a block have channels of their own. */
__global__ void mbarriers(unsigned n, unsigned *out) {
    __shared__ uint64_t all[1024];
    if (threadIdx.x) return;
    for (unsigned i = 0; i < n; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
                         in_shared(&all[i]))
                     : "memory");
    *out = 1;
}

/* 255 of a thread's cp.async.mbarrier.arrive between two commits. */
__global__ void arrivals(unsigned n, unsigned *out) {
    __shared__ uint64_t bar;
    __shared__ unsigned to;
    if (threadIdx.x) return;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 100000;" ::"r"(
                     in_shared(&bar))
                 : "memory");
    for (unsigned i = 0; i < n; i++)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::
                         "r"(in_shared(&bar))
                     : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     in_shared(&to)),
                 "l"(out)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    *out = 1;
}

/* The block's last 65536 fences between the proxies are kept. The copy needs
 * thread 0's; those of thread 32, which knows nothing of what was written, come
 * later. */
__global__ void proxies(unsigned n, unsigned *out) {
    __shared__ alignas(16) unsigned from[4];
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < 4; i++) from[i] = 1;
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncwarp();
    if (threadIdx.x == 32)
        for (unsigned i = 0; i < n; i++)
            asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::
                     "l"(out),
                 "r"(in_shared(from))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

//: case: incomplete-fences fences 600000
//: exit: 86
//: expect: says a block passed more fences than it can number
//: case: incomplete-not-fences fences 500000
//: expect: prints right
//: case: incomplete-mbarriers mbarriers 510
//: exit: 86
//: expect: says a block has more mbarriers than it can number
//: case: incomplete-not-mbarriers mbarriers 509
//: expect: prints right
//: case: incomplete-arrivals arrivals 256
//: exit: 86
//: expect: says a thread has more groups of asynchronous copies than it can number
//: case: incomplete-not-arrivals arrivals 255
//: expect: prints right
//: case: incomplete-proxies proxies 100000
//: exit: 86
//: expect: says a block has executed more fences between its proxies than it keeps
//: run: --check racecheck --schedule in-order | --check racecheck --schedule in-order --format json
//: case: incomplete-not-proxies proxies 60000
//: expect: prints right
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0, right = 0, *out;
    CHECK(cudaMalloc(&out, 16));
    CHECK(cudaMemset(out, 0, 16));
    if (!strcmp(what, "fences")) fences<<<1, 32>>>(n, out);
    if (!strcmp(what, "mbarriers")) mbarriers<<<1, 32>>>(n, out);
    if (!strcmp(what, "arrivals")) arrivals<<<1, 32>>>(n, out);
    if (!strcmp(what, "proxies")) proxies<<<1, 64>>>(n, out);
    CHECK(cudaMemcpy(&right, out, sizeof right, cudaMemcpyDeviceToHost));
    puts(right == 1 ? "right" : "wrong");
    CHECK(cudaFree(out));
    return 0;
}
