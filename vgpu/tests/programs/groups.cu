/* SPDX-License-Identifier: MIT
 *
 * groups.cu: cooperative groups: blocks, tiles of 4 to 32, groups made by a
 * branch, labels and predicates, their reductions and scans, the whole grid.
 */
//: expect: prints right
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

enum { BLOCK = 128, BLOCKS = 6, N = BLOCK * BLOCKS };

/* Sums of tiles of SIZE, each by a group's own shuffles. */
template <int SIZE>
__global__ void tiles(const unsigned *in, unsigned *out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<SIZE>(block);
    unsigned i = blockIdx.x * BLOCK + block.thread_rank(), x = in[i], sum = x;
    for (unsigned d = tile.size() / 2; d; d /= 2) sum += tile.shfl_xor(sum, d);
    unsigned again = cg::reduce(tile, x, cg::plus<unsigned>());
    unsigned before = cg::exclusive_scan(tile, x, cg::plus<unsigned>());
    unsigned first = tile.shfl(x, 0);
    bool all = tile.all(sum == again), some = tile.any(x == first);
    unsigned votes = __popc(tile.ballot(x & 1));
    tile.sync();
    out[i] = all && some ? sum + before * 3 + votes * 5 : 0;
}

template <int SIZE>
static void tiles_host(const unsigned *in, unsigned *want) {
    for (int i = 0; i < N; i++) {
        unsigned sum = 0, before = 0, votes = 0;
        for (int k = i / SIZE * SIZE; k < i / SIZE * SIZE + SIZE; k++) {
            sum += in[k];
            votes += in[k] & 1;
            if (k < i) before += in[k];
        }
        want[i] = sum + before * 3 + votes * 5;
    }
}

/* Lanes that share a branch, a label, a predicate. */
__global__ void parts(const unsigned *in, unsigned *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, x = in[i], n = 0;
    if (x % 3 == 0) {
        cg::coalesced_group together = cg::coalesced_threads();
        n = cg::reduce(together, 1u, cg::plus<unsigned>()) == together.size();
    }
    cg::coalesced_group same = cg::labeled_partition(warp, x % 5);
    unsigned sum = cg::reduce(same, x, cg::plus<unsigned>());
    cg::coalesced_group half = cg::binary_partition(warp, x & 1);
    out[i] = n + sum * 7 + half.size() * 1000;
}

static void parts_host(const unsigned *in, unsigned *want) {
    for (int i = 0; i < N; i++) {
        unsigned sum = 0, half = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            if (in[k] % 5 == in[i] % 5) sum += in[k];
            half += in[k] % 2 == in[i] % 2;
        }
        want[i] = !(in[i] % 3) + sum * 7 + half * 1000;
    }
}

/* Copies to shared memory that the block starts together and waits for. */
__global__ void copies(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * BLOCK, sizeof tile);
    cg::wait(block);
    unsigned last = BLOCK - 1 - threadIdx.x;
    out[blockIdx.x * BLOCK + threadIdx.x] = tile[last];
}

/* A sum over the grid: blocks meet twice. */
__global__ void whole_grid(const unsigned *in, unsigned *out, unsigned *sums) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    __shared__ unsigned part[BLOCK / 32];
    auto warp = cg::tiled_partition<32>(block);
    unsigned i = (unsigned)grid.thread_rank();
    unsigned x = cg::reduce(warp, in[i], cg::plus<unsigned>());
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = x;
    block.sync();
    if (block.thread_rank() == 0) {
        unsigned sum = 0;
        for (unsigned p : part) sum += p;
        sums[grid.block_rank()] = sum;
    }
    grid.sync();
    if (i == 0)
        for (unsigned b = 1; b < grid.num_blocks(); b++) sums[0] += sums[b];
    grid.sync();
    out[i] = sums[0];
}

//: case: groups-tiles tiles
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: case: groups-parts parts
//: case: groups-copies copies
//: case: groups-grid grid
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    static unsigned in[N], want[N], got[N];
    unsigned *d_in, *d_out, *d_sums, sum = 0;
    int failed = 0;
    for (unsigned i = 0; i < N; i++) sum += in[i] = i * 37 % 101;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof in));
    CHECK(cudaMalloc(&d_sums, BLOCKS * sizeof *d_sums));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    auto compare = [&] {
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N && !failed; i++)
            if (got[i] != want[i])
                failed = printf("wrong at %d: %u, not %u\n", i, got[i], want[i]);
    };
    bool known = true;
    if (is("tiles")) {
        tiles<32><<<BLOCKS, BLOCK>>>(d_in, d_out);
        tiles_host<32>(in, want);
        compare();
        tiles<4><<<BLOCKS, BLOCK>>>(d_in, d_out);
        tiles_host<4>(in, want);
        compare();
    } else if (is("parts")) {
        parts<<<BLOCKS, BLOCK>>>(d_in, d_out);
        parts_host(in, want);
        compare();
    } else if (is("copies")) {
        copies<<<BLOCKS, BLOCK>>>(d_in, d_out);
        for (int i = 0; i < N; i++)
            want[i] = in[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
        compare();
    } else if (is("grid")) {
        void *args[] = {&d_in, &d_out, &d_sums};
        CHECK(cudaLaunchCooperativeKernel((void *)whole_grid, BLOCKS, BLOCK,
                                          args, 0, 0));
        for (int i = 0; i < N; i++) want[i] = sum;
        compare();
    } else {
        known = false;
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_sums));
    if (known && !failed) puts("right");
    return !known || failed;
}
