/* SPDX-License-Identifier: MIT
 *
 * stream.cuh: the engine for large n on devices of compute capability 9.0: one
 * block per multiprocessor, whose warps do different things at the same time:
 *
 *   producer   one warp; takes tickets and has tiles brought by bulk copies
 *   reducers   sum a tile when it is there; they, or one warp, publish that
 *   lookers    find out what lies before it (board.cuh, groups.cuh)
 *   scanners   scan it in place
 *   storer     one warp; has it taken away by a bulk copy
 *
 * Where sums are long there are no reducers: summing a column costs a thread as
 * much as scanning it, and scanners need the sums of columns, too. So they sum
 * each tile once, before they scan the one before it, and publish it (ONCE).
 *
 * They hand STAGES buffers around, by barriers in shared memory (mbarrier) that
 * count arrivals and, for `full`, bytes. A buffer's round trip:
 *   empty   -> producer -> full
 *   full    -> reducers, lookers, scanners; the first two -> known
 *   known   -> scanners write -> scanned
 *   scanned -> storer -> empty, piece by piece
 *
 * A block takes a ticket for a tile when a buffer for it is nearly free, and
 * not before: others wait for this tile as soon as they have later ones.
 *
 * A tile is brought in pieces, each when the same piece of the tile before has
 * arrived: a tile's length is on its way at a time. Less or more is slower
 * (research/performance.md).
 */
#pragma once

#include <type_traits>

#include "board.cuh"
#include "bulk.cuh"
#include "groups.cuh"
#include "tiles.cuh"

enum { PIECES = SHAPE_PIECES /* make a tile */, NO_TILE = -1 };

/* Kernels of their own have what wants other threads. */
enum stream_kind {
    USUAL,
    LONG_SLOTS /* the sums of all slots have many bytes: orders of tuples */
};

