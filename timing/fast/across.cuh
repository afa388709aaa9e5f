/* SPDX-License-Identifier: MIT
 *
 * across.cuh: what devices of one host tell each other. Each has an inbox in
 * its own memory, and all others write to it over the link, so that whoever
 * waits asks its own memory. A letter is what some of a device's elements come
 * to: 32 bits of it and the call's tag in each word, read and written whole, at
 * system scope. So nothing needs a fence, and no call clears anything.
 *
 * PARTS: device d has the d-th part of the array. It sends one letter to each
 * device after it, what its part comes to, and adds up those of the devices
 * before it. CHAIN: it waits for one letter from the device before it, and
 * sends one to the next: what is before that. DEALT: chunks of tiles are dealt
 * out in turn, and each tile's sum goes to all other devices as it is
 * published; a warp of each block looks back over theirs as others do over the
 * device's own (board.cuh). So what a tile waits for takes one trip over the
 * link more, however many devices there are.
 *
 * Nobody sends what it was sent (but in a chain), so nobody waits in a circle.
 * Sums of floats are rounded in the same order whoever adds them: each device's
 * by itself, tiles in groups of 32.
 */
#pragma once

#include "board.cuh"

enum { MOST_DEVICES = 16 };
enum layout { PARTS, CHAIN, DEALT };

typedef unsigned long long letter_word;

/* Who a device is among the others, in a call. */
struct post {
    enum layout layout;
    unsigned device, devices, tag;
    unsigned chunk;   /* tiles of one */
    unsigned letters; /* of each device, in an inbox: one for each tile */
    unsigned tiles[MOST_DEVICES]; /* of each, where they are dealt out */
    letter_word *inbox[MOST_DEVICES];
};

template <class A> struct across {
    typedef typename A::Sum Sum;
    enum { WARPS = 1, WORDS = words_of<Sum>::WORDS };

    enum { AT_ONCE = WORDS == 1 ? 6 : 4 /* groups that are asked for */ };

    const post &p;
    /* Of the asking warp, lane h being device h's: */
    unsigned next_low, next_high; /* of devices before this one, after it:
                                     groups before these are in total */
    unsigned known;               /* the last chunk that was asked for */
    Sum total, answer;

    __device__ explicit across(const post &call)
        : p(call), next_low(0), next_high(0), known(~0u), total(A::none()),
          answer(A::none()) {}

    __device__ letter_word *letter(unsigned to, unsigned from,
                                   unsigned k) const {
        return p.inbox[to] + ((size_t)from * p.letters + k) * WORDS;
    }

    __device__ void write(unsigned to, unsigned k, const Sum &sum) const {
        words_of<Sum> w(sum);
        letter_word *at = letter(to, p.device, k);
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            __nv_atomic_store_n(at + i, (letter_word)p.tag << 32 | w.word[i],
                                __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    }
    __device__ void ask(unsigned from, unsigned k, letter_word w[]) const {
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            w[i] = __nv_atomic_load_n(letter(p.device, from, k) + i,
                                      __NV_ATOMIC_RELAXED,
                                      __NV_THREAD_SCOPE_SYSTEM);
    }
    __device__ bool is_there(const letter_word w[]) const {
        bool all = true;
#pragma unroll
        for (int i = 0; i < WORDS; i++) all &= w[i] >> 32 == p.tag;
        return all;
    }
    static __device__ Sum sum_in(const letter_word w[]) {
        words_of<Sum> words;
#pragma unroll
        for (int i = 0; i < WORDS; i++) words.word[i] = (unsigned)w[i];
        return words.sum();
    }
    __device__ Sum read(unsigned from, unsigned k) const {
        letter_word w[WORDS];
        do ask(from, k, w);
        while (!is_there(w));
        return sum_in(w);
    }

    /* One thread: what this device's part comes to. */
    __device__ void send(Sum sum) const {
        if (p.layout == CHAIN) {
            if (p.device > 0) sum = A::join(read(p.device - 1, 0), sum);
            if (p.device + 1 < p.devices) write(p.device + 1, 0, sum);
            return;
        }
        for (unsigned to = p.device + 1; to < p.devices; to++)
            write(to, 0, sum);
    }
    /* One thread: what a tile comes to. */
    __device__ void tell(unsigned tile, const Sum &sum) const {
        if (p.layout != DEALT) return;
        for (unsigned to = 0; to < p.devices; to++)
            if (to != p.device) write(to, tile, sum);
    }

    static __device__ Sum of_all_lanes(Sum sum) {
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            words_of<Sum> w(sum);
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                w.word[i] = __shfl_xor_sync(ALL_LANES, w.word[i], d);
            sum = A::join(sum, w.sum());
        }
        return sum;
    }

    /* What is before the tile on other devices. A whole warp; lane 0 learns
     * it. */
    __device__ Sum before(unsigned tile, unsigned lane) {
        unsigned k = tile / p.chunk;
        if (k == known) return answer;
        known = k;
        if (p.layout == DEALT) return answer = look_back(k, lane);
        bool asks = p.layout == CHAIN ? lane + 1 == p.device : lane < p.device;
        Sum sum = asks ? read(lane, 0) : A::none();
        __syncwarp();
        return answer = of_all_lanes(sum);
    }

    /* Those who come before this device, or after it: what is wanted of each.
     */
    struct side {
        unsigned next, end; /* group, tile */
        __device__ unsigned groups(void) const {
            return end / GROUP - next + 1;
        }
    };
    /* A group of tiles of a device, or a part of one. */
    struct job {
        unsigned device, group, count;
        bool whole;
    };
    /* Job i of a batch: device by device, each group since the last batch and
     * what there is of the next. */
    __device__ job job_of(unsigned i, const side &low, const side &high) const {
        unsigned before = p.device * low.groups();
        bool after = i >= before;
        side of = after ? high : low;
        i -= after ? before : 0;
        job is;
        is.device = (after ? p.device + 1 : 0) + i / of.groups();
        is.group = of.next + i % of.groups();
        unsigned tiles = min(of.end, p.tiles[is.device]);
        unsigned first = is.group * GROUP;
        is.count = tiles > first ? min(tiles - first, (unsigned)GROUP) : 0;
        is.whole = is.group < of.end / GROUP;
        return is;
    }
    __device__ Sum look_back(unsigned k, unsigned lane) {
        side low = {next_low, (k + 1) * p.chunk},
             high = {next_high, k * p.chunk};
        unsigned jobs = p.device * low.groups() +
                        (p.devices - 1 - p.device) * high.groups();
        Sum rest = A::none();
        for (unsigned first = 0; first < jobs; first += AT_ONCE) {
            letter_word w[AT_ONCE][WORDS];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                if (first + i >= jobs) break;
                job is = job_of(first + i, low, high);
                if (lane < is.count)
                    ask(is.device, is.group * GROUP + lane, w[i]);
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                if (first + i >= jobs) break;
                job is = job_of(first + i, low, high);
                bool wants = lane < is.count;
                while (__any_sync(ALL_LANES, wants && !is_there(w[i])))
                    if (wants && !is_there(w[i]))
                        ask(is.device, is.group * GROUP + lane, w[i]);
                Sum sum = of_all_lanes(wants ? sum_in(w[i]) : A::none());
                if (lane != is.device) continue;
                if (is.whole)
                    total = A::join(total, sum);
                else
                    rest = sum;
            }
            __syncwarp();
        }
        next_low = low.end / GROUP, next_high = high.end / GROUP;
        return of_all_lanes(A::join(total, rest));
    }
};
