/* SPDX-License-Identifier: MIT
 *
 * async.cu: pipelines of bulk copies and mbarriers, right and with one thing
 * wrong. Compiled twice, for 7.5 and 9.0; the device chooses.
 */
#include <cstdint>

#include <cuda/barrier>

#include "check.h"

//: nvcc: -std=c++17
//: arch: compute_75 compute_90

enum {
    TILE = 256,
    STAGES = 2,
    N_TILES = 24,
    N = TILE * N_TILES,
    CONSUMERS = 64,
    THREADS = 32 + CONSUMERS
};
enum bug {
    NONE,
    NO_WAIT,
    WRONG_PARITY,
    ONE_TRY,
    NO_EMPTY,
    NO_FENCE,
    NO_WAIT_READ,
    NO_WAIT_END,
    MORE_BYTES,
    MORE_ARRIVALS
};

#if __CUDA_ARCH__ >= 900 || !defined __CUDA_ARCH__
#define ASM(...) asm volatile(__VA_ARGS__)
#else
#define ASM(...) __trap() /* chosen on a device that could do better */
#endif

__device__ uint32_t in_shared(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ void init(uint64_t *b, unsigned n) {
    ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(in_shared(b)), "r"(n)
        : "memory");
}
__device__ void arrive(uint64_t *b) {
    ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(in_shared(b))
        : "memory");
}
__device__ void expect(uint64_t *b, unsigned bytes) {
    ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
            in_shared(b)),
        "r"(bytes)
        : "memory");
}
__device__ bool try_wait(uint64_t *b, unsigned parity) {
    unsigned yes = 0;
    ASM("{\n.reg .pred p;\n" // BUG waits
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(yes)
        : "r"(in_shared(b)), "r"(parity)
        : "memory");
    return yes;
}
__device__ bool test_wait(uint64_t *b, unsigned parity) {
    unsigned yes = 0;
    ASM("{\n.reg .pred p;\n"
        "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(yes)
        : "r"(in_shared(b)), "r"(parity)
        : "memory");
    return yes;
}
__device__ void wait(uint64_t *b, unsigned parity) {
    while (!try_wait(b, parity)) {}
}
__device__ void bulk_load(void *to, const void *from, unsigned bytes,
                          uint64_t *b) {
    ASM("cp.async.bulk.shared::cluster.global.mbarrier::" // BUG load
        "complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(in_shared(to)),
        "l"(from), "r"(bytes), "r"(in_shared(b))
        : "memory");
}
__device__ void bulk_store(void *to, const void *from, unsigned bytes) {
    ASM("cp.async.bulk.global.shared::cta.bulk_group " // BUG store
        "[%0], [%1], %2;" ::"l"(to),
        "r"(in_shared(from)), "r"(bytes)
        : "memory");
    ASM("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void wait_stores() {
    ASM("cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ void wait_stores_read() {
    ASM("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ void proxy_fence() {
    ASM("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void consumers_meet() {
    ASM("bar.sync 1, %0;" ::"r"(CONSUMERS) : "memory");
}

struct work {
    const unsigned *in;
    unsigned *out, *flags;
};

/* Warp 0 brings tiles, the others multiply and send them off. */
template <bug B>
__global__ void pipeline(struct work w) {
    __shared__ alignas(128) unsigned tile[STAGES][TILE], result[TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 1);
            init(&empty[s], CONSUMERS + (B == MORE_ARRIVALS));
        }
        ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    unsigned round = 0;
    if (t < 32) {
        for (unsigned i = blockIdx.x; i < N_TILES && t == 0; i += gridDim.x) {
            unsigned s = round % STAGES, use = round / STAGES;
            if (use) /* it has been used; or has it only arrived? */
                wait(B == NO_EMPTY ? &full[s] : &empty[s], (use - 1) & 1);
            expect(&full[s], sizeof tile[s] + (B == MORE_BYTES ? 16 : 0));
            bulk_load(tile[s], w.in + i * TILE, sizeof tile[s], &full[s]);
            round++;
        }
        return;
    }
    for (unsigned i = blockIdx.x; i < N_TILES; i += gridDim.x, round++) {
        unsigned s = round % STAGES, parity = round / STAGES & 1;
        if (B == ONE_TRY)
            try_wait(&full[s], parity);
        else if (B != NO_WAIT)
            wait(&full[s], parity ^ (B == WRONG_PARITY));
        unsigned mine[TILE / CONSUMERS];
        for (int k = 0; k < TILE / CONSUMERS; k++)
            mine[k] = tile[s][t - 32 + k * CONSUMERS] * 3; // BUG reads
        arrive(&empty[s]);
        if (t == 32 && B != NO_WAIT_READ) wait_stores_read();
        consumers_meet();
        for (int k = 0; k < TILE / CONSUMERS; k++)
            result[t - 32 + k * CONSUMERS] = mine[k] + i; // BUG writes
        if (B != NO_FENCE) proxy_fence();
        consumers_meet();
        if (t == 32) bulk_store(w.out + i * TILE, result, sizeof result);
    }
    if (t == 32 && B != NO_WAIT_END) wait_stores();
}

/* Each thread sees for itself; polls with test_wait. */
__global__ void polled(struct work w) {
    __shared__ alignas(128) unsigned tile[TILE];
    __shared__ uint64_t full;
    unsigned t = threadIdx.x, round = 0;
    if (t == 0) init(&full, 1);
    __syncthreads();
    for (unsigned i = blockIdx.x; i < N_TILES; i += gridDim.x, round++) {
        if (t == 0) {
            expect(&full, sizeof tile);
            bulk_load(tile, w.in + i * TILE, sizeof tile, &full);
        }
        while (!test_wait(&full, round & 1)) {}
        for (unsigned k = t; k < TILE; k += THREADS)
            w.out[i * TILE + k] = tile[k] * 3 + i;
        __syncthreads();
    }
}

/* A tile goes to the next block through memory: what tells of it may be said
 * when the copy has arrived, not when its source has been read. */
template <bool TOO_EARLY>
__global__ void handed_on(struct work w) {
    __shared__ alignas(128) unsigned result[TILE];
    unsigned t = threadIdx.x, me = blockIdx.x;
    for (unsigned k = t; k < TILE; k += THREADS)
        result[k] = w.in[me * TILE + k] * 3 + me;
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        bulk_store(w.out + me * TILE, result, sizeof result);
        if (TOO_EARLY)
            wait_stores_read();
        else
            wait_stores();
        __threadfence();
        atomicExch(&w.flags[me], 1);
        if (me) {
            while (atomicAdd(&w.flags[me - 1], 0) == 0) {}
            __threadfence();
            unsigned last = w.out[me * TILE - 1]; // BUG neighbour
            if (last != w.in[me * TILE - 1] * 3 + me - 1) printf("early\n");
        }
    }
}

/* cp.async: each thread copies a word and reads its neighbour's. */
template <int WAITS> /* 0: not at all; 1: without a barrier; 2: right */
__global__ void small(struct work w) {
    __shared__ alignas(128) unsigned tile[TILE];
    for (unsigned i = blockIdx.x; i < N_TILES; i += gridDim.x) {
        for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
            ASM("cp.async.ca.shared.global " // BUG small-copies
                "[%0], [%1], 4;" ::"r"(in_shared(&tile[k])),
                "l"(w.in + i * TILE + k)
                : "memory");
        ASM("cp.async.commit_group;" ::: "memory");
        if (WAITS) ASM("cp.async.wait_group 0;" ::: "memory");
        if (WAITS == 2) __syncthreads();
        for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
            w.out[i * TILE + TILE - 1 - k] =
                tile[TILE - 1 - k] * 3 + i; // BUG small-reads
        __syncthreads();
    }
}

/* In place: where a tile came from is written when it has arrived. */
template <bool TOO_EARLY>
__global__ void in_place(struct work w) {
    __shared__ alignas(128) unsigned tile[TILE];
    unsigned *at = w.out + blockIdx.x * TILE;
    for (unsigned k = threadIdx.x; k < TILE; k += THREADS) {
        at[k] = w.in[blockIdx.x * TILE + k];
        ASM("cp.async.ca.shared.global " // BUG own-copies
            "[%0], [%1], 4;" ::"r"(in_shared(&tile[k])),
            "l"(at + k)
            : "memory");
    }
    ASM("cp.async.commit_group;" ::: "memory");
    if (!TOO_EARLY) ASM("cp.async.wait_group 0;" ::: "memory");
    for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
        at[k] = 0; // BUG source
    ASM("cp.async.wait_group 0;" ::: "memory");
    for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
        at[k] = tile[k] * 3 + blockIdx.x;
}

/* A warp tells the others by an mbarrier that a tile is there. */
template <bool TOO_EARLY>
__global__ void told(struct work w) {
    __shared__ unsigned tile[TILE];
    __shared__ uint64_t full;
    unsigned t = threadIdx.x, me = blockIdx.x;
    if (t == 0) init(&full, 32);
    __syncthreads();
    if (t < 32) {
        if (TOO_EARLY) arrive(&full);
        for (unsigned k = t; k < TILE; k += 32)
            tile[k] = w.in[me * TILE + k] * 3; // BUG makes
        if (!TOO_EARLY) arrive(&full);
        return;
    }
    wait(&full, 0);
    for (unsigned k = t - 32; k < TILE; k += CONSUMERS)
        w.out[me * TILE + k] = tile[k] + me; // BUG takes
}

/* The library's barrier waits for those that have ended: its loop of tries looks
 * at the time, so that model time goes on. */
__global__ void library_barrier(struct work w) {
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0) init(&all, blockDim.x);
    __syncthreads();
    if (threadIdx.x < 16) return;
    all.arrive_and_wait(); // BUG library
    w.out[threadIdx.x] = 1;
}

/* Which of the two texts runs. */
__global__ void which(struct work w) {
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) w.flags[0] = __CUDA_ARCH__;
#endif
}

