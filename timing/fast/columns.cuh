/* SPDX-License-Identifier: MIT
 *
 * columns.cuh: a tile in shared memory and how a group of threads scans it. A
 * thread walks down a column: ITEMS elements of one slot, `tuple` apart. So
 * `tuple` neighbouring threads share ITEMS tuples, and threads t, t - tuple,
 * t - 2 tuple, ... make up slot t % tuple. ITEMS is odd, so that single
 * elements' lanes meet different banks, and for tuples one less or one more
 * than there are banks, or twice as many: with one more, lane i meets bank i;
 * with one less, those of odd tuples meet a few banks twice. The tile needs no
 * padding (bulk copies could not make it).
 *
 * S: the tuple where it is known to the compiler, else 0.
 */
#pragma once

#include "algebra.cuh"
#include "shape.cuh"

template <int S> struct tuples {
    int runtime;
    __device__ int size(void) const { return S ? S : runtime; }
};

/* Of `most` columns those that make up whole tuples and whole sectors. */
inline __host__ __device__ int whole_columns(int most, int tuple) {
    int together = tuple % 2 ? 8 * tuple : tuple == 6 ? 24 : 8;
    return most - most % together;
}

/* Elements of a column of tiles.cuh. */
template <typename T> struct column {
    enum { ITEMS = sizeof(T) == 8 ? SHAPE_ITEMS_64 : SHAPE_ITEMS_32 };
};

/* How much later something is after so many tiles, and groups of IN_GROUP of
 * them: worked out once per block. */
template <class A, int IN_GROUP = 32, int ROUNDS = SHAPE_TILE_ROUNDS>
struct distances {
    typename A::Shift tiles[33];          /* by k */
    typename A::Shift groups[ROUNDS + 1]; /* by IN_GROUP k */

    __device__ void prepare(int thread, int threads, int in_tile) {
        int end = A::SHIFTS ? 33 + ROUNDS + 1 : 0;
        for (int k = thread; k < end; k += threads)
            if (k < 33)
                tiles[k] = A::later(k * in_tile);
            else
                groups[k - 33] = A::later((k - 33) * IN_GROUP * in_tile);
    }
};

/* Where eight lanes do together what a thread could do alone (shape.cuh). */
template <class A> struct spread {
    enum {
        BYTES = A::SHIFTS ? (int)sizeof(typename A::Sum) : 0,
        SCAN = A::SHIFTS && BYTES >= SHAPE_SPREAD_SCAN_FROM,
        TELL = A::SHIFTS && BYTES >= SHAPE_SPREAD_TELL_FROM,
        LOOK = A::SHIFTS && BYTES >= SHAPE_SPREAD_LOOK_FROM
    };
};

/* One thread's place in a group of threads that scans columns 0 to count - 1 of
 * a tile, column c by thread c of the group.
 *
 * Sums of orders are not shifted on their way from thread to thread: each is
 * first made as much *earlier* as its end is behind the tile's beginning, then
 * they add up like numbers, and at the end what a thread gets is made as much
 * later as its column begins. */
