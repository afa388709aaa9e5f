/* SPDX-License-Identifier: MIT
 *
 * right_cpp.cu: right programs that use what CUDA C++ brings: cuda::atomic_ref
 * and cooperative groups.
 */
//: seeds: 15
#include "check.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

enum { TILE = 64, N_TILES = 8, N = TILE * N_TILES };
enum { NOTHING = 0, AGGREGATE = 1, PREFIX = 2 };

struct work {
    const unsigned *in;
    unsigned *out, *ticket, *flag, *aggregate, *prefix;
};
using device_word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ unsigned tile_scan(unsigned x, unsigned *shared) {
    unsigned me = threadIdx.x;
    shared[me] = x;
    __syncthreads();
    for (unsigned d = 1; d < TILE; d *= 2) {
        unsigned left = me >= d ? shared[me - d] : 0;
        __syncthreads();
        shared[me] += left;
        __syncthreads();
    }
    return shared[me];
}

/* Look-back with release and acquire instead of fences. */
__global__ void atomic_ref_lookback(struct work w) {
    __shared__ unsigned shared[TILE], before, tile_number;
    if (threadIdx.x == 0)
        tile_number =
            device_word(*w.ticket).fetch_add(1, cuda::memory_order_relaxed);
    __syncthreads();
    unsigned tile = tile_number;
    unsigned mine = tile_scan(w.in[tile * TILE + threadIdx.x], shared);
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        w.aggregate[tile] = shared[TILE - 1];
        device_word(w.flag[tile]).store(AGGREGATE, cuda::memory_order_release);
        for (int t = (int)tile - 1; t >= 0; t--) {
            unsigned f;
            do f = device_word(w.flag[t]).load(cuda::memory_order_acquire);
            while (f == NOTHING);
            sum += f == PREFIX ? w.prefix[t] : w.aggregate[t];
            if (f == PREFIX) break;
        }
        w.prefix[tile] = sum + shared[TILE - 1];
        device_word(w.flag[tile]).store(PREFIX, cuda::memory_order_release);
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* The same, relaxed: what look-back without fences is in C++. */
__global__ void atomic_ref_relaxed(struct work w) {
    __shared__ unsigned shared[TILE], before, tile_number;
    if (threadIdx.x == 0) tile_number = atomicAdd(w.ticket, 1);
    __syncthreads();
    unsigned tile = tile_number;
    unsigned mine = tile_scan(w.in[tile * TILE + threadIdx.x], shared);
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile) {
            while (device_word(w.flag[tile - 1])
                       .load(cuda::memory_order_relaxed) == NOTHING) {}
            sum = w.prefix[tile - 1]; // BUG relaxed
        }
        w.prefix[tile] = sum + shared[TILE - 1];
        device_word(w.flag[tile]).store(PREFIX, cuda::memory_order_relaxed);
        before = sum;
    }
    __syncthreads();
    w.out[tile * TILE + threadIdx.x] = before + mine;
}

/* A spin lock in C++: acquire and release. */
__global__ void atomic_ref_lock(struct work w) {
    unsigned x = w.in[blockIdx.x * TILE + threadIdx.x], none = 0;
    while (!device_word(*w.ticket)
                .compare_exchange_weak(none, 1, cuda::memory_order_acquire))
        none = 0;
    w.out[0] += x;
    w.out[1]++;
    device_word(*w.ticket).store(0, cuda::memory_order_release);
}

/* Tiles of a warp scan; blocks meet at grid.sync(). */
__global__ void groups_scan(struct work w) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ unsigned first;
    unsigned at = (unsigned)grid.thread_rank();
    unsigned x = w.in[at];
    for (unsigned d = 1; d < warp.size(); d *= 2) {
        unsigned left = warp.shfl_up(x, d);
        if (warp.thread_rank() >= d) x += left;
    }
    if (warp.meta_group_rank() == 0 && warp.thread_rank() == 31) first = x;
    block.sync();
    if (warp.meta_group_rank() == 1) x += first;
    if (block.thread_rank() == TILE - 1) w.aggregate[blockIdx.x] = x;
    grid.sync(); // BUG grid-sync
    for (unsigned b = 0; b < blockIdx.x; b++) x += w.aggregate[b];
    w.out[at] = x;
}

