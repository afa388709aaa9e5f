/* SPDX-License-Identifier: MIT
 *
 * hopper.cu: what the toolkit's own headers make of bulk copies, barriers that
 * count bytes, clusters of one block and register hints (compute_90a).
 */
//: expect: prints right
//: run: --check all --device h200 | --check all --device teach90 --schedule random:SEED --memory-model weak:SEED
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "check.h"

//: nvcc: -std=c++17 -diag-suppress 20054
//: arch: compute_75 compute_90a

enum { N = 128 };
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

/* A bulk copy by cuda::device::memcpy_async_tx, told by a cuda::barrier. */
__global__ void bulk(const unsigned *in, unsigned *out) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(128) unsigned tile[N];
    __shared__ barrier full;
    unsigned me = threadIdx.x;
    if (me == 0) {
        init(&full, blockDim.x);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (me == 0) {
        cuda::device::memcpy_async_tx(
            tile, in, cuda::aligned_size_t<16>(sizeof tile), full);
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof tile);
    } else {
        token = full.arrive();
    }
    full.wait(std::move(token));
    out[me] = tile[me] * 3;
#endif
}

/* The same asked for of a group, and back by a bulk store. */
__global__ void there_and_back(const unsigned *in, unsigned *out) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(128) unsigned tile[N];
    __shared__ barrier full;
    unsigned me = threadIdx.x;
    if (me == 0) init(&full, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(cg::this_thread_block(), tile, in,
                       cuda::aligned_size_t<16>(sizeof tile), full);
    full.arrive_and_wait();
    tile[me] *= 3;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (me == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global,
                                 cuda::ptx::space_shared, out, tile,
                                 sizeof tile);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
    }
#endif
}

/* A block is a cluster; warps give registers away. */
__global__ void cluster(const unsigned *in, unsigned *out) {
#if __CUDA_ARCH__ >= 900
    __shared__ unsigned tile[N];
    cg::cluster_group own = cg::this_cluster();
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    tile[own.thread_rank()] = in[own.thread_rank()] * 3;
    own.sync();
    unsigned *there = own.map_shared_rank(tile, own.block_rank());
    out[threadIdx.x] = there[threadIdx.x] * own.num_blocks();
    auto token = own.barrier_arrive();
    own.barrier_wait(std::move(token));
    asm volatile("setmaxnreg.inc.sync.aligned.u32 80;");
#endif
}

//: case: hopper-bulk bulk
//: case: hopper-there-and-back there-and-back
//: case: hopper-cluster cluster

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(const unsigned *, unsigned *);
    } kernels[] = {{"bulk", bulk},
                   {"there-and-back", there_and_back},
                   {"cluster", cluster}};
    unsigned in[N], got[N], want[N], *d_in, *d_out;
    for (unsigned i = 0; i < N; i++) {
        in[i] = i + 7;
        want[i] = in[i] * 3;
    }
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof got));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, sizeof got));
    for (auto &k : kernels) {
        if (argc < 2 || strcmp(k.name, argv[1])) continue;
        k.kernel<<<1, N>>>(d_in, d_out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(d_in));
        CHECK(cudaFree(d_out));
        return verdict(got, want, N);
    }
    return 2;
}