/* How many threads and buffers (shape.cuh says why). */
template <class A, int S, stream_kind KIND> struct stream_shape {
    enum {
        MOST = S ? S : MOST_SLOTS,
        ELEMENT = sizeof(typename A::Elem),
        BYTES = sizeof(typename A::Sum),
        LIGHT = S == 1 && ELEMENT == 4 && BYTES <= 16,
        HEAVY =
            A::SHIFTS && (S != 1 || (ELEMENT == 8 && BYTES > SHAPE_HEAVY_FROM)),
        MIDDLE = S == 1 && ELEMENT == 4 && BYTES > 16,
        LONG = BYTES > (S == 1 ? SHAPE_LONG_FROM : SHAPE_LONG_FROM_SLOTS),
        SCANNERS = LIGHT    ? SHAPE_LIGHT_SCANNERS
                   : MIDDLE ? SHAPE_MIDDLE_SCANNERS
                   : HEAVY  ? LONG ? SHAPE_LONG_SCANNERS : SHAPE_HEAVY_SCANNERS
                   : S == 1 ? SHAPE_SCANNERS
                            : SHAPE_SLOTS_SCANNERS,
        ITEMS_32 = LIGHT    ? SHAPE_LIGHT_ITEMS
                   : MIDDLE ? SHAPE_MIDDLE_ITEMS
                   : HEAVY  ? LONG ? SHAPE_LONG_ITEMS_32 : SHAPE_HEAVY_ITEMS_32
                            : SHAPE_SLOTS_ITEMS_32,
        ITEMS_64 = HEAVY    ? LONG ? SHAPE_LONG_ITEMS_64 : SHAPE_HEAVY_ITEMS_64
                   : S == 1 ? SHAPE_ITEMS_64
                            : SHAPE_SLOTS_ITEMS_64,
        ITEMS = ELEMENT == 8 ? ITEMS_64 : ITEMS_32,
        STAGES = LIGHT    ? SHAPE_LIGHT_STAGES
                 : !HEAVY ? S == 1 ? SHAPE_STAGES : SHAPE_SLOTS_STAGES
                 : LONG   ? SHAPE_LONG_STAGES
                          : SHAPE_HEAVY_STAGES,
        /* Sums of groups are published. */
        GROUPS = KIND == LONG_SLOTS && BYTES >= SHAPE_GROUPS_FROM,
        GROUP_TILES = tiles_in_group(BYTES),
        ONCE = A::SHIFTS && (SHAPE_ONCE_GROUPS || !GROUPS) &&
               BYTES >= (S == 1 ? SHAPE_ONCE_FROM : SHAPE_ONCE_FROM_SLOTS),
        REDUCERS = ONCE                     ? 0
                   : GROUPS && ELEMENT == 4 ? SHAPE_REDUCERS_GROUPS_32
                   : GROUPS                 ? SHAPE_REDUCERS_GROUPS_64
                   : MIDDLE                 ? SHAPE_MIDDLE_REDUCERS
                   : HEAVY || BYTES <= 8 || BYTES > 32 ? SHAPE_REDUCERS
                                                       : SHAPE_REDUCERS_LONG,
        /* Columns that a reducer sums: one of each part of the tile. */
        SHARE = REDUCERS * 2 < SCANNERS       ? 4
                : REDUCERS < SCANNERS || ONCE ? 2
                                              : 1,
        /* More look back where a block does only a few tiles. */
        WIDENS = S == 1 && BYTES <= ELEMENT,
        /* There is the other kind. */
        SPLITS_SLOTS = A::SHIFTS && S == 0 &&
                       BYTES >= (ELEMENT == 8 ? SHAPE_LONG_SLOTS_FROM_64
                                              : SHAPE_LONG_SLOTS_FROM_32),
        /* int32, order 8, of tuples of 2 to 6: squaring_orders, and no warp
         * of its own that publishes. */
        SQUARES =
            SHAPE_SQUARES && SPLITS_SLOTS && ELEMENT == 4 && KIND == USUAL,
        FEW_LOOKERS =
            ELEMENT == 8 ? SHAPE_LOOKERS_FEW_64 : SHAPE_LOOKERS_FEW_32,
        LONG_LOOKERS = !GROUPS             ? SHAPE_LOOKERS_LONG_SLOTS
                       : GROUP_TILES == 32 ? SHAPE_LOOKERS_GROUPS
                                           : SHAPE_LOOKERS_GROUPS_LONG,
        /* Of more than one slot. */
        SLOTS_LOOKERS = BYTES > 32              ? SHAPE_LOOKERS_SLOTS_OVER_32
                        : SPLITS_SLOTS          ? SHAPE_LOOKERS_SLOTS_32_BYTES
                        : HEAVY || ELEMENT == 8 ? SHAPE_LOOKERS_SLOTS_64
                                                : SHAPE_LOOKERS_SLOTS,
        ONE_LOOKERS = !WIDENS                       ? SHAPE_LOOKERS_LONG
                      : FEW_LOOKERS > SHAPE_LOOKERS ? FEW_LOOKERS
                                                    : SHAPE_LOOKERS,
        /* At most. */
        LOOKERS = KIND == LONG_SLOTS ? LONG_LOOKERS
                  : S != 1           ? SLOTS_LOOKERS
                                     : ONE_LOOKERS,
        THREADS = SCANNERS + REDUCERS + LOOKERS + 64
    };
    /* Those who look back for tuples of so many: as many as have work, for
     * whoever asks disturbs those who publish. */
    static __device__ int lookers(int tuple) {
        int bytes = tuple * BYTES, most = LOOKERS;
        if (S == 1) return most;
        if (GROUPS) { /* a warp for each job */
            int slots = 32 / GROUP_TILES;
            return min(most, (tuple + slots - 1) / slots * 64);
        }
        if (!HEAVY) return bytes <= SHAPE_FEW_SLOTS_BYTES ? 128 : most;
        if (bytes <= SHAPE_FEW_SLOTS_BYTES) return 64;
        if (tuple <= 2 || bytes <= 2 * SHAPE_FEW_SLOTS_BYTES) return 128;
        return tuple <= 4 ? min(most, 256) : most;
    }
    /* Where their number is a call's: a block does only a few tiles, or more.
     */
    static __host__ __device__ int lookers_of(bool few) {
        return few ? FEW_LOOKERS : SHAPE_LOOKERS;
    }
    /* What is another kind's, whatever n is. */
    static bool is_long(int tuple) {
        return SPLITS_SLOTS &&
               tuple * BYTES >= (ELEMENT == 8 ? SHAPE_LONG_SLOTS_BYTES_64
                                              : SHAPE_LONG_SLOTS_BYTES_32);
    }
};