/* Groups of lanes that happen to be together. */
__global__ void coalesced(struct work w) {
    unsigned x = w.in[blockIdx.x * TILE + threadIdx.x];
    for (unsigned k = 0; k < x; k++) {
        cg::coalesced_group some = cg::coalesced_threads();
        unsigned n = some.size();
        if (some.thread_rank() == 0) atomicAdd(&w.out[0], n);
    }
    atomicAdd(&w.out[1], 1);
}

//: case: right-atomic-ref atomic_ref_lookback
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: expect: prints right
//: case: right-atomic-ref-lock atomic_ref_lock
//: run: --check all --schedule random:SEED --memory-model weak:SEED
//: seeds: 6
//: expect: prints right
//: case: right-grid-sync groups_scan
//: run: --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: expect: prints right
//: case: waits-grid-sync-not-cooperative not-cooperative
//: run: --schedule in-order
//: expect: finding trap at grid-sync "cudaLaunchCooperativeKernel"
//: case: right-coalesced coalesced
//: run: --check all --schedule random:SEED --memory-model weak:SEED
//: expect: prints right
//: case: lookback-relaxed-race atomic_ref_relaxed
//: run: --racecheck | --racecheck --schedule random:SEED --memory-model weak:SEED
//: seeds: 5
//: expect: finding global-race at relaxed
//: case: lookback-relaxed atomic_ref_relaxed
//: run: --check none --schedule random:SEED --memory-model weak:SEED
//: seeds: 20
//: expect: prints wrong
//: least: 9 of 10
//: exit: 1
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    static unsigned in[N], want[N], got[N];
    for (unsigned i = 0; i < N; i++) {
        in[i] = i * 7 % 13 + 1;
        want[i] = in[i] + (i ? want[i - 1] : 0);
    }
    struct work w;
    unsigned *d_in;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&w.out, sizeof in));
    CHECK(cudaMalloc(&w.ticket, sizeof(unsigned)));
    CHECK(cudaMalloc(&w.flag, N_TILES * sizeof(unsigned)));
    CHECK(cudaMalloc(&w.aggregate, N_TILES * sizeof(unsigned)));
    CHECK(cudaMalloc(&w.prefix, N_TILES * sizeof(unsigned)));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(w.ticket, 0, sizeof(unsigned)));
    CHECK(cudaMemset(w.out, 0, sizeof in));
    CHECK(cudaMemset(w.flag, 0, N_TILES * sizeof(unsigned)));
    CHECK(cudaMemset(w.prefix, 0, N_TILES * sizeof(unsigned)));
    CHECK(cudaMemset(w.aggregate, 0, N_TILES * sizeof(unsigned)));
    w.in = d_in;
    int n = N;
    if (is("atomic_ref_lookback")) atomic_ref_lookback<<<N_TILES, TILE>>>(w);
    if (is("atomic_ref_relaxed")) atomic_ref_relaxed<<<N_TILES, TILE>>>(w);
    if (is("atomic_ref_lock")) atomic_ref_lock<<<N_TILES, TILE>>>(w), n = 2;
    if (is("coalesced")) coalesced<<<N_TILES, TILE>>>(w), n = 2;
    if (is("not-cooperative")) groups_scan<<<N_TILES, TILE>>>(w);
    if (is("groups_scan")) {
        void *args[] = {&w};
        CHECK(cudaLaunchCooperativeKernel((void *)groups_scan, N_TILES, TILE,
                                          args, 0, 0));
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, w.out, sizeof got, cudaMemcpyDeviceToHost));
    unsigned *all[] = {d_in, w.out, w.ticket, w.flag, w.aggregate, w.prefix};
    for (unsigned *p : all) CHECK(cudaFree(p));
    if (n == 2) want[0] = want[N - 1], want[1] = N;
    return verdict(got, want, n);
}
