/* SPDX-License-Identifier: MIT
 *
 * clusters.cu: blocks of a cluster that use each other's shared memory, right
 * and with one thing wrong.
 */
#include <cooperative_groups.h>
#include <cstdint>

#include "check.h"

//: nvcc: -std=c++17
//: arch: compute_75 compute_90

namespace cg = cooperative_groups;
enum { BLOCKS = 8, CLUSTER = 4, THREADS = 64, N = BLOCKS * THREADS };
enum bug {
    NONE,
    NO_SYNC,
    BLOCK_SYNC,
    NO_LAST_SYNC,
    NEVER_WRITTEN,
    BAD_RANK,
    TOO_FAR,
    ENDED,
    SOME_LEAVE,
    RELAXED,
    BLOCK_FLAG,
    WEAK_FLAG,
    OTHER_CLUSTER
};

/* Each block turns the tile of the next block of its cluster round. */
template <bug B> __global__ void turn(const unsigned *in, unsigned *out) {
#if __CUDA_ARCH__ >= 900
    __shared__ unsigned tile[THREADS];
    cg::cluster_group own = cg::this_cluster();
    unsigned t = threadIdx.x, r = own.block_rank(), next = (r + 1) % CLUSTER;
    if (B != NEVER_WRITTEN || t != 5)
        tile[t] = in[blockIdx.x * THREADS + t]; // BUG store
    if (B == BLOCK_SYNC)
        __syncthreads();
    else if (B == RELAXED) {
        asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
        asm volatile("barrier.cluster.wait;" ::: "memory");
    } else if (B != NO_SYNC)
        own.sync();
    if (B == ENDED && r == 1) return;
    if (B == ENDED) __nanosleep(100000);
    if (B == BAD_RANK) next = CLUSTER + r;
    if (B == NO_LAST_SYNC && r < CLUSTER - 1) next = r;
    const unsigned *from = own.map_shared_rank(tile, next);
    unsigned at = THREADS - 1 - t;
    if (B == TOO_FAR) at += 1;
    out[blockIdx.x * THREADS + t] = from[at]; // BUG load
    if (B == NO_LAST_SYNC || B == ENDED) return;
    own.sync(); // BUG last
#endif
}

/* Some threads of one block go another way. */
template <bug B> __global__ void meet(unsigned *out) {
#if __CUDA_ARCH__ >= 900
    cg::cluster_group own = cg::this_cluster();
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (B == SOME_LEAVE && own.block_rank() == 2 && threadIdx.x < 32)
        while (flag == 0) // BUG polls
            ;
    own.sync(); // BUG meets
    if (threadIdx.x == 0) out[blockIdx.x] = 7;
#endif
}

/* Block 0 of each cluster tells the others a value, by a flag in the shared
 * memory of each. */
template <bug B> __global__ void tell(unsigned *out) {
#if __CUDA_ARCH__ >= 900
    __shared__ unsigned value, flag;
    cg::cluster_group own = cg::this_cluster();
    unsigned r = own.block_rank();
    if (threadIdx.x == 0) flag = 0;
    own.sync();
    if (r == 0 && threadIdx.x > 0 && threadIdx.x < CLUSTER) {
        *own.map_shared_rank(&value, threadIdx.x) = 100 + threadIdx.x;
        unsigned *up = own.map_shared_rank(&flag, threadIdx.x);
        if (B == BLOCK_FLAG)
            asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(up), "r"(1)
                         : "memory");
        else if (B == WEAK_FLAG)
            *(volatile unsigned *)up = 1;
        else
            asm volatile("st.release.cluster.u32 [%0], %1;" ::"l"(up), "r"(1)
                         : "memory");
    }
    if (r > 0 && threadIdx.x == 0) {
        unsigned up;
        do
            asm volatile("ld.acquire.cluster.u32 %0, [%1];"
                         : "=r"(up)
                         : "l"(&flag) // BUG asks
                         : "memory");
        while (!up);
        out[blockIdx.x] = value; // BUG uses
    } else if (threadIdx.x == 0) {
        out[blockIdx.x] = 100;
    }
    own.sync();
#endif
}

/* A value and a flag in global memory, at the scope of the cluster: for blocks
 * of it, and for one of another cluster. */
template <bug B> __global__ void far(unsigned *out, unsigned *words) {
#if __CUDA_ARCH__ >= 900
    unsigned to = B == OTHER_CLUSTER ? CLUSTER : 1;
    if (threadIdx.x) return;
    out[blockIdx.x] = 3;
    if (blockIdx.x == 0) {
        words[0] = 3; // BUG gives
        asm volatile("fence.acq_rel.cluster; st.relaxed.gpu.u32 [%0], 1;" ::"l"(
                         words + 1)
                     : "memory");
    }
    if (blockIdx.x == to) {
        unsigned up;
        do
            asm volatile("ld.relaxed.gpu.u32 %0, [%1]; fence.acq_rel.cluster;"
                         : "=r"(up)
                         : "l"(words + 1)
                         : "memory");
        while (!up);
        out[blockIdx.x] = words[0]; // BUG takes
    }
#endif
}

template <class... P, class... A>
static void run(void (*kernel)(P...), A... arguments) {
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = CLUSTER;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = BLOCKS;
    c.blockDim = THREADS;
    c.attrs = &a;
    c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, kernel, arguments...));
    CHECK(cudaDeviceSynchronize());
}