//: case: async-which which
//: run: --device teach | --device gtx275
//: expect: prints 750
//: exit: 1
//: case: async-which-90 which
//: run: --device h200 | --device teach90
//: expect: prints 900
//: exit: 1
//: case: async-pipeline right
//: run: --racecheck --device h200 | --racecheck --device h200 --schedule reverse | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: seeds: 50
//: expect: prints right
//: case: async-polled polled
//: run: --racecheck --device h200 | --racecheck --device h200 --schedule reverse | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: async-no-wait no-wait
//: run: --device h200 | --device h200 --schedule reverse
//: expect: finding uninitialised-read at reads
//: expect: prints wrong
//: case: async-no-wait-race no-wait
//: run: --check racecheck --device h200 | --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at reads other load "wait for the phase of its mbarrier"
//: case: async-wrong-parity wrong-parity
//: run: --check initcheck --device h200
//: expect: finding uninitialised-read at reads
//: case: async-one-try one-try
//: run: --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at reads
//: least: 3 of 4
//: case: async-no-empty no-empty
//: run: --check racecheck --device h200 --schedule random:SEED
//: seeds: 12
//: expect: finding shared-race at load
//: expect: finding deadlock at waits
//: least: 1 of 4
//: case: async-no-fence no-fence
//: run: --check racecheck --device h200 | --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at store other writes "fence.proxy.async"
//: case: async-no-wait-read no-wait-read
//: run: --check racecheck --device h200 | --check racecheck --device teach90 --schedule random:SEED
//: expect: finding shared-race at writes other store "cp.async.bulk.wait_group.read"
//: case: async-no-wait-read-wrong no-wait-read
//: run: --device teach90
//: expect: prints wrong
//: exit: 1
//: case: async-no-wait-end no-wait-end
//: run: --check racecheck --device h200
//: expect: finding shared-race at store "before the end"
//: case: async-more-bytes more-bytes
//: run: --device h200 | --device teach90 --schedule random:SEED
//: expect: finding deadlock at waits "expect_tx must announce exactly the bytes"
//: case: async-more-arrivals more-arrivals
//: run: --device teach90 | --device teach90 --schedule random:SEED
//: expect: finding deadlock at waits "64 of 65 arrivals have come"
//: case: async-handed-on handed-on
//: run: --racecheck --device h200 | --racecheck --device h200 --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: async-handed-on-early too-early
//: run: --check racecheck --device h200 | --check racecheck --device h200 --schedule random:SEED
//: expect: finding global-race at neighbour other store "cp.async.bulk.wait_group, not .read"
//: case: async-handed-on-wrong too-early
//: run: --check none --device h200
//: expect: prints early
//: case: async-small small
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: async-small-no-wait small-no-wait
//: run: --device h200 --schedule reverse
//: expect: finding uninitialised-read at small-reads "wait for the asynchronous copy of line"
//: case: async-small-no-barrier small-no-barrier
//: run: --check racecheck --device h200
//: expect: finding shared-race at small-copies other small-reads
//: case: async-small-no-barrier-random small-no-barrier
//: run: --check racecheck --device h200 --schedule random:SEED
//: expect: finding shared-race at small-reads
//: least: 3 of 4
//: case: async-in-place in-place
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: async-in-place-early source-early
//: run: --check racecheck --device h200 | --check racecheck --device teach90 --schedule random:SEED
//: expect: finding global-race at source other own-copies "wait for it"
//: case: async-told told
//: run: --racecheck --device h200 | --racecheck --device teach90 --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: async-told-early told-early
//: run: --check racecheck --device h200
//: expect: finding shared-race at takes other makes

