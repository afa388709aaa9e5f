// SPDX-License-Identifier: MIT
//
// peers_floors.cu: what a scan of few elements cannot be faster than, and what
// it could be made of, beside the scans (research/log/performance.md). Of
// 32-bit elements:
//
//   floor/nothing       two events and no launch
//   floor/empty         a kernel of one warp that does nothing
//   floor/empty-wave    a block of 1024 such threads on each multiprocessor
//   floor/copy-wave     a copy by one wave of blocks: every load of a thread,
//                       then every store, in the shape of timing/fast/wave.cuh
//   floor/barrier-wave  the same with a barrier of the grid between them
//   floor/cooperative   that, launched as cooperative
//   floor/cluster-8     a scan by one cluster of 8 blocks, by distributed
//   floor/cluster-16    shared memory; of 16
//
// The first three compute nothing: their order is 0, and nobody checks.
#include <cooperative_groups.h>

#include "peers.cuh"

namespace {

namespace cg = cooperative_groups;
enum { MOST_THREADS = 1024, WARPS = 32, ROWS_MOST = 8, LANE_END = 31 };
const unsigned ALL_LANES = 0xffffffffu;

__global__ void empty(const int *never) {
    if (never && threadIdx.x > MOST_THREADS) __trap();
}

unsigned multiprocessors(void) {
    static int count;
    if (!count)
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return (unsigned)count;
}

cudaError_t nothing(peer_call *c) {
    if (!c->temp) c->temp_bytes = 0;
    return cudaSuccess;
}
cudaError_t empty_warp(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    empty<<<1, 32>>>(NULL);
    return cudaGetLastError();
}
cudaError_t empty_wave(peer_call *c) {
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    empty<<<multiprocessors(), MOST_THREADS>>>(NULL);
    return cudaGetLastError();
}

// ---- copies ----

// A warp's rows of 512 bytes, one behind another; n: packs of 16 bytes.
template <int ROWS>
__device__ void load_rows(int4 x[ROWS], const int4 *in, unsigned first,
                          unsigned n) {
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        x[r] = first + 32 * r < n ? in[first + 32 * r] : make_int4(0, 0, 0, 0);
}
template <int ROWS>
__device__ void store_rows(int4 *out, unsigned first, unsigned n,
                           const int4 x[ROWS]) {
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (first + 32 * r < n) out[first + 32 * r] = x[r];
}
template <int ROWS> __device__ unsigned first_row(unsigned block) {
    unsigned warp = block * (blockDim.x / 32) + threadIdx.x / 32;
    return warp * ROWS * 32 + threadIdx.x % 32;
}

__device__ unsigned arrived; // blocks, in all calls so far

__device__ void wait_for_all(unsigned target) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while ((int)(__nv_atomic_load_n(&arrived, __NV_ATOMIC_ACQUIRE,
                                        __NV_THREAD_SCOPE_DEVICE) -
                     target) < 0) {
        }
    }
    __syncthreads();
}

template <int ROWS, bool BARRIER>
__global__ void __launch_bounds__(MOST_THREADS)
    copy_kernel(const int4 *in, int4 *out, unsigned n, unsigned target) {
    unsigned first = first_row<ROWS>(blockIdx.x);
    int4 x[ROWS];
    load_rows<ROWS>(x, in, first, n);
    if (BARRIER) wait_for_all(target);
    store_rows<ROWS>(out, first, n, x);
}

struct shape {
    unsigned blocks, threads, packs;
};
// false: more than a wave with so many rows holds.
bool make_shape(shape *s, size_t n, unsigned rows) {
    unsigned most = multiprocessors();
    size_t packs = (n + 3) / 4, part = 32 * rows;
    size_t warps = (packs + part - 1) / part, in_block;
    if (warps > (size_t)most * WARPS) return false;
    in_block = (warps + most - 1) / most;
    if (in_block < 4) in_block = 4;
    s->blocks = (unsigned)((warps + in_block - 1) / in_block);
    s->threads = (unsigned)(32 * in_block);
    s->packs = (unsigned)packs;
    return true;
}

unsigned arrivals; // as the host counts them

template <int ROWS, bool BARRIER, bool COOPERATIVE>
cudaError_t copy_rows(peer_call *c) {
    shape s;
    if (!make_shape(&s, c->n, ROWS)) {
        if constexpr (ROWS < ROWS_MOST)
            return copy_rows<2 * ROWS, BARRIER, COOPERATIVE>(c);
        return cudaErrorNotSupported;
    }
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    if (c->n % 4) return cudaErrorInvalidValue;
    const int4 *in = (const int4 *)c->in;
    int4 *out = (int4 *)c->out;
    unsigned target = arrivals + s.blocks;
    void *arguments[] = {&in, &out, &s.packs, &target};
    if (COOPERATIVE)
        cudaLaunchCooperativeKernel((const void *)copy_kernel<ROWS, BARRIER>,
                                    s.blocks, s.threads, arguments, 0, 0);
    else
        copy_kernel<ROWS, BARRIER>
            <<<s.blocks, s.threads>>>(in, out, s.packs, target);
    cudaError_t error = cudaGetLastError();
    if (BARRIER && !error) arrivals = target;
    return error;
}

