/* SPDX-License-Identifier: MIT
 *
 * stream.cuh: the engine for large n on devices of compute capability 9.0: one
 * block per multiprocessor, whose warps do different things at the same time:
 *
 *   producer   one warp; takes tickets and has tiles brought by bulk copies
 *   reducers   sum a tile when it is there, and publish it
 *   lookers    find out what lies before it (board.cuh)
 *   scanners   scan it in place and store it
 *
 * They hand STAGES buffers around, by barriers in shared memory (mbarrier) that
 * count arrivals and, for `full`, bytes. A buffer's round trip:
 *   empty  -> producer -> full
 *   full   -> reducers, lookers, scanners; the first two -> known
 *   known  -> scanners write -> empty
 *
 * A tile is brought in pieces, and no more than PIECES of them are on their way
 * at a time: beyond 64 KB in flight per multiprocessor, more is slower
 * (docs/performance.md).
 */
#ifndef FAST_STREAM_CUH
#define FAST_STREAM_CUH

#include "board.cuh"
#include "tiles.cuh"

enum {
    SCANNERS = SHAPE_SCANNERS,
    REDUCERS = SHAPE_REDUCERS,
    SHARE = 4, /* columns that a reducer sums: of each quarter of the tile */
    QUARTER = SCANNERS / SHARE,
    STAGES = SHAPE_STAGES,
    PIECES = SHAPE_PIECES, /* make a tile */
    LOOK_EARLY = SHAPE_LOOK_EARLY,
    NO_TILE = -1
};

template <class A, int S> struct stream_shape {
    enum {
        MOST = S ? S : MOST_SLOTS,
        /* More where a tile has several words: a warp for every slot, or six
         * for the groups between two tiles of a block. */
        LOOKERS = S != 1                         ? SHAPE_LOOKERS_SLOTS
                  : sizeof(typename A::Sum) <= 8 ? SHAPE_LOOKERS
                                                 : SHAPE_LOOKERS_LONG,
        THREADS = SCANNERS + REDUCERS + LOOKERS + 32
    };
};

/* ---- barriers in shared memory, bulk copies ---- */

inline __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

struct gate {
    unsigned long long bits;

    __device__ void prepare(int arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                         shared_address(&bits)),
                     "r"(arrivals)
                     : "memory");
    }
    __device__ void arrive(void) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                         shared_address(&bits))
                     : "memory");
    }
    __device__ void arrive_and_expect(unsigned bytes) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                shared_address(&bits)),
            "r"(bytes)
            : "memory");
    }
    /* Waits for the end of a phase: phases alternate between 0 and 1. */
    __device__ void wait(unsigned phase) {
        unsigned done;
        do
            asm volatile(
                "{ .reg .pred p;\n"
                "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p; }"
                : "=r"(done)
                : "r"(shared_address(&bits)), "r"(phase)
                : "memory");
        while (!done);
    }
};

/* bytes: a multiple of 16, as are the addresses. */
inline __device__ void bulk_load(void *to, const void *from, unsigned bytes,
                                 gate *arrival) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes),
        "r"(shared_address(&arrival->bits))
        : "memory");
}