/* What a call decides. */
struct stream_plan {
    int part;   /* columns of a part of the tile */
    bool early; /* lookers begin when it is known which tile it will be, not
                   when it is there */
    bool few;   /* a block does only a few tiles */
};

template <class A, int S, stream_kind KIND = USUAL,
          class OUTSIDE = nothing_outside>
struct stream_engine {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    typedef stream_shape<A, S, KIND> shape;
    enum {
        MOST = shape::MOST,
        SCANNERS = shape::SCANNERS,
        ITEMS = shape::ITEMS,
        STAGES = shape::STAGES,
        REDUCERS = shape::REDUCERS,
        SHARE = shape::SHARE,
        ONCE = shape::ONCE,
        LOOKERS = shape::LOOKERS,
        /* A warp of its own asks for what other devices have. */
        ASKS = OUTSIDE::WARPS,
        TELLS_ONCE = ONCE && SHAPE_ONCE_TELLER && !shape::SQUARES,
        TELLS_GROUPS = !ONCE && shape::GROUPS && SHAPE_GROUPS_TELLER,
        TELLERS = TELLS_ONCE || TELLS_GROUPS ? 32 : 0,
        SPREADS = SHAPE_GROUPS_TELLER > 1,
        THREADS = shape::THREADS + 32 * ASKS + TELLERS,
        MOST_IN_PART = SCANNERS / SHARE,
        /* A multiple of 128 bytes. */
        PIECE_BYTES =
            (SCANNERS * ITEMS * (int)sizeof(T) / PIECES + 127) / 128 * 128,
        /* Stored, and given back, as one or in the same pieces. */
        BACK = shape::BYTES >= SHAPE_PIECES_BACK_FROM ? PIECES : 1,
        BACK_BYTES = BACK > 1 ? PIECE_BYTES : PIECES *PIECE_BYTES,
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
    typedef std::conditional_t<
        shape::GROUPS, look_at_groups<A, MOST>,
        look_back<A, MOST,
                  sizeof(Sum) == 8 ? LONG_WORDS_AT_ONCE : WORDS_AT_ONCE, 8>>
        looker;

    struct memory {
        __align__(128) T tile[STAGES][SCANNERS * ITEMS];
        /* In turn: of the tiles that some warp still scans and of the next. */
        Sum by_scan_warp[ONCE ? 3 : 2][SCAN_WARPS * MOST];
        /* In turn, where a warp of its own reads them. */
        Sum by_reduce_warp[TELLS_GROUPS ? 2 : 1]
                          [ONCE ? 1 : REDUCE_WARPS * MOST];
        /* Each warp's own (place_in_group::before_in_parts). */
        Sum room[A::SHIFTS ? SCAN_WARPS * MOST : 1];
        Sum tellers_room[A::SHIFTS ? MOST : 1];
        typename A::Shift by_part; /* how long the tile's parts are */
        Sum before[STAGES][MOST], outside[ASKS ? STAGES : 1];
        typename looker::memory look;
        typename looker::distances_type by;
        gate full[STAGES][PIECES], empty[STAGES][BACK], known[STAGES],
            scanned[STAGES];
        gate named[STAGES]; /* lookers that begin early wait for this one */
        int number[STAGES]; /* of the tile in a stage; NO_TILE: the end */
    };
    static_assert((ONCE || MOST_IN_PART <= REDUCERS) && SCANNERS % 32 == 0 &&
                      THREADS <= 1024,
                  "threads that shape.cuh names do not make a block");

