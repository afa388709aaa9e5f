/* SPDX-License-Identifier: MIT
 *
 * bits.c: a bit for every byte of memory. See bits.h.
 */
#include "bits.h"

#include <string.h>

/* A range is part of a word, whole words, part of a word; each may be empty. */
struct parts {
    uint64_t first, words; /* index of the whole words, how many */
    uint8_t head, tail;    /* bits of the word before and behind them */
};

static inline uint8_t some(uint64_t from, uint64_t count) {
    return (uint8_t)(((1u << count) - 1) << from);
}

static inline struct parts split(uint64_t from, uint64_t count) {
    uint64_t into = from & 3, end = from + count;
    if (into + count < 4)
        return (struct parts){(from >> 2) + 1, 0, some(into, count), 0};
    uint64_t first = (from + 3) >> 2;
    return (struct parts){first, (end >> 2) - first,
                          into ? some(into, 4 - into) : 0, some(0, end & 3)};
}

/* Without data there is nothing joined. */
static inline void clear(uint8_t *at, uint8_t these) {
    *at &= (uint8_t)~these;
    if (!(*at & BITS_WORD)) *at = 0;
}

void bits_set(uint8_t *bits, uint64_t from, uint64_t count, bool value) {
    struct parts p = split(from, count);
    uint8_t *at = bits + p.first;
    if (p.head && value) at[-1] |= p.head;
    if (p.head && !value) clear(at - 1, p.head);
    if (p.words == 1)
        *at = value ? BITS_WORD : 0;
    else
        memset(at, value ? BITS_WORD : 0, (size_t)p.words);
    if (p.tail && value) at[p.words] |= p.tail;
    if (p.tail && !value) clear(at + p.words, p.tail);
}

bool bits_all(const uint8_t *bits, uint64_t from, uint64_t count) {
    struct parts p = split(from, count);
    const uint8_t *at = bits + p.first, *end = at + p.words;
    if (p.head && p.head & ~at[-1]) return false;
    if (p.tail && p.tail & ~*end) return false;
    const uint64_t every = BITS_WORD * 0x0101010101010101ull;
    uint64_t all = every, eight;
    for (; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        all &= eight;
    }
    for (; at < end; at++) all &= *at | ~0xffull;
    return (all & every) == every;
}

/* All bytes from `at` to `end`, or-ed together: in each of eight bytes those of
 * every eighth. */
static inline uint64_t any_of(const uint8_t *at, const uint8_t *end) {
    uint64_t any = 0, eight;
    for (; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        any |= eight;
    }
    for (; at < end; at++) any |= *at;
    return any;
}

bool bits_any(const uint8_t *bits, uint64_t from, uint64_t count) {
    struct parts p = split(from, count);
    const uint8_t *at = bits + p.first, *end = at + p.words;
    if (p.head && p.head & at[-1]) return true;
    if (p.tail && p.tail & *end) return true;
    return any_of(at, end);
}

void bits_join(uint8_t *bits, uint64_t from, uint64_t count) {
    for (uint64_t k = from >> 2; k < (from + count + 3) >> 2; k++)
        if (bits[k]) bits[k] |= BITS_JOINED;
}

bool bits_joined(const uint8_t *bits, uint64_t from, uint64_t count) {
    const uint8_t *at = bits + (from >> 2);
    const uint8_t *end = bits + ((from + count + 3) >> 2);
    return any_of(at, end) & BITS_JOINED * 0x0101010101010101ull;
}

void bits_copy(uint8_t *to, uint64_t at, const uint8_t *source, uint64_t from,
               uint64_t count, bool absent) {
    if (!to) return;
    if (!source) {
        bits_set(to, at, count, absent);
        return;
    }
    uint64_t words = (at | from) & 3 ? 0 : count >> 2;
    memmove(to + (at >> 2), source + (from >> 2), (size_t)words);
    for (uint64_t k = 4 * words; k < count; k++) {
        uint8_t word = source[(from + k) >> 2];
        bool is = word >> ((from + k) & 3) & 1;
        bits_set(to, at + k, 1, is);
        /* Other bytes than before share a word. */
        if (is && !absent && (word & BITS_JOINED || (at ^ from) & 3))
            bits_join(to, at + k, 1);
    }
}