/* Ordinary accesses before it come before bulk copies after it. */
inline __device__ void fence_for_bulk(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <class A, int S, int STREAM_ITEMS> struct stream_engine {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    enum {
        ITEMS = STREAM_ITEMS,
        MOST = stream_shape<A, S>::MOST,
        LOOKERS = stream_shape<A, S>::LOOKERS,
        THREADS = stream_shape<A, S>::THREADS,
        /* A multiple of 128 bytes. */
        PIECE_BYTES =
            (SCANNERS * ITEMS * (int)sizeof(T) / PIECES + 127) / 128 * 128,
        SCAN_WARPS = SCANNERS / 32,
        REDUCE_WARPS = REDUCERS / 32,
        REDUCE_BARRIER = 1,
        LOOK_BARRIER,
        SCAN_BARRIER
    };
    enum {
        /* As many as there are registers for. */
        WORDS_AT_ONCE = A::SHIFTS || S == 1 ? 8 : 6,
        LONG_WORDS_AT_ONCE = A::SHIFTS ? 8 : 12
    };
    typedef look_back<A, MOST, LOOKERS / 32,
                      sizeof(Sum) == 8 ? LONG_WORDS_AT_ONCE : WORDS_AT_ONCE, 8>
        looker;

    struct memory {
        __align__(128) T tile[STAGES][SCANNERS * ITEMS];
        Sum by_scan_warp[SCAN_WARPS * MOST];
        Sum by_reduce_warp[REDUCE_WARPS * MOST];
        Sum before[STAGES][MOST];
        typename looker::memory look;
        distances<A> by;
        gate full[STAGES][PIECES], empty[STAGES], known[STAGES];
        gate named[STAGES]; /* lookers that begin early wait for this one */
        int number[STAGES]; /* of the tile in a stage; NO_TILE: the end */
    };
    static_assert(QUARTER <= REDUCERS && SCANNERS % 32 == 0 && THREADS <= 1024,
                  "threads that shape.cuh names do not make a block");

    /* Columns of a quarter of a tile: whole tuples, and an even number, so
     * that a tile is made of whole sectors of 32 bytes. */
    static __host__ __device__ int quarter(int tuple) {
        return QUARTER - QUARTER % (tuple % 2 ? 2 * tuple : tuple);
    }
    static __host__ __device__ int size(int tuple) {
        return SHARE * quarter(tuple) * ITEMS;
    }

    memory &m;
    const T *in;
    T *out;
    size_t n;
    tuples<S> s;
    int tile_size;
    board<A> b;

    __device__ stream_engine(memory &shared, const T *from, T *to, size_t count,
                             tuples<S> tuple)
        : m(shared), in(from), out(to), n(count), s(tuple),
          tile_size(size(tuple.size())),
          b(the_ledger.tag, (unsigned)((count + tile_size - 1) / tile_size),
            tuple.size()) {}

    __device__ int length(unsigned tile) const {
        return (int)min((size_t)tile_size, n - (size_t)tile * tile_size);
    }

    /* Where the k-th tile of this block is. */
    struct turn {
        unsigned stage, phase;
        __device__ turn(unsigned k)
            : stage(k % STAGES), phase(k / STAGES % 2) {}
    };

    /* Waits for all of a tile, and says which it is. */
    __device__ int await_tile(const turn &at) {
        for (int p = 0; p < PIECES; p++) m.full[at.stage][p].wait(at.phase);
        return m.number[at.stage];
    }

    /* ---- the producer ---- */

    /* What bulk copies do not bring of the last tile: the elements behind its
     * last 16 bytes, and nothing for those behind n. */
    __device__ void fill_up(T *tile, unsigned number, int lane) {
        int end = length(number), from = end - end % pack<T>::SIZE;
        const T *source = in + (size_t)number * tile_size;
        for (int i = from + lane; i < tile_size; i += 32)
            tile[i] = i < end ? source[i] : A::nothing();
        __syncwarp();
    }

    __device__ void bring(unsigned k, unsigned number, int lane) {
        unsigned stage = k % STAGES;
        turn earlier(k - 1);
        T *tile = m.tile[stage];
        unsigned bytes =
            length(number) / pack<T>::SIZE * (unsigned)sizeof(pack<T>);
        if (length(number) < tile_size) fill_up(tile, number, lane);
        if (lane > 0) return;
        const char *from = (const char *)(in + (size_t)number * tile_size);
        m.number[stage] = (int)number;
        if (LOOK_EARLY) m.named[stage].arrive();
        for (unsigned p = 0; p < PIECES; p++) {
            /* The same piece of the tile before has arrived? */
            if (k > 0) m.full[earlier.stage][p].wait(earlier.phase);
            unsigned begin = p * PIECE_BYTES;
            unsigned size =
                bytes > begin ? min(bytes - begin, (unsigned)PIECE_BYTES) : 0;
            if (size == 0) {
                m.full[stage][p].arrive();
                continue;
            }
            m.full[stage][p].arrive_and_expect(size);
            bulk_load((char *)tile + begin, from + begin, size,
                      &m.full[stage][p]);
        }
    }

    __device__ void mark_end(unsigned stage) {
        m.number[stage] = NO_TILE;
        if (LOOK_EARLY) m.named[stage].arrive();
        for (int p = 0; p < PIECES; p++) m.full[stage][p].arrive();
    }

    __device__ void produce(int lane) {
        unsigned ticket = 0;
        if (lane == 0) ticket = take_ticket();
        for (unsigned k = 0;; k++) {
            unsigned number = __shfl_sync(ALL_LANES, ticket, 0);
            unsigned stage = k % STAGES;
            if (k >= STAGES) m.empty[stage].wait((k / STAGES - 1) % 2);
            if (number >= b.tiles) {
                if (lane == 0) mark_end(stage);
                break;
            }
            /* The next ticket is under way while this tile is. */
            if (lane == 0) ticket = take_ticket();
            bring(k, number, lane);
        }
        if (lane == 0) b.leave();
    }

    /* ---- the reducers ---- */

    __device__ void reduce(int thread) {
        place_in_group<A, S> me(thread, quarter(s.size()), s, ITEMS);
        int tuple = s.size();
        unsigned room = 0;
        typename A::Shift by_quarter;
        if (A::SHIFTS) by_quarter = A::later(quarter(tuple) / tuple * ITEMS);

        for (unsigned k = 0;; k++) {
            turn at(k);
            int number = await_tile(at);
            if (number == NO_TILE) break;
            const T *tile = m.tile[at.stage];
            /* A column of every quarter of the tile; for operators that do not
             * commute, neighbouring columns (whose lanes meet in banks). */
            Sum sum = A::none();
            if (me.has_column())
#pragma unroll
                for (int q = 0; q < SHARE; q++) {
                    int column = A::IN_ORDER ? SHARE * thread + q
                                             : quarter(tuple) * q + thread;
                    Sum more = sum_column<A, ITEMS>(
                        tile + me.template top<ITEMS>(column), tuple);
                    sum = A::join(A::shifted(sum, by_quarter), more);
                }
            __syncwarp();
            /* Scanners may write to it now. */
            if (me.lane == 0) m.known[at.stage].arrive();
            sum = me.scan_lanes(sum);
            if (me.ends_warp())
                m.by_reduce_warp[me.warp * tuple + me.slot] = sum;
            group_barrier(REDUCE_BARRIER, REDUCERS);
            if (me.warp == 0) {
                b.await_room(number, &room);
                if (thread < tuple)
                    b.publish(number, thread,
                              A::shifted(me.template join_all<REDUCE_WARPS>(
                                             m.by_reduce_warp),
                                         by_quarter));
            }
            group_barrier(REDUCE_BARRIER, REDUCERS);
        }
    }

    /* ---- the lookers ---- */

    static __device__ void look_barrier(void) {
        if (LOOKERS == 32)
            __syncwarp();
        else
            group_barrier(LOOK_BARRIER, LOOKERS);
    }

    __device__ void look(int thread) {
        looker before(m.look, b, m.by, thread);
        for (unsigned k = 0;; k++) {
            turn at(k);
            if (LOOK_EARLY) m.named[at.stage].wait(at.phase);
            int number = LOOK_EARLY ? m.number[at.stage] : await_tile(at);
            if (number == NO_TILE) break;
            before(number, m.before[at.stage], look_barrier);
            if (thread == 0) m.known[at.stage].arrive();
        }
        if (thread == 0) b.progress_to_end();
    }

    /* ---- the scanners ---- */

    __device__ void scan(int thread) {
        int tuple = s.size();
        place_in_group<A, S> me(thread, SHARE * quarter(tuple), s, ITEMS);
        int top = me.has_column() ? me.template top<ITEMS>(thread) : 0;

        for (unsigned k = 0;; k++) {
            turn at(k);
            int number = await_tile(at);
            if (number == NO_TILE) break;
            T *tile = m.tile[at.stage];
            Sum sum = A::none();
            if (me.has_column()) sum = sum_column<A, ITEMS>(tile + top, tuple);
            sum = me.scan_lanes(sum);
            if (me.ends_warp()) m.by_scan_warp[me.warp * tuple + me.slot] = sum;
            Sum before = me.before_in_warp(sum);
            group_barrier(SCAN_BARRIER, SCANNERS);
            m.known[at.stage].wait(at.phase);
            if (me.has_column()) {
                before = me.template before<SCAN_WARPS>(
                    m.before[at.stage][me.slot], m.by_scan_warp, before);
                walk_column<A, ITEMS>(tile + top, tuple, before);
            }
            group_barrier(SCAN_BARRIER, SCANNERS);
            store_tile<SCANNERS>(out + (size_t)number * tile_size, tile,
                                 length(number), thread);
            fence_for_bulk();
            __syncwarp();
            if (me.lane == 0) m.empty[at.stage].arrive();
        }
    }

    __device__ void run(void) {
        int thread = threadIdx.x;
        if (thread == 0) {
            for (int i = 0; i < STAGES; i++) {
                for (int p = 0; p < PIECES; p++) m.full[i][p].prepare(1);
                m.empty[i].prepare(SCAN_WARPS);
                m.named[i].prepare(1);
                m.known[i].prepare(1 + REDUCE_WARPS);
            }
            fence_for_bulk();
        }
        m.by.prepare(thread, THREADS, tile_size / s.size());
        __syncthreads();
        if (thread < SCANNERS)
            scan(thread);
        else if ((thread -= SCANNERS) < REDUCERS)
            reduce(thread);
        else if ((thread -= REDUCERS) < LOOKERS)
            look(thread);
        else
            produce(thread - LOOKERS);
    }
};

/* Empty where the device cannot; then nobody calls it. */
template <class A, int S, int ITEMS>
__global__ void __launch_bounds__(stream_shape<A, S>::THREADS,
                                  SHAPE_STREAM_BLOCKS)
    scan_stream_kernel(const typename A::Elem *in, typename A::Elem *out,
                       size_t n, tuples<S> s) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char bytes[];
    typedef stream_engine<A, S, ITEMS> engine;
    static_assert(sizeof(typename engine::memory) * SHAPE_STREAM_BLOCKS <=
                      (228 - SHAPE_STREAM_BLOCKS) * 1024,
                  "shape.cuh asks for more shared memory than there is");
    engine e(*(typename engine::memory *)bytes, in, out, n, s);
    e.run();
#endif
}

#endif
