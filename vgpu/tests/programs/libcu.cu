/* SPDX-License-Identifier: MIT
 *
 * libcu.cu: libcu++ in kernels: atomics of every scope, barriers, latches,
 * semaphores, pipelines.
 */
//: nvcc: -diag-suppress 20054
//: expect: prints right
#include "check.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { BLOCK = 128, BLOCKS = 6, N = BLOCK * BLOCKS };
using word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ cuda::atomic<unsigned, cuda::thread_scope_device> total;
__device__ cuda::atomic<unsigned, cuda::thread_scope_system> tickets;

/* Counters, a running maximum, a 64-bit one by comparison and exchange. */
__global__ void atomics(const unsigned *in, unsigned *out,
                        unsigned long long *wide) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    total.fetch_add(in[i], cuda::memory_order_relaxed);
    word(out[0]).fetch_max(in[i]);
    tickets++;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> w(*wide);
    unsigned long long old = w.load(), next;
    do next = old + ((unsigned long long)in[i] << 20);
    while (!w.compare_exchange_weak(old, next));
}

/* A block barrier in shared memory: arrive, do something else, wait. */
__global__ void barriers(const unsigned *in, unsigned *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier meet;
    __shared__ unsigned x[BLOCK];
    unsigned me = threadIdx.x, at = blockIdx.x * BLOCK + me, sum = 0;
    if (me == 0) init(&meet, BLOCK);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        x[me] = in[at] + round;
        auto token = meet.arrive();
        sum += round;
        meet.wait(std::move(token));
        sum += x[BLOCK - 1 - me];
        meet.arrive_and_wait();
    }
    out[at] = sum;
}

/* Threads of a block wait until the first warp has done its part. */
__global__ void latches(const unsigned *in, unsigned *out) {
    __shared__ cuda::latch<cuda::thread_scope_block> *done;
    __shared__ alignas(8) char
        space[sizeof(cuda::latch<cuda::thread_scope_block>)];
    __shared__ unsigned first[32];
    unsigned me = threadIdx.x, at = blockIdx.x * BLOCK + me;
    if (me == 0)
        done = new (space) cuda::latch<cuda::thread_scope_block>(32);
    __syncthreads();
    if (me < 32) {
        first[me] = in[at] * 2;
        done->count_down();
    }
    done->wait();
    out[at] = first[me % 32];
}

/* One at a time is past the door: a lane for its whole warp, or each lane for
 * itself. Lanes of a warp that wait for each other may do so for ever on a GPU:
 * the compiler may let them meet again before the one that is in can leave. */
template <int TOGETHER>
__global__ void semaphores(const unsigned *in, unsigned *out) {
    using semaphore = cuda::binary_semaphore<cuda::thread_scope_device>;
    __shared__ alignas(8) char space[sizeof(semaphore)];
    semaphore *gate = reinterpret_cast<semaphore *>(space);
    __shared__ unsigned sum;
    unsigned me = threadIdx.x, at = blockIdx.x * BLOCK + me;
    if (me == 0) {
        new (gate) semaphore(1);
        sum = 0;
    }
    __syncthreads();
    if (me % TOGETHER == 0) {
        gate->acquire();
        for (int i = 0; i < TOGETHER; i++) sum += in[at + i];
        gate->release();
    }
    __syncthreads();
    out[at] = sum;
}

/* Two stages: the next tile comes in while this one is used. */
__global__ void pipelines(const unsigned *in, unsigned *out) {
    enum { STAGES = 2, TILES = N / BLOCK };
    __shared__ unsigned tile[STAGES][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>
        state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    unsigned me = threadIdx.x, sum = 0;
    for (int t = 0, fetched = 0; t < TILES; t++) {
        for (; fetched < TILES && fetched < t + STAGES; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % STAGES],
                               in + fetched * BLOCK, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tile[t % STAGES][BLOCK - 1 - me];
        pipe.consumer_release();
    }
    out[blockIdx.x * BLOCK + me] = sum;
}

//: case: libcu-atomics atomics
//: case: libcu-barriers barriers
//: case: libcu-latches latches
//: case: libcu-semaphores semaphores
//: case: libcu-semaphores-lanes semaphores-lanes
//: seeds: 2
//: gpu: no, lanes of one warp wait for each other
//: case: libcu-pipelines pipelines
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    static unsigned in[N], want[N], got[N];
    unsigned *d_in, *d_out, sum = 0, most = 0, h_total = 0;
    unsigned long long *d_wide, wide = 0;
    bool known = true;
    for (unsigned i = 0; i < N; i++) {
        sum += in[i] = i * 37 % 101;
        if (in[i] > most) most = in[i];
    }
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof in));
    CHECK(cudaMalloc(&d_wide, sizeof wide));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, sizeof in));
    CHECK(cudaMemset(d_wide, 0, sizeof wide));
    if (is("atomics")) {
        atomics<<<BLOCKS, BLOCK>>>(d_in, d_out, d_wide);
        want[0] = most;
    } else if (is("barriers")) {
        barriers<<<BLOCKS, BLOCK>>>(d_in, d_out);
        for (int i = 0; i < N; i++)
            want[i] = 6 + 3 * in[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
    } else if (is("latches")) {
        latches<<<BLOCKS, BLOCK>>>(d_in, d_out);
        for (int i = 0; i < N; i++) want[i] = in[i / BLOCK * BLOCK + i % 32] * 2;
    } else if (is("semaphores") || is("semaphores-lanes")) {
        auto kernel = is("semaphores") ? semaphores<32> : semaphores<1>;
        kernel<<<BLOCKS, BLOCK>>>(d_in, d_out);
        for (int i = 0; i < N; i++) want[i / BLOCK * BLOCK] += in[i];
        for (int i = 0; i < N; i++) want[i] = want[i / BLOCK * BLOCK];
    } else if (is("pipelines")) {
        pipelines<<<BLOCKS, BLOCK>>>(d_in, d_out);
        for (int i = 0; i < N; i++) want[BLOCK - 1 - i % BLOCK] += in[i];
        for (int i = 0; i < N; i++) want[i] = want[i % BLOCK];
    } else {
        known = false;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&wide, d_wide, sizeof wide, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&h_total, total, sizeof h_total));
    if (is("atomics") && (h_total != sum || wide != (unsigned long long)sum << 20))
        known = false;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_wide));
    return known ? verdict(got, want, N) : 1;
}
