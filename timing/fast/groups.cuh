/* SPDX-License-Identifier: MIT
 *
 * groups.cuh: looking back where sums are long. By board.cuh every block reads
 * the sum of every tile since its last one, from as many tiles as there are
 * blocks; 1 KB for each where a tuple of 8 has orders of 64 bits. Here the
 * block that has the last tile of a group publishes the group's sum, too, and
 * others read it instead of the tiles'. A group's sum comes a trip through the
 * L2 cache later, which short sums do not gain back.
 *
 * Who waits for whom. Tiles' sums wait for nobody (but for a place). A group's
 * sum is made of its tiles' sums alone, and before its block waits for earlier
 * groups: so it waits for what is before its block's tile in no other way than
 * by the block's earlier tiles, and nobody waits in a circle. A block reads its
 * own tile's sum from the board as well, and needs no barrier for it. The last
 * group of a call, when incomplete, has no sum; nobody needs it.
 *
 * Places and tags. There are as many groups' places as groups of tiles' places;
 * a group's word carries the tag of its tiles. When group g is published, the
 * sum of its last tile l is on the board, so its place was free then:
 * l - places() < first, where `first` is the lowest tile that any block still
 * needs. Every `first` is the first tile of a group, so that nobody needs any
 * tile of the group that had g's place before: that place is free, too.
 *
 * How much a block waits for before it says which tiles it does not need any
 * more: for half of all places and a group, while what it said last may be an
 * eighth of them old. So every tile that it waits for has a place, in the end,
 * if a group is no more than a fourth of them.
 *
 * Words are of 128 bits, 96 of a sum and a tag of 32, read and written as one.
 * They lie apart from the words of board.cuh: what is a sum in one layout might
 * look like a tag in the other.
 */
#pragma once

#include "board.cuh"

struct __align__(16) quad {
    enum { CARRIES = 3 };
    unsigned word[CARRIES], tag;
};

/* Tiles of a group, and lanes that add them up: the longer a slot's sum is, the
 * fewer, and the more slots for one warp. */
constexpr int tiles_in_group(size_t bytes) {
    return bytes > SHAPE_SMALL_GROUPS_FROM ? 16 : 32;
}

enum { QUADS = BOARD_WORDS / 2 /* as many bytes as there are on the board */ };
/* The board: N words of tiles, then N / 16 of groups. A template, so that a
 * kernel without groups takes no room for theirs. */
template <int N> static __device__ quad the_quads[N + N / 16];

inline __device__ quad load_quad(const quad *at) {
    unsigned long long low, high;
    asm volatile("{ .reg .b128 q;\n"
                 "ld.relaxed.gpu.global.b128 q, [%2];\n"
                 "mov.b128 {%0, %1}, q; }"
                 : "=l"(low), "=l"(high)
                 : "l"(__cvta_generic_to_global(at))
                 : "memory");
    return quad{{(unsigned)low, (unsigned)(low >> 32), (unsigned)high},
                (unsigned)(high >> 32)};
}

inline __device__ void store_quad(quad *at, const quad &q) {
    unsigned long long low = (unsigned long long)q.word[1] << 32 | q.word[0];
    unsigned long long high = (unsigned long long)q.tag << 32 | q.word[2];
    asm volatile("{ .reg .b128 q;\n"
                 "mov.b128 q, {%1, %2};\n"
                 "st.relaxed.gpu.global.b128 [%0], q; }" ::"l"(
                     __cvta_generic_to_global(at)),
                 "l"(low), "l"(high)
                 : "memory");
}

