/* SPDX-License-Identifier: MIT
 *
 * applications_pipeline.cuh: the kernel in which every step of a tile has warps
 * of its own, so that all steps happen at once, each for another tile:
 *
 *   copy_tiles      1 warp      ticket, copy engine fills a stage
 *   count_tiles     8 warps     what is in the tile; publishes it
 *   find_prefixes   1 warp      looks back
 *   place_tiles     16 warps    to scratch, from there to the output
 *
 * They meet at barriers in shared memory that also count copied bytes
 * (mbarrier), three per stage: full, ready, empty.
 */
#pragma once

#include "applications_tiles.cuh"

/* From how many elements on; below, simple_tiles is as fast or faster. */
template <kind K>
constexpr uint32_t PIPELINE_FROM = IS_RUNS<K> ? 1u << 19 : 1u << 16;

/* STAGES tiles are on their way through a block. Many: a tile waits in its
 * stage for copy, count, the other blocks' counts and its turn, and all that
 * time nothing new is loaded into it. Tiles of 24 to 32 KB: with smaller ones,
 * more time goes into barriers and looking back. */
template <kind K> struct pipeline {
    using S = shape<16, K == BY_KEY ? 8 : K == RUNS ? 14 : 12>;
    static constexpr int STAGES = IS_RUNS<K> ? 5 : 7, COUNTERS = 8;
    static constexpr int STAGE_WORDS = S::ROOM * (K == BY_KEY ? 2 : 1);
    static constexpr int SCRATCH_WORDS =
        K == SUM ? 0 : S::ROOM * (IS_RUNS<K> ? 2 : 1);
    static constexpr int THREADS = 32 * (2 + COUNTERS + S::WARPS);
    static constexpr int BYTES = 4 * (STAGES * STAGE_WORDS + SCRATCH_WORDS);
};

#if __CUDA_ARCH__ >= 900

__device__ inline uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void barrier_init(uint64_t *barrier, unsigned arrivals) {
    asm volatile(
        "mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(arrivals)
        : "memory");
}

__device__ inline void barrier_arrive(uint64_t *barrier) {
    asm volatile(
        "mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier))
        : "memory");
}

/* Arrives, and asks the barrier to wait for that many copied bytes, too. */
__device__ inline void barrier_arrive_bytes(uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/* Waits until the barrier's phase number `phase` (modulo 2) is over. */
__device__ inline void barrier_wait(uint64_t *barrier, unsigned phase) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(phase % 2)
                 : "memory");
}