    /* A part has a multiple of so many columns: whole tuples, and a tile is
     * made of whole sectors of 32 bytes. */
    static int unit(int tuple) {
        return 4 / SHARE * (tuple % 2 ? 2 * tuple : tuple);
    }
    static size_t in_tile(int part) { return (size_t)SHARE * part * ITEMS; }

    /* Tiles as long as they can be; but where a block does only a few, all
     * blocks should do as many, and nobody have one more than others. */
    static stream_plan plan_for(size_t n, int tuple, size_t blocks) {
        int most = MOST_IN_PART - MOST_IN_PART % unit(tuple);
        size_t rounds =
            (n + in_tile(most) * blocks - 1) / (in_tile(most) * blocks);
        if (rounds > SHAPE_FEW_ROUNDS)
            return stream_plan{most, SHAPE_LOOK_EARLY > 1, false};
        size_t tiles = rounds * blocks, fair = in_tile(unit(tuple)) * tiles;
        int part = (int)((n + fair - 1) / fair) * unit(tuple);
        return stream_plan{part, SHAPE_LOOK_EARLY > 0, true};
    }
    /* Of a block. */
    static unsigned threads(const stream_plan &made) {
        if (!shape::WIDENS) return THREADS;
        return (unsigned)(THREADS - LOOKERS + shape::lookers_of(made.few));
    }

    memory &m;
    const T *in;
    T *out;
    size_t n;
    tuples<S> s;
    stream_plan plan;
    int tile_size;
    typename looker::board_type b;
    OUTSIDE outside;

    __device__ stream_engine(memory &shared, const T *from, T *to, size_t count,
                             tuples<S> tuple, stream_plan made,
                             OUTSIDE others = OUTSIDE())
        : m(shared), in(from), out(to), n(count), s(tuple), plan(made),
          tile_size(SHARE * made.part * ITEMS),
          b(the_ledger.tag, (unsigned)((count + tile_size - 1) / tile_size),
            tuple.size()),
          outside(others) {}

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

    /* Until so many pieces of the k-th tile's buffer may be written to; one:
     * nobody looks at the tile that was there any more. */
    __device__ void await_empty(unsigned k, int pieces) {
        for (int p = 0; k >= STAGES && p < pieces; p++)
            m.empty[k % STAGES][p].wait((k / STAGES - 1) % 2);
    }

