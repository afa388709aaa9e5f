/* SPDX-License-Identifier: MIT
 *
 * board.cuh: what blocks tell each other. A block takes tiles by ticket, in
 * order, or has the one of its own number where all blocks are resident and do
 * one each. It publishes the sum of its tile as soon as it has it, and that is
 * all that is ever published: what lies before a tile it finds by adding up, to
 * what it knows of earlier tiles, the sums of those since. Nobody waits for
 * a block that waits.
 *
 * Tiles are added up in groups of 32, from multiples of 32 on, so that sums of
 * floats are rounded in the same order whoever adds them.
 *
 * Board, ticket and progress lie in static device memory: no call allocates or
 * clears anything. Each word carries 32 bits of a sum and a tag that no earlier
 * tile in this place has had, in this call or in one before; a sum is there
 * when all its words carry the tile's tag. One call at a time: the lab's
 * functions run on the default stream.
 *
 * The file that includes this says first how many words it needs: BOARD_WORDS.
 */
#pragma once

#include <type_traits>

#include "algebra.cuh"
#include "columns.cuh"

enum { GROUP = 32, MOST_BLOCKS = 4096, MOST_SLOTS = 8 };

/* Tiles on other devices that come before this device's: there are none.
 * across.cuh has the type for several devices. */
struct nothing_outside {
    enum { WARPS = 0 };
};

struct ledger {
    unsigned ticket, gone; /* 0 between calls */
    unsigned tag;          /* the last one that earlier calls may have used */
};

static __device__ ledger the_ledger;
static __device__ unsigned long long the_board[BOARD_WORDS];
/* Of every block: the first tile whose sum it still needs, and the call's tag
 * above it. */
static __device__ unsigned long long the_progress[MOST_BLOCKS];

inline __device__ unsigned long long load_word(unsigned long long *at) {
    return __nv_atomic_load_n(at, __NV_ATOMIC_RELAXED,
                              __NV_THREAD_SCOPE_DEVICE);
}