// ---- one cluster ----

__device__ unsigned sum_of_lanes_before(unsigned upto, unsigned lane) {
    unsigned left = __shfl_up_sync(ALL_LANES, upto, 1);
    return lane ? left : 0;
}
__device__ unsigned scan_lanes(unsigned sum, unsigned lane) {
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(ALL_LANES, sum, d);
        if (lane >= d) sum += left;
    }
    return sum;
}

// A tile is what the cluster holds; each block's sum goes into the shared
// memory of every block. One barrier of the cluster for each tile: the words of
// two tiles alternate.
template <int ROWS>
__global__ void __launch_bounds__(MOST_THREADS)
    cluster_kernel(const int4 *in, int4 *out, unsigned n) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ unsigned by_warp[WARPS], by_block[2][16];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, carry = 0;
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    unsigned tile = blocks * blockDim.x * ROWS;
    cluster.sync(); // all blocks are there
    for (unsigned begin = 0, k = 0; begin < n; begin += tile, k ^= 1) {
        unsigned first = begin + first_row<ROWS>(rank), sum = 0;
        unsigned upto[ROWS];
        int4 x[ROWS];
        load_rows<ROWS>(x, in, first, n);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            x[r].y += x[r].x, x[r].z += x[r].y, x[r].w += x[r].z;
            upto[r] = scan_lanes((unsigned)x[r].w, lane);
            sum += upto[r];
        }
        if (lane == LANE_END) by_warp[warp] = sum;
        __syncthreads();
        sum = scan_lanes(lane < blockDim.x / 32 ? by_warp[lane] : 0, lane);
        unsigned before = __shfl_sync(ALL_LANES, sum, warp ? warp - 1 : 0);
        unsigned all = __shfl_sync(ALL_LANES, sum, LANE_END);
        before = carry + (warp ? before : 0);
        if (threadIdx.x < blocks)
            *cluster.map_shared_rank(&by_block[k][rank], threadIdx.x) = all;
        cluster.sync();
        sum = scan_lanes(lane < blocks ? by_block[k][lane] : 0, lane);
        all = __shfl_sync(ALL_LANES, sum, rank ? rank - 1 : 0);
        before += rank ? all : 0;
        carry += __shfl_sync(ALL_LANES, sum, LANE_END);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            unsigned here = before + sum_of_lanes_before(upto[r], lane);
            before += __shfl_sync(ALL_LANES, upto[r], LANE_END);
            x[r].x += here, x[r].y += here, x[r].z += here, x[r].w += here;
        }
        store_rows<ROWS>(out, first, n, x);
    }
}

template <int BLOCKS, int ROWS> cudaError_t cluster_rows(peer_call *c) {
    size_t room = (size_t)BLOCKS * MOST_THREADS * 4 * ROWS;
    if (!c->temp) return c->temp_bytes = 0, cudaSuccess;
    if (c->n % 4) return cudaErrorInvalidValue;
    if constexpr (ROWS < ROWS_MOST)
        if (c->n > room) return cluster_rows<BLOCKS, 2 * ROWS>(c);
    static cudaError_t may =
        cudaFuncSetAttribute(cluster_kernel<ROWS>,
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (may) return may;
    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = BLOCKS;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = BLOCKS;
    launch.blockDim = MOST_THREADS;
    launch.attrs = &size;
    launch.numAttrs = 1;
    return cudaLaunchKernelEx(&launch, cluster_kernel<ROWS>,
                              (const int4 *)c->in, (int4 *)c->out,
                              (unsigned)(c->n / 4));
}

const int I32 = BENCH_TYPE_int32;
const peer table[] = {
    {{"floor/nothing", BENCH_copy, I32, 0, 1}, nothing},
    {{"floor/empty", BENCH_copy, I32, 0, 1}, empty_warp},
    {{"floor/empty-wave", BENCH_copy, I32, 0, 1}, empty_wave},
    {{"floor/copy-wave", BENCH_copy, I32, 1, 1}, copy_rows<1, false, false>},
    {{"floor/barrier-wave", BENCH_copy, I32, 1, 1}, copy_rows<1, true, false>},
    {{"floor/cooperative", BENCH_copy, I32, 1, 1}, copy_rows<1, true, true>},
    {{"floor/cluster-8", BENCH_inclusive_sum, I32, 1, 1}, cluster_rows<8, 1>},
    {{"floor/cluster-16", BENCH_inclusive_sum, I32, 1, 1}, cluster_rows<16, 1>},
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}