static unsigned *d_in, *d_out, in[N], want[N], got[N];

template <bug B> static int turns() {
    for (int i = 0; i < N; i++) in[i] = i * 7;
    for (int i = 0; i < N; i++) {
        int b = i / THREADS, next = b / CLUSTER * CLUSTER + (b + 1) % CLUSTER;
        if (B == NO_LAST_SYNC && next > b) next = b;
        want[i] = in[next * THREADS + THREADS - 1 - i % THREADS];
    }
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    run(turn<B>, (const unsigned *)d_in, d_out);
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    return verdict(got, want, N);
}

static int of_blocks(void (*kernel)(unsigned *), unsigned first,
                     unsigned apart) {
    run(kernel, d_out);
    CHECK(cudaMemcpy(got, d_out, BLOCKS * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS; i++) want[i] = first + i % CLUSTER * apart;
    return verdict(got, want, BLOCKS);
}

template <bug B> static int fars() {
    CHECK(cudaMemset(d_in, 0, 8));
    run(far<B>, d_out, d_in);
    CHECK(cudaMemcpy(got, d_out, BLOCKS * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS; i++) want[i] = 3;
    return verdict(got, want, BLOCKS);
}

int main(int, char **argv) {
    const char *name = argv[1];
    CHECK(cudaMalloc(&d_in, N * 4));
    CHECK(cudaMalloc(&d_out, N * 4));
    if (!strcmp(name, "turn")) return turns<NONE>();
    if (!strcmp(name, "no-sync")) return turns<NO_SYNC>();
    if (!strcmp(name, "block-sync")) return turns<BLOCK_SYNC>();
    if (!strcmp(name, "relaxed")) return turns<RELAXED>();
    if (!strcmp(name, "no-last-sync")) return turns<NO_LAST_SYNC>();
    if (!strcmp(name, "never-written")) return turns<NEVER_WRITTEN>();
    if (!strcmp(name, "bad-rank")) return turns<BAD_RANK>();
    if (!strcmp(name, "too-far")) return turns<TOO_FAR>();
    if (!strcmp(name, "ended")) return turns<ENDED>();
    if (!strcmp(name, "meet")) return of_blocks(meet<NONE>, 7, 0);
    if (!strcmp(name, "some-leave")) return of_blocks(meet<SOME_LEAVE>, 7, 0);
    if (!strcmp(name, "tell")) return of_blocks(tell<NONE>, 100, 1);
    if (!strcmp(name, "block-flag")) return of_blocks(tell<BLOCK_FLAG>, 100, 1);
    if (!strcmp(name, "weak-flag")) return of_blocks(tell<WEAK_FLAG>, 100, 1);
    if (!strcmp(name, "far")) return fars<NONE>();
    if (!strcmp(name, "other-cluster")) return fars<OTHER_CLUSTER>();
    return 2;
}

//: case: clusters-turn turn
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule reverse | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: seeds: 20
//: expect: prints right
//: case: clusters-no-sync no-sync
//: run: --check racecheck --device teach90 | --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at load other store "of block" "cluster.sync()"
//: case: clusters-no-sync-unwritten no-sync
//: run: --device teach90 | --device teach90 --schedule reverse
//: expect: finding uninitialised-read at load "of shared memory) of block ("
//: case: clusters-block-sync block-sync
//: run: --check racecheck --device teach90 | --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at load other store "__syncthreads() is for one block"
//: case: clusters-relaxed relaxed
//: run: --check racecheck --device teach90 | --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at load other store
//: case: clusters-no-last-sync no-last-sync
//: run: --racecheck --device teach90
//: expect: finding shared-race at load "before the end of block (0,0,0)"
//: expect: prints right
//: case: clusters-no-last-sync-reverse no-last-sync
//: run: --device teach90 --schedule reverse
//: expect: finding use-after-free at load "which has ended"
//: case: clusters-ended ended
//: run: --device teach90
//: expect: finding use-after-free at load "which has ended"
//: case: clusters-never-written never-written
//: run: --device teach90
//: expect: finding uninitialised-read at load "tile[5] (byte 20 of shared memory) of block"
//: case: clusters-bad-rank bad-rank
//: run: --device teach90
//: expect: finding out-of-bounds at load "the cluster has 4 blocks"
//: case: clusters-too-far too-far
//: run: --device teach90
//: expect: finding out-of-bounds at load "byte 256 of the shared memory of block"
//: case: clusters-meet meet
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: clusters-some-leave some-leave
//: run: --device teach90 | --device h200 --schedule reverse
//: expect: finding deadlock at meets "224 of the 256 threads of the cluster have arrived; 32 threads of block ("
//: case: clusters-tell tell
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule reverse | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: seeds: 20
//: expect: prints right
//: case: clusters-block-flag block-flag
//: run: --check racecheck --device teach90
//: expect: finding shared-race at asks
//: case: clusters-weak-flag weak-flag
//: run: --check racecheck --device teach90
//: expect: finding shared-race at uses
//: case: clusters-far far
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: seeds: 20
//: expect: prints right
//: case: clusters-other-cluster other-cluster
//: run: --check racecheck --device h200 | --check racecheck --device teach90 --schedule random:SEED
//: expect: finding global-race at takes other gives