inline __device__ void store_word(unsigned long long *at, unsigned tag,
                                  unsigned value) {
    __nv_atomic_store_n(at, (unsigned long long)tag << 32 | value,
                        __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

inline __device__ unsigned take_ticket(void) {
    return atomicAdd(&the_ledger.ticket, 1u);
}

/* Of the largest power of two that is no more. */
inline __device__ int log_of(unsigned x) {
    return 31 - __clz(x);
}

/* Barrier number `id` of the block, for `threads` of its threads. */
inline __device__ void group_barrier(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

template <class A> struct board {
    typedef typename A::Sum Sum;
    enum { WORDS = words_of<Sum>::WORDS };
    unsigned base;  /* the_ledger.tag at the start of the call */
    unsigned tiles; /* of the call */
    int slots;
    int places_log; /* places, of which there are 2^places_log, are used in a
                       circle */

    /* tag: of the_ledger, read before the block leaves. */
    __device__ board(unsigned tag, unsigned call_tiles, int tuple)
        : board(tag, call_tiles, tuple, BOARD_WORDS / (tuple * WORDS)) {}
    /* most: tiles that there is room for. */
    __device__ board(unsigned tag, unsigned call_tiles, int tuple, int most)
        : base(tag), tiles(call_tiles), slots(tuple), places_log(log_of(most)) {
    }
    __device__ unsigned places(void) const { return 1u << places_log; }
    __device__ unsigned tag(unsigned tile) const {
        return base + 1 + (tile >> places_log);
    }
    /* Word k: neighbouring tiles side by side, for neighbouring lanes. */
    __device__ unsigned long long *at(unsigned tile, int slot, int k) const {
        return &the_board[((size_t)(slot * WORDS + k) << places_log) +
                          (tile & (places() - 1))];
    }
    __device__ bool wraps(void) const { return tiles > places(); }

    __device__ void publish(unsigned tile, int slot, const Sum &sum) const {
        words_of<Sum> w(sum);
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            store_word(at(tile, slot, k), tag(tile), w.word[k]);
    }

    /* The sums of all slots, which lie in shared memory. A whole warp. */
    __device__ void publish_all(unsigned tile, const Sum *sums) const {
        const unsigned *word = (const unsigned *)sums;
        for (int i = threadIdx.x % 32; i < slots * WORDS; i += 32)
            store_word(at(tile, 0, i), tag(tile), word[i]);
    }

    /* ---- a board smaller than the call ----
     *
     * A place is used again only when every block has gone on to tiles after
     * the old one. Blocks must all be resident then (lab 7 promises that). */

    /* Saying that takes time, and need not be done often: is it time, when
     * the block needs no tile before `first` and said so of `said` last? */
    __device__ bool is_time(unsigned first, unsigned said) const {
        return wraps() && first - said >= places() / 8;
    }
    /* This block needs no tile before `first` any more. One thread. */
    __device__ void progress(unsigned first) const {
        __threadfence(); /* the sums have been read before this is seen */
        store_word(&the_progress[blockIdx.x], base + 1, first);
    }
    /* Nor any other. */
    __device__ void progress_to_end(void) const {
        if (wraps()) progress(~0u - places());
    }

    static __device__ unsigned least_of_lanes(unsigned x) {
        for (int d = 16; d > 0; d /= 2)
            x = min(x, __shfl_xor_sync(ALL_LANES, x, d));
        return x;
    }

    /* Waits until tile's place is free; *room: tiles below it are known to
     * have one. A whole warp. */
    __device__ void await_room(unsigned tile, unsigned *room) const {
        if (tile < places() || tile < *room) return;
        unsigned least;
        do {
            least = ~0u - places();
            for (unsigned b = threadIdx.x % 32; b < gridDim.x; b += 32) {
                unsigned long long w = load_word(&the_progress[b]);
                unsigned first =
                    (unsigned)(w >> 32) == base + 1 ? (unsigned)w : 0;
                least = min(least, first);
            }
            least = least_of_lanes(least);
        } while (tile - places() >= least);
        *room = least + places();
        __threadfence();
    }

    /* The block takes no more tickets. The last block prepares the ledger for
     * the next call. One thread, when nobody else of the block will. */
    __device__ void leave(void) const {
        __threadfence();
        if (atomicAdd(&the_ledger.gone, 1u) != gridDim.x - 1) return;
        __threadfence();
        the_ledger.ticket = 0;
        the_ledger.gone = 0;
        the_ledger.tag = base + 1 + ((tiles - 1) >> places_log);
    }
};

/* What lies before a block's tiles of MOST slots at most, found out by some
 * warps of it. WORDS_AT_ONCE: that a lane waits for at a time; ROUNDS: groups
 * that are added up in one batch, no more than distances knows. */
template <class A, int MOST, int WORDS_AT_ONCE, int ROUNDS> struct look_back {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    typedef board<A> board_type;
    typedef distances<A> distances_type;
    enum {
        WORDS = board<A>::WORDS,
        AT_ONCE = WORDS < WORDS_AT_ONCE ? WORDS_AT_ONCE / WORDS : 1, /* sums */
        /* One slot's are found sooner by threads that know all of a sum. */
        SPREAD = MOST > 1 && spread<A>::LOOK
    };
    struct memory {
        Sum found[ROUNDS * MOST];
    };

    memory &shared;
    const board<A> &b;
    const distances<A> &by;
    int thread, lane, warp, warps;
    unsigned inverse;    /* of b.slots, times 2^16 */
    unsigned next_group; /* groups before it are in total */
    unsigned said;       /* see board::is_time */
    /* What lies in them, in the first threads: of slot `thread`; of sums of
     * orders, a coefficient of slot thread / 8. */
    std::conditional_t<SPREAD, T, Sum> total;
    typename A::Shift by_lane;

    __device__ look_back(memory &m, const board<A> &on, const distances<A> &far,
                         int group_thread, int group_warps)
        : shared(m), b(on), by(far), thread(group_thread),
          lane(group_thread % 32), warp(group_thread / 32), warps(group_warps),
          inverse(65536 / b.slots + 1), next_group(0), said(0), total() {
        if constexpr (!SPREAD) total = A::none();
        if (A::SHIFTS) by_lane = by.tiles[lane];
    }

    /* Some tiles of one slot, 32 at most, for a warp; lane 0 has the newest. */
    struct job {
        unsigned newest, count;
        int slot, round;
    };
    /* Job k of a batch, slot by slot and round by round. A round is a group,
     * next_group + round, or what is before `tile` in its own group. */
    __device__ job job_of(unsigned k, unsigned tile) const {
        unsigned round = MOST == 1 ? k : k * inverse >> 16;
        unsigned group = next_group + round;
        bool whole = group < tile / GROUP;
        job is = {whole ? group * GROUP + GROUP - 1 : tile - 1,
                  whole ? GROUP : tile % GROUP, (int)(k - round * b.slots),
                  (int)round};
        return is;
    }

    __device__ void load(unsigned long long w[], const job &is) const {
        if (lane >= is.count) return;
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            w[k] = load_word(b.at(is.newest - lane, is.slot, k));
    }

    __device__ bool missing(const unsigned long long w[], const job &is) const {
        bool some = false;
        if (lane < is.count)
            for (int k = 0; k < WORDS; k++)
                some |= w[k] >> 32 != b.tag(is.newest - lane);
        return some;
    }

    /* Until all is there. Only lanes that miss something ask again: all blocks
     * wait for the same few lines, which others want to write to. */
    __device__ void await(unsigned long long w[], const job &is) const {
        for (;;) {
            bool some = missing(w, is);
            if (!__any_sync(ALL_LANES, some)) break;
            if (some) load(w, is);
        }
    }

    /* This lane's tile, as old as it is. */
    __device__ Sum sum_in(const unsigned long long w[], const job &is) const {
        words_of<Sum> words;
#pragma unroll
        for (int k = 0; k < WORDS; k++) words.word[k] = (unsigned)w[k];
        return lane < is.count ? A::shifted(words.sum(), by_lane) : A::none();
    }

    /* This warp's jobs of a batch of `whole` groups and, if it is the last
     * batch, a part of one; AT_ONCE at a time: all loads, all waits, and then
     * the lanes of all join. */
    __device__ void do_jobs(int whole, bool last, unsigned tile) {
        int jobs = (whole + last) * b.slots;
        for (int first = warp; first < jobs; first += AT_ONCE * warps) {
            unsigned long long w[AT_ONCE][WORDS];
            Sum sum[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                if (first + i * warps < jobs)
                    load(w[i], job_of(first + i * warps, tile));
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                sum[i] = A::none();
                if (first + i * warps >= jobs) break;
                job is = job_of(first + i * warps, tile);
                await(w[i], is);
                sum[i] = sum_in(w[i], is);
            }
            if constexpr (SPREAD) {
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    if (first + i * warps >= jobs) break;
                    keep(sum[i], job_of(first + i * warps, tile), whole);
                }
            } else {
#pragma unroll
                for (int d = 1; d < 32; d *= 2)
#pragma unroll
                    for (int i = 0; i < AT_ONCE; i++) {
                        if (first + i * warps >= jobs) break;
                        sum[i] = A::join(shuffle_down(sum[i], d), sum[i]);
                    }
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    if (lane > 0 || first + i * warps >= jobs) break;
                    job is = job_of(first + i * warps, tile);
                    /* So much later is the end of the last whole group. */
                    if (A::SHIFTS && is.round < whole)
                        sum[i] =
                            A::shifted(sum[i], by.groups[whole - 1 - is.round]);
                    shared.found[is.round * b.slots + is.slot] = sum[i];
                }
            }
        }
    }
    /* What all lanes found together becomes known to the others, as it is at
     * the end of the last whole group. */
    __device__ void keep(const Sum &sum, const job &is, int whole) const {
        if constexpr (SPREAD) {
            T part = A::template sum_of_lanes<32>(sum);
            if (is.round < whole)
                part = A::shifted_part(part, by.groups[whole - 1 - is.round]);
            if (lane < A::PARTS)
                shared.found[is.round * b.slots + is.slot].of[lane] = part;
        }
    }

    /* total moves on past `rounds` groups; with the last ones, before[slot]
     * becomes what lies before the tile. */
    __device__ void add_up(int rounds, bool last, unsigned tile, Sum *before) {
        if constexpr (SPREAD) {
            if (warp * 32 >= b.slots * 8) return;
            int slot = thread / 8, d = thread % 8;
            bool is = slot < b.slots && d < A::PARTS;
            total = A::shifted_part(total, by.groups[rounds]);
#pragma unroll 4
            for (int i = 0; i < rounds; i++)
                total += is ? shared.found[i * b.slots + slot].of[d] : 0;
            if (!last) return;
            T part = A::shifted_part(total, by.tiles[tile % GROUP]);
            if (is)
                before[slot].of[d] =
                    part + shared.found[rounds * b.slots + slot].of[d];
        } else if (thread < b.slots) {
            total = A::shifted(total, by.groups[rounds]);
#pragma unroll 4
            for (int i = 0; i < rounds; i++)
                total = A::join(total, shared.found[i * b.slots + thread]);
            if (last)
                before[thread] =
                    A::join(A::shifted(total, by.tiles[tile % GROUP]),
                            shared.found[rounds * b.slots + thread]);
        }
    }

    /* before[slot] becomes what lies before the tile, which comes after those
     * of earlier calls. sync: a barrier of these warps. */
    template <typename barrier>
    __device__ void operator()(unsigned tile, Sum *before, barrier sync) {
        unsigned group = tile / GROUP;
        for (bool last = false; !last;) {
            int rounds = (int)min(group - next_group, (unsigned)ROUNDS - 1);
            last = next_group + rounds == group;
            if (!(SHAPE_LEAVE_OUT & 1)) do_jobs(rounds, last, tile);
            sync();
            add_up(rounds, last, tile, before);
            next_group += rounds;
            if (b.is_time(next_group * GROUP, said)) {
                said = next_group * GROUP;
                if (thread == 0) b.progress(said);
            }
            sync();
        }
    }
};