/* A board of tiles' sums and of groups'. */
template <class A> struct group_board : board<A> {
    typedef typename A::Sum Sum;
    enum {
        WORDS = board<A>::WORDS,
        COUNT = (WORDS + quad::CARRIES - 1) / quad::CARRIES, /* of a sum */
        TILES = tiles_in_group(sizeof(Sum)),
        TILES_LOG = TILES == 32 ? 5 : 4
    };
    static_assert(QUADS / (MOST_SLOTS * COUNT) >= 4 * TILES,
                  "four groups have places on the board");

    __device__ group_board(unsigned tag, unsigned call_tiles, int tuple)
        : board<A>(tag, call_tiles, tuple, QUADS / (tuple * COUNT)) {}

    /* Quads of a slot's sum are so far apart. */
    __device__ unsigned step(bool of_group) const {
        return this->places() >> (of_group ? (int)TILES_LOG : 0);
    }
    /* The first quad of a tile's sum or, if it is the first tile of one, a
     * group's. Neighbours side by side, for neighbouring lanes. */
    __device__ quad *at(unsigned tile, int slot, bool of_group) const {
        unsigned place = tile & (this->places() - 1);
        quad *begin = the_quads<QUADS> + (of_group ? QUADS : 0);
        return begin + slot * COUNT * step(of_group) +
               (of_group ? place >> TILES_LOG : place);
    }

    /* Quad q of a slot's sum. */
    __device__ void publish_quad(unsigned tile, int slot, int q, const Sum &sum,
                                 bool of_group) const {
        const unsigned *word = (const unsigned *)&sum;
        quad is = {{}, this->tag(tile)};
#pragma unroll
        for (int k = 0; k < quad::CARRIES; k++)
            if (q * quad::CARRIES + k < WORDS)
                is.word[k] = word[q * quad::CARRIES + k];
        store_quad(at(tile, slot, of_group) + q * step(of_group), is);
    }
    __device__ void publish(unsigned tile, int slot, const Sum &sum) const {
#pragma unroll
        for (int q = 0; q < COUNT; q++) publish_quad(tile, slot, q, sum, false);
    }
    /* The sums of all slots, which lie in shared memory. A whole warp. */
    __device__ void publish_all(unsigned tile, const Sum *sums) const {
        for (int i = threadIdx.x % 32; i < this->slots * COUNT; i += 32)
            publish_quad(tile, i / COUNT, i % COUNT, sums[i / COUNT], false);
    }
};