    __device__ void bring(unsigned k, unsigned number, int lane) {
        unsigned stage = k % STAGES;
        turn earlier(k - 1);
        T *tile = m.tile[stage];
        unsigned bytes =
            length(number) / pack<T>::SIZE * (unsigned)sizeof(pack<T>);
        if (length(number) < tile_size) {
            await_empty(k, BACK);
            fill_up(tile, number, lane);
        } else
            await_empty(k, 1);
        if (lane > 0) return;
        const char *from = (const char *)(in + (size_t)number * tile_size);
        m.number[stage] = (int)number;
        m.named[stage].arrive();
        for (unsigned p = 0; p < PIECES; p++) {
            /* The same piece of the tile before has arrived? */
            if (k > 0) m.full[earlier.stage][p].wait(earlier.phase);
            /* And what was there is on its way out? */
            if (BACK > 1 && k >= STAGES)
                m.empty[stage][p].wait((k / STAGES - 1) % 2);
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
        m.named[stage].arrive();
        for (int p = 0; p < PIECES; p++) m.full[stage][p].arrive();
    }

    __device__ void produce(int lane) {
        unsigned ticket = 0;
        if (lane == 0) ticket = take_ticket();
        for (unsigned k = 0;; k++) {
            unsigned stage = k % STAGES;
            if (k >= STAGES) {
                m.scanned[stage].wait((k / STAGES - 1) % 2);
                if (lane == 0) ticket = take_ticket();
            }
            unsigned number = __shfl_sync(ALL_LANES, ticket, 0);
            if (number >= b.tiles) {
                await_empty(k, 1);
                if (lane == 0) mark_end(stage);
                break;
            }
            /* While no buffer is in use yet, the next ticket is under way when
             * this tile is. */
            if (lane == 0 && k + 1 < STAGES) ticket = take_ticket();
            bring(k, number, lane);
        }
        if (lane == 0) b.leave();
    }

    /* ---- the reducers ---- */

    typedef place_in_group<A, S> place;

    __device__ void reduce(int thread) {
        int tuple = s.size(), part = plan.part;
        place me(thread, part, s, ITEMS);
        unsigned room = 0;
        for (unsigned k = 0;; k++) {
            turn at(k);
            int number = await_tile(at);
            if (number == NO_TILE) break;
            const T *tile = m.tile[at.stage];
            /* A column of every part of the tile; for operators that do not
             * commute, neighbouring columns (whose lanes meet in banks). */
            Sum sum = A::none();
            if (me.has_column() && !(SHAPE_LEAVE_OUT & 2))
#pragma unroll
                for (int q = 0; q < SHARE; q++) {
                    int column =
                        A::IN_ORDER ? SHARE * thread + q : part * q + thread;
                    Sum more = sum_column<A, ITEMS, S>(
                        tile + me.template top<ITEMS>(column), tuple);
                    sum = A::join(A::shifted(sum, m.by_part), more);
                }
            __syncwarp();
            /* Scanners may write to it now. */
            if (me.lane == 0) m.known[at.stage].arrive();
            sum = me.scan_lanes(sum);
            Sum *by_warp = m.by_reduce_warp[TELLS_GROUPS ? k % 2 : 0];
            if (me.ends_warp()) by_warp[me.warp * tuple + me.slot] = sum;
            group_barrier(REDUCE_BARRIER, REDUCERS + TELLERS);
            if (TELLS_GROUPS) continue;
            if (me.warp == 0) publish_sums(me, number, by_warp, &room);
            group_barrier(REDUCE_BARRIER, REDUCERS);
        }
    }
    /* What reducers' warps have. A whole warp. */
    __device__ void publish_sums(const place &me, int number,
                                 const Sum *by_warp, unsigned *room) {
        b.await_room(number, room);
        me.template tell<REDUCE_WARPS, TELLS_GROUPS && SPREADS>(
            b, number, by_warp, m.by_part, m.tellers_room);
        if constexpr (ASKS)
            if (me.thread == 0)
                outside.tell(number, me.template join_warps<REDUCE_WARPS>(
                                         by_warp, REDUCE_WARPS));
    }

    /* ---- the lookers ---- */

    struct look_barrier {
        int lookers;
        __device__ void operator()(void) const {
            if (lookers == 32)
                __syncwarp();
            else
                group_barrier(LOOK_BARRIER, lookers);
        }
    };

    __device__ void look(int thread) {
        look_barrier barrier = {shape::WIDENS ? shape::lookers_of(plan.few)
                                              : shape::lookers(s.size())};
        if (thread >= barrier.lookers) return;
        looker before(m.look, b, m.by, thread, barrier.lookers / 32);
        for (unsigned k = 0;; k++) {
            turn at(k);
            if (plan.early) m.named[at.stage].wait(at.phase);
            int number = plan.early ? m.number[at.stage] : await_tile(at);
            if (number == NO_TILE) break;
            before(number, m.before[at.stage], barrier);
            if (thread == 0) m.known[at.stage].arrive();
        }
        if (thread == 0) b.progress_to_end();
    }

    /* ---- who asks for what other devices have ---- */

    __device__ void ask(int lane) {
        for (unsigned k = 0;; k++) {
            turn at(k);
            m.named[at.stage].wait(at.phase);
            int number = m.number[at.stage];
            if (number == NO_TILE) break;
            Sum sum = outside.before(number, lane);
            if (lane > 0) continue;
            m.outside[at.stage] = sum;
            m.known[at.stage].arrive();
        }
    }

    /* ---- the scanners ---- */

    __device__ Sum *sums_by_warp(unsigned k) {
        return m.by_scan_warp[k % (ONCE ? 3 : 2)];
    }

    /* Sums the block's k-th tile; *in_warp becomes what lies before this
     * thread's column in its warp. false: there is no such tile. */
    __device__ bool sum_tile(const place &me, int top, unsigned k, Sum *in_warp,
                             unsigned *room) {
        turn at(k);
        int number = await_tile(at);
        if (number == NO_TILE) return false;
        Sum sum = A::none(), *by_warp = sums_by_warp(k);
        if (me.has_column() && !(SHAPE_LEAVE_OUT & 4))
            sum = sum_column<A, ITEMS, S>(m.tile[at.stage] + top, me.tuple);
        sum = me.scan_lanes(sum);
        if (me.ends_warp()) by_warp[me.warp * me.tuple + me.slot] = sum;
        *in_warp = me.before_in_warp(sum);
        group_barrier(SCAN_BARRIER, SCANNERS + (ONCE ? TELLERS : 0));
        if (ONCE && !TELLERS && me.warp == 0) publish_tile(me, number, k, room);
        return true;
    }
    __device__ void publish_tile(const place &me, int number, unsigned k,
                                 unsigned *room) {
        b.await_room(number, room);
        me.template tell<SCAN_WARPS, spread<A>::TELL>(
            b, number, sums_by_warp(k), m.by.tiles[1], m.tellers_room);
    }
    /* The scanners' sums, or the reducers', by a warp of its own: they go on.
     * Two of the reducers' are kept, since they need this warp for the next
     * barrier. */
    __device__ void tell(int lane) {
        place me(lane, SHARE * plan.part, s, ITEMS);
        unsigned room = 0;
        for (unsigned k = 0;; k++) {
            int number = await_tile(turn(k));
            if (number == NO_TILE) break;
            /* It is read, and the buffer may have another one. */
            if (TELLS_GROUPS && lane == 0) m.known[k % STAGES].arrive();
            if constexpr (ONCE) {
                group_barrier(SCAN_BARRIER, SCANNERS + TELLERS);
                publish_tile(me, number, k, &room);
            } else {
                group_barrier(REDUCE_BARRIER, REDUCERS + TELLERS);
                publish_sums(me, number, m.by_reduce_warp[k % 2], &room);
            }
            __syncwarp();
        }
    }

    /* Scans it when it is known what lies before it. */
    __device__ void scan_tile(const place &me, int top, unsigned k,
                              const Sum &in_warp) {
        turn at(k);
        m.known[at.stage].wait(at.phase);
        Sum before;
        if constexpr (spread<A>::SCAN)
            before = me.template before_in_parts<SCAN_WARPS>(
                m.before[at.stage], sums_by_warp(k),
                m.room + me.warp * me.tuple, in_warp);
        else {
            before = m.before[at.stage][me.slot];
            if constexpr (ASKS) before = A::join(m.outside[at.stage], before);
            before = me.template before<SCAN_WARPS>(before, sums_by_warp(k),
                                                    in_warp);
        }
        if (me.has_column() && !(SHAPE_LEAVE_OUT & 4))
            walk_column<A, ITEMS, S>(m.tile[at.stage] + top, me.tuple, before);
        fence_for_bulk();
        __syncwarp();
        if (me.lane == 0) m.scanned[at.stage].arrive();
    }

    __device__ void scan(int thread) {
        place me(thread, SHARE * plan.part, s, ITEMS);
        int top = me.has_column() ? me.template top<ITEMS>(thread) : 0;
        unsigned room = 0;
        Sum earlier = A::none(), in_warp = A::none();
        for (unsigned k = 0;; k++) {
            bool some = sum_tile(me, top, k, &in_warp, &room);
            if (ONCE) __syncwarp(); /* no lane is a round behind the others */
            if (ONCE && k > 0) scan_tile(me, top, k - 1, earlier);
            if (!some) break;
            if (!ONCE) scan_tile(me, top, k, in_warp);
            earlier = in_warp;
        }
    }

    /* ---- the storer ---- */

    __device__ void store(int lane) {
        for (unsigned k = 0;; k++) {
            turn at(k);
            int number = await_tile(at);
            if (number == NO_TILE) break;
            m.scanned[at.stage].wait(at.phase);
            const T *tile = m.tile[at.stage];
            T *to = out + (size_t)number * tile_size;
            int end = length(number), wide = end - end % pack<T>::SIZE;
            if (wide + lane < end) to[wide + lane] = tile[wide + lane];
            __syncwarp();
            if (lane > 0) continue;
            for (int p = 0; p < BACK; p++)
                store_piece(to, tile, p, wide * (int)sizeof(T));
            give_back<0>(at.stage);
        }
        if (lane == 0) await_writes();
    }
    __device__ void store_piece(T *to, const T *tile, int p, int bytes) {
        int begin = p * BACK_BYTES, size = bytes - begin;
        if (size > BACK_BYTES) size = BACK_BYTES;
        if (size > 0)
            bulk_store((char *)to + begin, (const char *)tile + begin, size);
        else
            no_bulk_store();
    }
    /* Each piece as soon as it has been read. */
    template <int P> __device__ void give_back(unsigned stage) {
        if constexpr (P < BACK) {
            await_reads_but<BACK - 1 - P>();
            m.empty[stage][P].arrive();
            give_back<P + 1>(stage);
        }
    }

    __device__ void run(void) {
        int thread = threadIdx.x;
        if (thread == 0) {
            for (int i = 0; i < STAGES; i++) {
                for (int p = 0; p < PIECES; p++) m.full[i][p].prepare(1);
                for (int p = 0; p < BACK; p++) m.empty[i][p].prepare(1);
                m.scanned[i].prepare(SCAN_WARPS);
                m.named[i].prepare(1);
                m.known[i].prepare(1 + REDUCE_WARPS + ASKS + TELLS_GROUPS);
            }
            fence_for_bulk();
            if (A::SHIFTS) m.by_part = A::later(plan.part / s.size() * ITEMS);
        }
        m.by.prepare(thread, THREADS, tile_size / s.size());
        __syncthreads();
        if (thread < SCANNERS) {
            scan(thread);
            return;
        }
        thread -= SCANNERS;
        if constexpr (!ONCE)
            if (thread < REDUCERS) {
                reduce(thread);
                return;
            }
        run_others(thread - REDUCERS);
    }

    /* A warp each, but lookers: who are the last ones where a call says how
     * many there are, and else the first. A multiprocessor has four parts, and
     * a warp's number says which one executes it: with lookers always last,
     * orders 6 to 8 of 32 bits were slower by 1 to 6 %. */
    __device__ void run_others(int thread) {
        enum { FIRST = shape::WIDENS ? 0 : LOOKERS };
        int warp = (thread - FIRST) / 32, lane = thread % 32;
        if (thread < FIRST)
            look(thread);
        else if (warp == 0)
            produce(lane);
        else if (warp == 1)
            store(lane);
        else if (shape::WIDENS && warp >= 2 + ASKS)
            look(thread - 64 - 32 * ASKS);
        else if constexpr (ASKS)
            ask(lane);
        else if constexpr (TELLERS > 0)
            tell(lane);
    }
};

/* Empty where the device cannot; then nobody calls it. */
template <class A, int S, stream_kind KIND>
__global__ void __launch_bounds__(stream_engine<A, S, KIND>::THREADS,
                                  SHAPE_STREAM_BLOCKS)
    scan_stream_kernel(const typename A::Elem *in, typename A::Elem *out,
                       size_t n, tuples<S> s, stream_plan plan) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char bytes[];
    typedef stream_engine<A, S, KIND> engine;
    static_assert(sizeof(typename engine::memory) * SHAPE_STREAM_BLOCKS <=
                      (228 - SHAPE_STREAM_BLOCKS) * 1024,
                  "shape.cuh asks for more shared memory than there is");
    engine e(*(typename engine::memory *)bytes, in, out, n, s, plan);
    e.run();
#endif
}