__device__ inline void bulk_copy(void *to, const void *from, unsigned bytes,
                                 uint64_t *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

template <int ID, int WARPS> __device__ inline void some_warps_sync() {
    asm volatile("bar.sync %0, %1;" ::"n"(ID), "n"(WARPS * 32) : "memory");
}

/* The part of an array that the copy engine takes for a tile: whole 16-byte
 * pieces inside the array, reaching a little over the tile's ends where the
 * array does. What is left, three elements at either end of the array, the
 * warp copies itself. Positions count from the tile's first element. (In
 * place, what reaches over the beginning may be new already; nobody uses it.)
 */
struct bulk_piece {
    const int32_t *from;
    int32_t *to;
    int begin, end, size;

    __device__ bulk_piece(const int32_t *array, uint32_t n, uint32_t base,
                          unsigned wanted, int32_t *stage) {
        int offset = (int)offset16(array); /* base is a multiple of 4 */
        size = (int)min(wanted, n - base);
        from = array + base;
        to = stage + offset;
        begin = base ? -offset : (4 - offset) % 4;
        int over = (offset + size) % 4; /* behind the last boundary */
        end = size - over;
        if (over && n - base >= (unsigned)(end + 4)) end += 4;
        if (end < begin) end = begin; /* shorter than one piece */
    }
    __device__ unsigned bytes() const { return 4 * (unsigned)(end - begin); }
    __device__ void copy_rest() const {
        int lane = (int)lane_id();
        if (lane < begin && lane < size) to[lane] = from[lane];
        if (end + lane < size) to[end + lane] = from[end + lane];
    }
    __device__ void copy_bulk(uint64_t *barrier) const {
        if (end > begin) bulk_copy(to + begin, from + begin, bytes(), barrier);
    }
};

template <kind K> struct pipe {
    using P = pipeline<K>;
    using S = typename P::S;
    uint64_t full[P::STAGES];  /* the stage holds a tile */
    uint64_t ready[P::STAGES]; /* its facts are there */
    uint64_t empty[P::STAGES]; /* its elements are no longer needed */
    tile_facts<S> facts[P::STAGES];
};

template <kind K>
__device__ tile_view view_in_stage(const task &t, unsigned tile,
                                   const int32_t *stage) {
    using P = pipeline<K>;
    return view_of<typename P::S>(t, tile, stage + offset16(t.in),
                                  stage + P::S::ROOM +
                                      offset16(K == BY_KEY ? t.values : NULL));
}

/* One warp: takes tickets, starts copies. */
template <kind K>
__device__ void copy_tiles(const task &t, pipe<K> *pipe, int32_t *stages) {
    using P = pipeline<K>;
    using S = typename P::S;
    for (unsigned turn = 0;; turn++) {
        unsigned s = turn % P::STAGES;
        if (turn >= P::STAGES)
            barrier_wait(&pipe->empty[s], turn / P::STAGES - 1);
        unsigned tile = 0;
        if (lane_id() == 0) tile = take_ticket(t.tiles);
        tile = __shfl_sync(ALL_LANES, tile, 0);
        if (lane_id() == 0) pipe->facts[s].tile = tile;
        if (tile >= t.tiles) {
            if (lane_id() == 0) barrier_arrive(&pipe->full[s]);
            return;
        }
        int32_t *stage = stages + s * P::STAGE_WORDS;
        uint32_t base = tile * S::TILE;
        bulk_piece items(t.in, t.n, base, S::TILE + IS_RUNS<K>, stage);
        bulk_piece values = items;
        unsigned bytes = items.bytes();
        items.copy_rest();
        if (K == BY_KEY) {
            values = bulk_piece(t.values, t.n, base, S::TILE, stage + S::ROOM);
            values.copy_rest();
            bytes += values.bytes();
        }
        /* What the lanes have stored comes before what later copies write. */
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (lane_id() == 0) {
            barrier_arrive_bytes(&pipe->full[s], bytes);
            items.copy_bulk(&pipe->full[s]);
            if (K == BY_KEY) values.copy_bulk(&pipe->full[s]);
        }
    }
}

/* One warp: what comes before each tile. */
template <kind K> __device__ void find_prefixes(const task &t, pipe<K> *pipe) {
    using P = pipeline<K>;
    prefix p;
    for (unsigned turn = 0;; turn++) {
        unsigned s = turn % P::STAGES;
        barrier_wait(&pipe->full[s], turn / P::STAGES);
        unsigned tile = pipe->facts[s].tile;
        if (tile >= t.tiles) return;
        part before = look_back<K>(t, tile, p);
        if (lane_id() == 0) pipe->facts[s].before = before;
        __syncwarp();
        if (lane_id() == 0) barrier_arrive(&pipe->ready[s]);
    }
}

/* COUNTERS warps: what is in each tile. They run ahead of the placers, so that
 * other blocks learn of a tile long before this one places it. */
template <kind K>
__device__ void count_tiles(const task &t, pipe<K> *pipe, const int32_t *stages,
                            unsigned warp) {
    using P = pipeline<K>;
    using S = typename P::S;
    for (unsigned turn = 0;; turn++) {
        unsigned s = turn % P::STAGES;
        tile_facts<S> *facts = &pipe->facts[s];
        barrier_wait(&pipe->full[s], turn / P::STAGES);
        unsigned tile = facts->tile;
        if (tile >= t.tiles) return;
        tile_view v = view_in_stage<K>(t, tile, stages + s * P::STAGE_WORDS);
        for (unsigned chunk = warp; chunk < S::WARPS; chunk += P::COUNTERS)
            count_into<K, S>(t, v, chunk, facts);
        some_warps_sync<1, P::COUNTERS>();
        if (warp == 0) {
            finish_count<K, S>(t, tile, facts);
            __syncwarp();
            if (lane_id() == 0) barrier_arrive(&pipe->ready[s]);
        }
    }
}

/* S::WARPS warps: from the stage to scratch, from scratch to the output. */
template <kind K>
__device__ void place_tiles(const task &t, pipe<K> *pipe, const int32_t *stages,
                            uint32_t *scratch, unsigned warp) {
    using P = pipeline<K>;
    using S = typename P::S;
    unsigned thread = warp * 32 + lane_id();
    for (unsigned turn = 0;; turn++) {
        unsigned s = turn % P::STAGES;
        tile_facts<S> *facts = &pipe->facts[s];
        barrier_wait(&pipe->full[s], turn / P::STAGES);
        unsigned tile = facts->tile;
        if (tile >= t.tiles) return;
        barrier_wait(&pipe->ready[s], turn / P::STAGES);
        tile_view v = view_in_stage<K>(t, tile, stages + s * P::STAGE_WORDS);
        output<K, S> o(t, v, facts, scratch);
        if (thread == 0) leave_result<K, S>(t, tile, facts);
        finish_chunk<K, S>(t, v, facts, warp, o);
        __syncwarp();
        if (lane_id() == 0) barrier_arrive(&pipe->empty[s]);
        if (K == SUM) continue;
        some_warps_sync<2, S::WARPS>();
        store_output<K, S>(o, thread);
        some_warps_sync<2, S::WARPS>(); /* scratch may be overwritten */
    }
}

#endif

template <kind K>
__global__ void __launch_bounds__(pipeline<K>::THREADS, 1)
    pipelined_tiles(const task t) {
#if __CUDA_ARCH__ >= 900
    using P = pipeline<K>;
    using S = typename P::S;
    __shared__ pipe<K> pipe;
    extern __shared__ int4 dynamic[];
    int32_t *stages = (int32_t *)dynamic;
    uint32_t *scratch = (uint32_t *)stages + P::STAGES * P::STAGE_WORDS;
    if (threadIdx.x == 0) {
        for (int s = 0; s < P::STAGES; s++) {
            barrier_init(&pipe.full[s], 1);
            barrier_init(&pipe.ready[s], 2); /* prefix, counters */
            barrier_init(&pipe.empty[s], S::WARPS);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    unsigned warp = threadIdx.x / 32;
    if (warp == 0)
        copy_tiles<K>(t, &pipe, stages);
    else if (warp == 1)
        find_prefixes<K>(t, &pipe);
    else if (warp < 2 + P::COUNTERS)
        count_tiles<K>(t, &pipe, stages, warp - 2);
    else
        place_tiles<K>(t, &pipe, stages, scratch, warp - 2 - P::COUNTERS);
#endif
}