/* What lies before a block's tiles, as look_back of board.cuh finds it. */
template <class A, int MOST> struct look_at_groups {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    enum {
        WORDS = group_board<A>::WORDS,
        COUNT = group_board<A>::COUNT,
        TILES = group_board<A>::TILES, /* lanes that add them up, or groups */
        SLOTS = 32 / TILES,            /* of a job */
        AT_ONCE = COUNT * 2 <= SHAPE_GROUP_QUADS ? 2 : 1 /* jobs */
    };

    typedef group_board<A> board_type;
    typedef distances<A, TILES, TILES> distances_type;
    struct memory {
        Sum groups[MOST], tiles[MOST]; /* whole groups, tiles of the last */
        Sum own[MOST];                 /* the tile itself, if a group ends */
        Sum whole[MOST];               /* that group */
    };

    memory &shared;
    const board_type &b;
    const distances_type &by;
    int thread, warp, warps;
    unsigned next_group; /* groups before it are in total */
    unsigned said;       /* see board::is_time */
    T total; /* in them: a coefficient of slot thread / 8, in the first threads
              */

    __device__ look_at_groups(memory &m, const board_type &on,
                              const distances_type &far, int group_thread,
                              int group_warps)
        : shared(m), b(on), by(far), thread(group_thread),
          warp(group_thread / 32), warps(group_warps), next_group(0), said(0),
          total(0) {}

    /* Jobs of a kind: SLOTS slots each. */
    __device__ int jobs(void) const { return (b.slots + SLOTS - 1) / SLOTS; }

    /* A lane's part of a job: a sum, `far` from the newest one. */
    struct part {
        bool of_group, wanted;
        int slot, far;
        unsigned tile; /* the first of a group */
    };
    /* First come the jobs that add up tiles of the last group (all of them if
     * `tile` ends it: then the farthest lane has that one), then those that add
     * up `rounds` groups. */
    __device__ part part_of(int job, unsigned tile, int rounds) const {
        part is;
        is.of_group = job >= jobs();
        is.far = thread % TILES;
        is.slot =
            (is.of_group ? job - jobs() : job) * SLOTS + thread % 32 / TILES;
        unsigned in_group = tile % TILES;
        bool own = in_group == TILES - 1;
        is.tile = is.of_group ? (next_group + rounds - 1 - is.far) * TILES
                  : own && is.far == TILES - 1 ? tile
                                               : tile - 1 - is.far;
        is.wanted = is.slot < b.slots &&
                    is.far < (is.of_group ? rounds : (int)in_group + own);
        return is;
    }

    __device__ void load(quad q[], const part &is) const {
        if (!is.wanted) return;
        const quad *at = b.at(is.tile, is.slot, is.of_group);
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            q[k] = load_quad(at + k * b.step(is.of_group));
    }

    /* Of the last quad the words that carry nothing are 0, and must be seen to
     * be: where nobody looks at the middle 64 bits of a relaxed load of 128,
     * ptxas 13.0 makes two loads of it, and a tag may come with an older
     * word. */
    static __device__ bool is_there(const quad q[], unsigned tag) {
        unsigned wrong = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++) wrong |= q[k].tag ^ tag;
#pragma unroll
        for (int k = WORDS; k < COUNT * quad::CARRIES; k++)
            wrong |= q[k / quad::CARRIES].word[k % quad::CARRIES];
        return wrong == 0;
    }

    /* Until all is there; only lanes that miss something ask again. */
    __device__ void await(quad q[], const part &is) const {
        for (;;) {
            bool some = is.wanted && !is_there(q, b.tag(is.tile));
            if (!__any_sync(ALL_LANES, some)) break;
            if (some) load(q, is);
        }
    }

    static __device__ Sum sum_in(const quad q[]) {
        words_of<Sum> words;
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            words.word[k] = q[k / quad::CARRIES].word[k % quad::CARRIES];
        return words.sum();
    }

    /* All that lies in the group's tiles before the last one, and that; sum:
     * this lane's coefficient of it. */
    __device__ void end_group(unsigned tile, const part &is, T sum) {
        /* Its place is free, since the last tile's was (above). */
        __threadfence_block();
        __syncwarp();
        T later = A::shifted_part(sum, by.tiles[1]);
        bool some = is.slot < b.slots;
        if (some && is.far < A::PARTS)
            shared.whole[is.slot].of[is.far] =
                later + shared.own[is.slot].of[is.far];
        __syncwarp();
        if (some && is.far < COUNT)
            b.publish_quad(tile - (TILES - 1), is.slot, is.far,
                           shared.whole[is.slot], true);
    }

    __device__ void do_job(quad q[], const part &is, unsigned tile) {
        await(q, is);
        bool ends = !is.of_group && (tile + 1) % TILES == 0;
        Sum sum = A::none();
        if (is.wanted) {
            if (ends && is.far == TILES - 1)
                shared.own[is.slot] = sum_in(q);
            else
                sum = A::shifted(sum_in(q), is.of_group ? by.groups[is.far]
                                                        : by.tiles[is.far]);
        }
        T part = A::template sum_of_lanes<TILES>(sum);
        if (ends) end_group(tile, is, part);
        if (is.far < A::PARTS && is.slot < b.slots)
            (is.of_group ? shared.groups : shared.tiles)[is.slot].of[is.far] =
                part;
    }

    /* This warp's jobs: `rounds` whole groups and, at last, tiles. */
    __device__ void do_jobs(int rounds, bool last, unsigned tile) {
        int end = rounds > 0 ? 2 * jobs() : jobs();
        int first = last ? warp : jobs() + warp;
        for (; first < end; first += AT_ONCE * warps) {
            quad q[AT_ONCE][COUNT];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                if (first + i * warps < end)
                    load(q[i], part_of(first + i * warps, tile, rounds));
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                if (first + i * warps >= end) break;
                do_job(q[i], part_of(first + i * warps, tile, rounds), tile);
            }
        }
    }

    /* total moves on past `rounds` groups; with the last ones, before[slot]
     * becomes what lies before the tile. */
    __device__ void add_up(int rounds, bool last, unsigned tile, Sum *before) {
        if (warp * 32 >= b.slots * 8) return;
        int slot = thread / 8, d = thread % 8;
        bool is = slot < b.slots && d < A::PARTS;
        if (rounds > 0) {
            total = A::shifted_part(total, by.groups[rounds]);
            if (is) total += shared.groups[slot].of[d];
        }
        if (!last) return;
        T part = A::shifted_part(total, by.tiles[tile % TILES]);
        if (is) before[slot].of[d] = part + shared.tiles[slot].of[d];
    }

    /* before[slot] becomes what lies before the tile, which comes after those
     * of earlier calls. sync: a barrier of these warps. */
    template <typename barrier>
    __device__ void operator()(unsigned tile, Sum *before, barrier sync) {
        unsigned group = tile / TILES;
        unsigned most = min((unsigned)TILES, b.places() / (2 * TILES));
        for (bool last = false; !last;) {
            int rounds = (int)min(group - next_group, most);
            last = next_group + rounds == group;
            if (!(SHAPE_LEAVE_OUT & 1)) do_jobs(rounds, last, tile);
            sync();
            add_up(rounds, last, tile, before);
            next_group += rounds;
            if (b.is_time(next_group * TILES, said)) {
                said = next_group * TILES;
                if (thread == 0) b.progress(said);
            }
            sync();
        }
    }
};