template <class A, int S> struct place_in_group {
    typedef typename A::Sum Sum;
    int count, tuple, thread, lane, warp, slot, rank;
    typename A::Shift to_begin, to_here;

    __device__ place_in_group(int group_thread, int columns, tuples<S> s,
                              int items)
        : count(columns), tuple(s.size()), thread(group_thread),
          lane(group_thread % 32), warp(group_thread / 32),
          slot(group_thread % tuple), rank(group_thread / tuple) {
        if (!A::SHIFTS) return;
        to_begin = A::earlier((rank + 1) * items);
        to_here = A::later(rank * items);
    }

    __device__ bool has_column(void) const { return thread < count; }

    /* Inclusive scan of the columns' sums, seen from the tile's beginning,
     * across the lanes. */
    __device__ Sum scan_lanes(Sum sum) const {
        sum = A::shifted(sum, to_begin);
#pragma unroll
        for (int i = 1; i < 32; i *= 2) {
            if (i * tuple >= 32) break;
            Sum left = shuffle_up(sum, i * tuple);
            if (lane >= i * tuple) sum = A::join(left, sum);
        }
        return sum;
    }

    /* Is an inclusive sum here what the slot has in this whole warp? Whether or
     * not there is a column: a slot may have none in a warp, and a warp none at
     * all, and their sums are added up like others. */
    __device__ bool ends_warp(void) const {
        return lane + tuple >= 32;
    }

    __device__ Sum before_in_warp(Sum upto) const {
        Sum before = shuffle_up(upto, tuple);
        return lane < tuple ? A::none() : before;
    }

    /* What the first `end` of WARPS warps come to in this slot. */
    template <int WARPS>
    __device__ Sum join_warps(const Sum *by_warp, int end) const {
        Sum sum = A::none();
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            Sum more = by_warp[w * tuple + slot];
            if (w < end) sum = A::join(sum, more);
        }
        return sum;
    }

    /* What lies before this thread's column: before the tile, in the warps
     * before, in this warp. */
    template <int WARPS>
    __device__ Sum before(const Sum &tile, const Sum *by_warp,
                          const Sum &in_warp) const {
        Sum sum = A::join(tile, join_warps<WARPS - 1>(by_warp, warp));
        return A::shifted(A::join(sum, in_warp), to_here);
    }

    /* The same for long sums, of which eight lanes add up a coefficient each;
     * room: this warp's own, for `tuple` sums. A whole warp. */
    template <int WARPS>
    __device__ Sum before_in_parts(const Sum *tile, const Sum *by_warp,
                                   Sum *room, const Sum &in_warp) const {
        for (int i = lane; i < 8 * tuple; i += 32) {
            int of_slot = i / 8, d = i % 8;
            if (d >= A::PARTS) continue;
            room[of_slot].of[d] =
                tile[of_slot].of[d] +
                part_of_warps<WARPS - 1>(by_warp, of_slot, d, warp);
        }
        __syncwarp();
        return A::shifted(A::join(room[slot], in_warp), to_here);
    }
    /* Coefficient d of what the first `end` of WARPS warps come to. */
    template <int WARPS>
    __device__ typename A::Elem part_of_warps(const Sum *by_warp, int of_slot,
                                              int d, int end) const {
        typename A::Elem sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            typename A::Elem more = by_warp[w * tuple + of_slot].of[d];
            sum += w < end ? more : 0;
        }
        return sum;
    }

    /* What a tile's WARPS warps come to, so much later, is published. A whole
     * warp; room: for `tuple` sums. */
    template <int WARPS, bool SPREAD, class board_type>
    __device__ void tell(const board_type &b, unsigned tile, const Sum *by_warp,
                         const typename A::Shift &by, Sum *room) const {
        if constexpr (SPREAD) {
            for (int i = lane; i < 8 * tuple + lane; i += 32) {
                int of_slot = i / 8, d = i % 8;
                bool is = of_slot < tuple && d < A::PARTS;
                typename A::Elem sum =
                    is ? part_of_warps<WARPS>(by_warp, of_slot, d, WARPS) : 0;
                sum = A::shifted_part(sum, by);
                if (is) room[of_slot].of[d] = sum;
            }
            __syncwarp();
            b.publish_all(tile, room);
            __syncwarp();
        } else if (lane < tuple)
            b.publish(tile, lane,
                      A::shifted(join_warps<WARPS>(by_warp, WARPS), by));
    }

    /* Element 0 of a column; the others are `tuple` apart. */
    template <int ITEMS> __device__ int top(int column) const {
        return column / tuple * (ITEMS * tuple) + column % tuple;
    }
};

/* Elements of a column that stand one behind another in the code. All of them
 * for short sums; a few for long ones, whose warps would wait for code instead:
 * those of a multiprocessor do different things, and all of it together should
 * stay close to them. */
template <class A, int ITEMS, int S> struct unrolled {
    enum {
        ONE = S == 1 && sizeof(typename A::Sum) >= SHAPE_ROLLED_ONE_FROM,
        LONG = sizeof(typename A::Elem) == 8,
        FROM = LONG ? SHAPE_ROLLED_FROM_64 : SHAPE_ROLLED_FROM_32,
        STEP = !A::SHIFTS || sizeof(typename A::Sum) < FROM ? ITEMS
               : LONG && ONE                                ? SHAPE_ROLLED_ONE
               : LONG                                       ? SHAPE_ROLLED_64
                                                            : SHAPE_ROLLED_32,
        /* Loads before stores, so that they overlap; not more than there are
         * registers for. */
        AHEAD = !A::SHIFTS || STEP < 8 ? STEP : 8
    };
};

/* The sum of a column. */
template <class A, int ITEMS, int S = 0>
__device__ typename A::Sum sum_column(const typename A::Elem *top, int tuple) {
    typename A::Sum sum = A::none();
#pragma unroll(unrolled <A, ITEMS, S>::STEP)
    for (int j = 0; j < ITEMS; j++) A::next(sum, top[j * tuple]);
    return sum;
}

/* Some elements of a column become the results, from what comes before. */
template <class A, int COUNT>
__device__ void walk_some(typename A::Elem *top, int tuple,
                          typename A::Sum &before) {
    typename A::Elem x[COUNT];
#pragma unroll
    for (int j = 0; j < COUNT; j++) x[j] = top[j * tuple];
#pragma unroll
    for (int j = 0; j < COUNT; j++) top[j * tuple] = A::next(before, x[j]);
}

/* Its elements become the results, from what comes before it. */
template <class A, int ITEMS, int S = 0>
__device__ void walk_column(typename A::Elem *top, int tuple,
                            typename A::Sum before) {
    enum {
        AHEAD = unrolled<A, ITEMS, S>::AHEAD,
        TIMES = unrolled<A, ITEMS, S>::STEP / AHEAD,
        WHOLE = ITEMS - ITEMS % AHEAD
    };
#pragma unroll(TIMES)
    for (int first = 0; first < WHOLE; first += AHEAD)
        walk_some<A, AHEAD>(top + first * tuple, tuple, before);
    if constexpr (WHOLE < ITEMS)
        walk_some<A, ITEMS - WHOLE>(top + WHOLE * tuple, tuple, before);
}
