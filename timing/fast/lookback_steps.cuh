/* SPDX-License-Identifier: MIT
 *
 * lookback_steps.cuh: the functions of lab 6 that lead up to its scans. Nothing
 * here is fast; they are done with what the scans have (board.cuh).
 */
#pragma once

#include "lookback.h"

#include "tiles.cuh"

enum { STEP_ITEMS = LOOKBACK_TILE / TILE_THREADS };
/* What a step does with its tile. */
enum step { WRITE_NUMBER, SCAN_ALONE, ASK_NEIGHBOUR, LOOK_SERIALLY };

typedef orders<uint32_t, 1> step_sums;

/* The sum of a tile, when it is there. One thread. */
inline __device__ uint32_t await_sum(const board<step_sums> &b, unsigned tile) {
    unsigned long long w;
    do w = load_word(b.at(tile, 0, 0));
    while (w >> 32 != b.tag(tile));
    return (uint32_t)w;
}

/* A block per tile. */
template <enum step STEP>
__global__ void __launch_bounds__(TILE_THREADS)
    step_kernel(const uint32_t *in, uint32_t *out, size_t n) {
    __shared__ __align__(16) uint32_t items[LOOKBACK_TILE];
    __shared__ uint32_t by_warp[TILE_WARPS], before_tile;
    __shared__ unsigned ticket, tag;
    int thread = threadIdx.x;
    if (thread == 0) {
        tag = the_ledger.tag;
        ticket = take_ticket();
    }
    __syncthreads();
    unsigned tile = ticket;
    board<step_sums> b(tag, gridDim.x, 1);
    size_t first = (size_t)tile * LOOKBACK_TILE;
    int length = (int)min((size_t)LOOKBACK_TILE, n - first);

    load_tile<step_sums, TILE_THREADS>(items, LOOKBACK_TILE, in + first, length,
                                       thread);
    __syncthreads();
    place_in_group<step_sums, 1> me(thread, TILE_THREADS, tuples<1>{1}, 0);
    uint32_t *top = items + thread * STEP_ITEMS;
    uint32_t upto = me.scan_lanes(sum_column<step_sums, STEP_ITEMS>(top, 1));
    if (me.ends_warp()) by_warp[me.warp] = upto;
    uint32_t in_warp = me.before_in_warp(upto);
    __syncthreads();
    if (thread == 0) {
        before_tile = 0;
        if (STEP == ASK_NEIGHBOUR || STEP == LOOK_SERIALLY)
            b.publish(tile, 0, me.join_warps<TILE_WARPS>(by_warp, TILE_WARPS));
        if (STEP == ASK_NEIGHBOUR && tile > 0)
            before_tile = await_sum(b, tile - 1);
        for (unsigned t = tile; STEP == LOOK_SERIALLY && t-- > 0;)
            before_tile += await_sum(b, t);
        b.leave();
    }
    __syncthreads();
    if (STEP == WRITE_NUMBER || STEP == ASK_NEIGHBOUR)
        for (int k = 0; k < STEP_ITEMS; k++)
            top[k] = STEP == WRITE_NUMBER ? tile : before_tile;
    else
        walk_column<step_sums, STEP_ITEMS>(
            top, 1, me.before<TILE_WARPS>(before_tile, by_warp, in_warp));
    __syncthreads();
    store_tile<TILE_THREADS>(out + first, items, length, thread);
}

template <enum step STEP>
cudaError_t do_step(const int32_t *in, int32_t *out, size_t n) {
    if (n == 0) return cudaSuccess;
    unsigned tiles = (unsigned)((n + LOOKBACK_TILE - 1) / LOOKBACK_TILE);
    step_kernel<STEP>
        <<<tiles, TILE_THREADS>>>((const uint32_t *)in, (uint32_t *)out, n);
    return cudaGetLastError();
}

/* One warp per tile; lane k looks at the tile k before the newest. */
inline __global__ void __launch_bounds__(TILE_THREADS)
    snapshot_kernel(const int32_t *prefix, const int32_t *values, int32_t *out,
                    size_t n) {
    size_t tile = (size_t)blockIdx.x * TILE_WARPS + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (tile >= n) return; /* the whole warp */
    uint32_t sum = 0;
    unsigned prefixes = 0;
    for (long long newest = (long long)tile - 1; newest >= 0 && !prefixes;
         newest -= 32) {
        long long t = newest - lane;
        bool is_prefix = t <= 0 || prefix[t] != 0;
        uint32_t value = t >= 0 ? (uint32_t)values[t] : 0;
        prefixes = __ballot_sync(ALL_LANES, is_prefix);
        int last = prefixes ? __ffs((int)prefixes) - 1 : 31;
        sum += lane <= last ? value : 0;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(ALL_LANES, sum, d);
    if (lane == 0) out[tile] = (int32_t)sum;
}
