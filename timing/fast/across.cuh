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
 * out in turn; after each chunk a device tells all others what its chunks so
 * far come to.
 *
 * Nobody sends what it was sent (but in a chain), so nobody waits in a circle.
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
    unsigned chunk;   /* tiles of one; PARTS: more than there are */
    unsigned letters; /* of each device, in an inbox */
    letter_word *inbox[MOST_DEVICES];
};

template <class A> struct across {
    typedef typename A::Sum Sum;
    enum { WARPS = 1, WORDS = words_of<Sum>::WORDS };

    const post &p;
    /* The asking warp's: the last answer. */
    unsigned known;
    Sum answer;

    __device__ explicit across(const post &call)
        : p(call), known(~0u), answer(A::none()) {}

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
                                __NV_ATOMIC_RELAXED,
                                __NV_THREAD_SCOPE_SYSTEM);
    }
    __device__ Sum read(unsigned from, unsigned k) const {
        words_of<Sum> words;
        letter_word *at = letter(p.device, from, k), w[WORDS];
        bool some;
        do {
            some = false;
#pragma unroll
            for (int i = 0; i < WORDS; i++)
                w[i] = __nv_atomic_load_n(at + i, __NV_ATOMIC_RELAXED,
                                          __NV_THREAD_SCOPE_SYSTEM);
#pragma unroll
            for (int i = 0; i < WORDS; i++) some |= w[i] >> 32 != p.tag;
        } while (some);
#pragma unroll
        for (int i = 0; i < WORDS; i++) words.word[i] = (unsigned)w[i];
        return words.sum();
    }

    /* One thread: what this device has up to the end of chunk k. */
    __device__ void send(unsigned k, Sum sum) const {
        if (p.layout == CHAIN) {
            if (p.device > 0) sum = A::join(read(p.device - 1, 0), sum);
            if (p.device + 1 < p.devices) write(p.device + 1, 0, sum);
            return;
        }
        unsigned first = p.layout == PARTS ? p.device + 1 : 0;
        for (unsigned to = first; to < p.devices; to++)
            if (to != p.device) write(to, k, sum);
    }

    /* The same, if it is time, by one of those who look back, who has found
     * what is before `tile`. The tile's own sum is on the board. */
    __device__ void tell(unsigned tile, const Sum &before,
                         const board<A> &b) const {
        if (p.layout != DEALT) return;
        if ((tile + 1) % p.chunk != 0 && tile + 1 != b.tiles) return;
        words_of<Sum> words;
#pragma unroll
        for (int i = 0; i < WORDS; i++) {
            unsigned long long w;
            do w = load_word(b.at(tile, 0, i));
            while (w >> 32 != b.tag(tile));
            words.word[i] = (unsigned)w;
        }
        send(tile / p.chunk, A::join(before, words.sum()));
    }

    /* What is before the tile on other devices, by a whole warp, each lane of
     * which has one of them. Lane 0 learns it. */
    __device__ Sum before(unsigned tile, unsigned lane) {
        unsigned k = tile / p.chunk;
        if (k == known) return answer;
        known = k;
        bool asks = p.layout == CHAIN ? lane + 1 == p.device : lane < p.device;
        Sum sum = A::none();
        if (asks)
            sum = read(lane, k);
        else if (p.layout == DEALT && lane > p.device && lane < p.devices && k > 0)
            sum = read(lane, k - 1);
        __syncwarp();
#pragma unroll
        for (int d = 1; d < MOST_DEVICES; d *= 2)
            sum = A::join(sum, shuffle_down(sum, d));
        return answer = sum;
    }
};