//: case: async-library-barrier library-barrier
//: run: --device h200 | --device h200 --clock | --device h200 --clock --check all
//: expect: finding deadlock at library "The missing arrivals do not come"

struct choice {
    const char *name;
    void (*kernel)(struct work);
    unsigned blocks;
};

int main(int argc, char **argv) {
    static const struct choice choices[] = {
        {"which", which, 1},
        {"right", pipeline<NONE>, 3},
        {"polled", polled, 5},
        {"no-wait", pipeline<NO_WAIT>, 12},
        {"wrong-parity", pipeline<WRONG_PARITY>, 12},
        {"one-try", pipeline<ONE_TRY>, 3},
        {"no-empty", pipeline<NO_EMPTY>, 3},
        {"no-fence", pipeline<NO_FENCE>, 3},
        {"no-wait-read", pipeline<NO_WAIT_READ>, 3},
        {"no-wait-end", pipeline<NO_WAIT_END>, 3},
        {"more-bytes", pipeline<MORE_BYTES>, 3},
        {"more-arrivals", pipeline<MORE_ARRIVALS>, 3},
        {"handed-on", handed_on<false>, N_TILES},
        {"too-early", handed_on<true>, N_TILES},
        {"small", small<2>, 5},
        {"small-no-wait", small<0>, 5},
        {"small-no-barrier", small<1>, 5},
        {"in-place", in_place<false>, N_TILES},
        {"source-early", in_place<true>, N_TILES},
        {"library-barrier", library_barrier, 2},
        {"told", told<false>, N_TILES},
        {"told-early", told<true>, N_TILES}};
    static unsigned in[N], got[N], want[N];
    for (unsigned i = 0; i < N; i++) {
        in[i] = i * 7 + 1;
        want[i] = in[i] * 3 + i / TILE;
    }
    unsigned *d_in;
    struct work w;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&w.out, sizeof got));
    CHECK(cudaMalloc(&w.flags, N_TILES * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(w.out, 0, sizeof got));
    CHECK(cudaMemset(w.flags, 0, N_TILES * sizeof(unsigned)));
    w.in = d_in;
    for (const struct choice &c : choices) {
        if (argc < 2 || strcmp(c.name, argv[1])) continue;
        c.kernel<<<c.blocks, THREADS>>>(w);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, w.out, sizeof got, cudaMemcpyDeviceToHost));
        unsigned first = 0;
        CHECK(cudaMemcpy(&first, w.flags, 4, cudaMemcpyDeviceToHost));
        if (c.kernel == which) printf("%u\n", first);
        CHECK(cudaFree(d_in));
        CHECK(cudaFree(w.out));
        CHECK(cudaFree(w.flags));
        return verdict(got, want, N);
    }
    return 2;
}
