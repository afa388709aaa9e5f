/* SPDX-License-Identifier: MIT
 *
 * tiles.cuh: the engine for small n and for every device. All threads of a
 * block load a tile into shared memory, sum it, look back, scan it, store it;
 * several blocks on a multiprocessor keep it busy meanwhile.
 */
#pragma once

#include "board.cuh"

enum { TILE_THREADS = SHAPE_TILE_THREADS, TILE_WARPS = TILE_THREADS / 32 };

template <typename T> struct __align__(16) pack {
    enum { SIZE = 16 / sizeof(T) };
    T item[SIZE];
};

/* How many packs there are in `length` elements from there on. */
template <typename T> inline __device__ int packs(const T *at, int length) {
    return (uintptr_t)at % 16 == 0 ? length / pack<T>::SIZE : 0;
}

/* The front of the tile becomes from[0 .. length-1], the rest nothing. */
template <class A, int THREADS, typename T>
__device__ void load_tile(T *tile, int size, const T *from, int length,
                          int thread) {
    int wide = packs(from, length);
#pragma unroll 7
    for (int p = thread; p < wide; p += THREADS)
        ((pack<T> *)tile)[p] = ((const pack<T> *)from)[p];
    for (int i = wide * pack<T>::SIZE + thread; i < size; i += THREADS)
        tile[i] = i < length ? from[i] : A::nothing();
}

template <int THREADS, typename T>
__device__ void store_tile(T *to, const T *tile, int length, int thread) {
    int wide = packs(to, length);
#pragma unroll 7
    for (int p = thread; p < wide; p += THREADS)
        ((pack<T> *)to)[p] = ((const pack<T> *)tile)[p];
    for (int i = wide * pack<T>::SIZE + thread; i < length; i += THREADS)
        to[i] = tile[i];
}

template <class A, int S, int ITEMS> struct tile_engine {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    enum { MOST = S ? S : MOST_SLOTS };
    /* A block that does one tile has all that were before to add up: best in
     * one batch. */
    typedef look_back<A, MOST, 3, S == 1 ? SHAPE_TILE_ROUNDS : 8> looker;

    struct memory {
        __align__(16) T tile[TILE_THREADS * ITEMS];
        Sum by_warp[TILE_WARPS * MOST], before[MOST];
        /* Each warp's own (place_in_group::before_in_parts). */
        Sum room[A::SHIFTS ? TILE_WARPS * MOST : 1];
        typename looker::memory look;
        distances<A> by;
        unsigned ticket;
    };

    static __host__ __device__ int columns(int tuple) {
        return whole_columns(TILE_THREADS, tuple);
    }
    static __host__ __device__ int size(int tuple) {
        return columns(tuple) * ITEMS;
    }
    static __device__ void barrier(void) { __syncthreads(); }

    /* What the tile comes to. Its first warp. */
    static __device__ void tell(memory &m, const board<A> &b, unsigned tile,
                                const place_in_group<A, S> &me) {
        me.template tell<TILE_WARPS, spread<A>::TELL>(b, tile, m.by_warp,
                                                      m.by.tiles[1], m.room);
    }
    /* What lies before this thread's column; in_warp: in its warp. */
    static __device__ Sum before(memory &m, const place_in_group<A, S> &me,
                                 const Sum &in_warp) {
        if constexpr (spread<A>::SCAN)
            return me.template before_in_parts<TILE_WARPS>(
                m.before, m.by_warp, m.room + me.warp * me.tuple, in_warp);
        else
            return me.template before<TILE_WARPS>(m.before[me.slot], m.by_warp,
                                                  in_warp);
    }

    static __device__ void run(memory &m, const T *in, T *out, size_t n,
                               tuples<S> s) {
        int tuple = s.size(), thread = threadIdx.x;
        unsigned tiles = (unsigned)((n + size(tuple) - 1) / size(tuple));
        place_in_group<A, S> me(thread, columns(tuple), s, ITEMS);
        /* A block per tile: all are resident (launch.cuh), nobody takes a
         * second one, so that nobody needs a ticket. */
        bool once = gridDim.x == tiles;
        board<A> b(the_ledger.tag, tiles, tuple);
        unsigned room = 0, tile = blockIdx.x;
        if (!once) {
            if (thread == 0) m.ticket = take_ticket();
            __syncthreads();
            tile = m.ticket;
        }
        m.by.prepare(thread, TILE_THREADS, size(tuple) / tuple);
        if (A::SHIFTS) __syncthreads();
        looker look(m.look, b, m.by, thread, TILE_WARPS);
        T *top =
            m.tile + (me.has_column() ? me.template top<ITEMS>(thread) : 0);

        for (; tile < tiles; tile = m.ticket) {
            size_t first = (size_t)tile * size(tuple);
            int length = (int)min((size_t)size(tuple), n - first);
            load_tile<A, TILE_THREADS>(m.tile, size(tuple), in + first, length,
                                       thread);
            __syncthreads();
            /* All of the block have read the ledger, and need no ticket: long
             * before the end, for leaving takes two round trips to memory. */
            if (once && thread == TILE_THREADS - 32) b.leave();

            Sum sum = A::none();
            if (me.has_column()) sum = sum_column<A, ITEMS>(top, tuple);
            sum = me.scan_lanes(sum);
            if (me.ends_warp()) m.by_warp[me.warp * tuple + me.slot] = sum;
            Sum in_warp = me.before_in_warp(sum);
            __syncthreads();
            if (me.warp == 0) {
                b.await_room(tile, &room);
                tell(m, b, tile, me);
            }
            look(tile, m.before, barrier);

            Sum above = before(m, me, in_warp);
            if (me.has_column()) walk_column<A, ITEMS>(top, tuple, above);
            __syncthreads();
            if (!once && thread == 0) m.ticket = take_ticket();
            store_tile<TILE_THREADS>(out + first, m.tile, length, thread);
            if (once) return;
            __syncthreads();
        }
        if (thread == 0) {
            b.progress_to_end();
            b.leave();
        }
    }
};

template <class A, int S, int ITEMS>
__global__ void __launch_bounds__(TILE_THREADS,
                                  A::SHIFTS ? 1 : SHAPE_TILE_BLOCKS)
    scan_tiles_kernel(const typename A::Elem *in, typename A::Elem *out,
                      size_t n, tuples<S> s) {
    typedef tile_engine<A, S, ITEMS> engine;
    __shared__ typename engine::memory memory;
    engine::run(memory, in, out, n, s);
}
