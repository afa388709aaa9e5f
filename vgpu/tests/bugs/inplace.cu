/* SPDX-License-Identifier: MIT
 *
 * inplace.cu: one block writes where another has read: in place, once a flag
 * says that the reader is done. No fence is needed for that, but barriers are.
 * And plain loads beside atomics.
 */
//: expect: prints right
#include "check.h"

enum { TILE = 64, N_TILES = 8, N = TILE * N_TILES };

/* Every tile but the last moves its elements one tile to the right, in place.
 * Tile t writes tile t + 1, which must have read its own before. */
__device__ void move_tiles(unsigned *data, unsigned *ticket, unsigned *flag,
                           bool barrier_before, bool barrier_after) {
    __shared__ unsigned tile_number;
    volatile unsigned *done = flag;
    if (threadIdx.x == 0)
        tile_number = N_TILES - 1 - atomicAdd(ticket, 1); /* last one first */
    __syncthreads();
    unsigned tile = tile_number, at = tile * TILE + threadIdx.x;
    unsigned x = data[at]; // BUG read
    if (barrier_before) __syncthreads();
    if (threadIdx.x == 0) done[tile] = 1;
    if (tile == N_TILES - 1) return;
    if (threadIdx.x == 0)
        while (!done[tile + 1]) {}
    if (barrier_after) __syncthreads();
    data[at + TILE] = x; // BUG write
}

__global__ void in_place(unsigned *data, unsigned *ticket, unsigned *flag) {
    move_tiles(data, ticket, flag, true, true);
}

/* Thread 0 may say "done" while another warp has not read yet. */
__global__ void says_too_early(unsigned *data, unsigned *ticket,
                               unsigned *flag) {
    move_tiles(data, ticket, flag, false, true);
}

/* Other warps write although only the first has waited. */
__global__ void writes_too_early(unsigned *data, unsigned *ticket,
                                 unsigned *flag) {
    move_tiles(data, ticket, flag, true, false);
}

/* The CUDA programming guide's atomicAdd for a type that has none. */
__global__ void add_by_comparison(unsigned *data, unsigned *ticket) {
    unsigned old = ticket[1], assumed; /* a plain load */
    do {
        assumed = old;
        old = atomicCAS(&ticket[1], assumed, assumed + data[threadIdx.x]);
    } while (assumed != old);
}

/* The same word, but what was loaded is used as it is. */
__global__ void add_and_look(unsigned *data, unsigned *ticket) {
    atomicAdd(&ticket[1], data[threadIdx.x]);
    data[threadIdx.x] = ticket[1]; // BUG look
}

/* Tiles of a warp, each with a mask of its own, part in ways of their own. */
__global__ void tiles_of_a_warp(unsigned *data) {
    unsigned lane = threadIdx.x % 32, mask = 0xffu << (lane & 24);
    unsigned x = data[threadIdx.x], sum = x;
    for (unsigned k = 0; k < lane / 8; k++) x = x * 3 + lane;
    for (int d = 4; d; d /= 2) sum += __shfl_xor_sync(mask, sum, d, 8);
    data[threadIdx.x] = sum;
}

//: case: right-in-place in_place
//: run: --check all | --check all --schedule random:SEED --memory-model weak:SEED | --check all --schedule reverse --memory-model weak:SEED
//: seeds: 15
//: case: in-place-says-too-early says_too_early
//: run: --racecheck | --racecheck --schedule random:SEED --memory-model weak:SEED
//: expect: finding global-race at write other read
//: case: in-place-writes-too-early writes_too_early
//: run: --racecheck --schedule random:SEED
//: expect: finding global-race at write
//: expect: finding global-race at read
//: least: 1 of 5
//: case: right-add-by-comparison add_by_comparison
//: seeds: 15
//: case: waits-add-and-look add_and_look
//: run: --racecheck
//: expect: finding global-race at look
//: case: right-tiles-of-a-warp tiles_of_a_warp
//: seeds: 30
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    auto is = [=](const char *name) { return !strcmp(what, name); };
    static unsigned in[N], want[N], got[N];
    unsigned *data, *ticket, *flag;
    for (unsigned i = 0; i < N; i++) {
        in[i] = i * 7 % 101 + 1;
        want[i] = i < TILE ? in[i] : in[i - TILE];
    }
    CHECK(cudaMalloc(&data, sizeof in));
    CHECK(cudaMalloc(&ticket, 2 * sizeof(unsigned)));
    CHECK(cudaMalloc(&flag, N_TILES * sizeof(unsigned)));
    CHECK(cudaMemcpy(data, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(ticket, 0, 2 * sizeof(unsigned)));
    CHECK(cudaMemset(flag, 0, N_TILES * sizeof(unsigned)));
    if (is("in_place")) in_place<<<N_TILES, TILE>>>(data, ticket, flag);
    if (is("says_too_early"))
        says_too_early<<<N_TILES, TILE>>>(data, ticket, flag);
    if (is("writes_too_early"))
        writes_too_early<<<N_TILES, TILE>>>(data, ticket, flag);
    if (is("add_and_look")) add_and_look<<<4, TILE>>>(data, ticket);
    if (is("add_by_comparison")) {
        unsigned sum = 0;
        add_by_comparison<<<4, TILE>>>(data, ticket);
        for (int i = 0; i < TILE; i++) sum += 4 * in[i];
        memcpy(want, in, sizeof in);
        CHECK(cudaMemcpy(got, ticket, 8, cudaMemcpyDeviceToHost));
        if (got[1] != sum) want[0] = ~0u;
    }
    if (is("tiles_of_a_warp")) {
        tiles_of_a_warp<<<1, TILE>>>(data);
        memcpy(want, in, sizeof in);
        for (int i = 0; i < TILE; i++) {
            want[i] = 0;
            for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++) want[i] += in[k];
        }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, data, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    CHECK(cudaFree(ticket));
    CHECK(cudaFree(flag));
    return verdict(got, want, N);
}
