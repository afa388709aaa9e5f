/* SPDX-License-Identifier: MIT
 *
 * counts.c: what an access costs: sectors, segments, bank wavefronts.
 *
 * Shared memory (CUDA C++ Programming Guide, "Shared Memory" per compute
 * capability): a phase serves 4-byte words from distinct banks in one pass;
 * lanes that want the same word share it; 8- and 16-byte accesses take halves
 * and quarters of the lanes at a time. What the guide leaves out is measured on
 * an H200 (docs/counts.md): loads join phases (`joins`), atomics share no
 * words.
 */
#include "counts.h"

/* Neighbours mostly want the same or the next: addresses that do not fall need
 * no list of what was seen. All lanes; 0: they fall somewhere. */
WIDER static uint32_t rising_sectors(const uint64_t *a, uint32_t bytes,
                                     uint32_t shift) {
    uint64_t n = ((a[0] + bytes - 1) >> shift) - (a[0] >> shift) + 1, falls = 0;
    for (int l = 1; l < WARP_LANES; l++) {
        uint64_t before = (a[l - 1] + bytes - 1) >> shift;
        uint64_t from = a[l] >> shift, to = (a[l] + bytes - 1) >> shift;
        falls |= (from - before) >> 63;
        n += to - from + (from != before);
    }
    return falls ? 0 : (uint32_t)n;
}

uint32_t count_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                       uint32_t shift) {
    uint64_t seen[2 * WARP_LANES];
    uint32_t n =
        mask == FULL_MASK ? rising_sectors(addresses, bytes, shift) : 0;
    if (n) return n;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addresses[__builtin_ctz(m)];
        uint64_t last = (a + bytes - 1) >> shift;
        for (uint64_t s = a >> shift; s <= last; s++) {
            /* neighbours mostly ask for the latest one again */
            uint32_t k = n;
            while (k && seen[k - 1] != s) k--;
            if (!k) seen[n++] = s;
        }
    }
    return n;
}

/* Passes where a bank holds several of the words: the fullest bank's number.
 * share: a word counts once, however many lanes want it. */
static uint32_t fullest_bank(uint32_t banks, const uint32_t *offsets,
                             uint32_t mask, uint32_t words, bool share) {
    uint32_t word[4 * WARP_LANES];
    int8_t next[4 * WARP_LANES], head[64];
    uint8_t depth[64];
    uint32_t n = 0, most = 0;
    for (uint32_t b = 0; b < banks; b++) head[b] = -1, depth[b] = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t first = offsets[__builtin_ctz(m)] >> 2;
        for (uint32_t w = first; w < first + words; w++) {
            uint32_t b = w % banks;
            int k = share ? head[b] : -1;
            while (k >= 0 && word[k] != w) k = next[k];
            if (k >= 0) continue;
            word[n] = w;
            next[n] = head[b];
            head[b] = (int8_t)n++;
            if (++depth[b] > most) most = depth[b];
        }
    }
    return most;
}

/* The same for a word of each lane, where none is shared. */
static uint32_t fullest_of_words(uint32_t banks, const uint32_t *offsets,
                                 uint32_t mask) {
    uint8_t depth[64] = {0}, most = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t w = offsets[__builtin_ctz(m)] >> 2;
        uint8_t n = ++depth[banks == 32 ? w & 31 : w % banks];
        most = n > most ? n : most;
    }
    return most;
}

static uint32_t phase_passes(uint32_t banks, const uint32_t *offsets,
                             uint32_t mask, uint32_t words, bool share) {
    uint32_t word[64];
    uint64_t taken = 0;
    if (!share && words == 1) return fullest_of_words(banks, offsets, mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t first = offsets[__builtin_ctz(m)] >> 2;
        for (uint32_t w = first; w < first + words; w++) {
            uint32_t b = banks == 32 ? w & 31 : w % banks;
            if (taken >> b & 1) {
                if (share && word[b] == w) continue;
                return fullest_bank(banks, offsets, mask, words, share);
            }
            taken |= 1ull << b;
            word[b] = w;
        }
    }
    return 1;
}

/* Lanes under `end`. */
static uint32_t below(uint32_t end) {
    return end >= WARP_LANES ? FULL_MASK : (1u << end) - 1;
}

/* Every lane's neighbour `apart` lanes away is inactive or wants the same. */
static bool pairs_up(const uint32_t *offsets, uint32_t mask, uint32_t apart) {
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), other = lane ^ apart;
        if (mask >> other & 1 && offsets[other] != offsets[lane]) return false;
    }
    return true;
}

/* A wide load's two phases, mask in all, go as one: the lanes pair up with
 * their neighbours, or with the next but one, so that half as many addresses
 * are left. Measured for 8 bytes over the warp and for 16 bytes over halves
 * alike (no pattern has one half join and the other not); only for loads, and
 * only where a phase is a warp (32 banks). */
static bool joins(const struct vgpu_profile *p, const uint32_t *offsets,
                  uint32_t mask, uint32_t words, enum bank_use use) {
    return use == BANKS_LOAD && words > 1 && p->phase_lanes == WARP_LANES &&
           (pairs_up(offsets, mask, 1) || pairs_up(offsets, mask, 2));
}

uint32_t count_wavefronts(const struct vgpu_profile *p, const uint32_t *offsets,
                          uint32_t mask, uint32_t bytes, enum bank_use use,
                          uint32_t *ideal) {
    uint32_t words = bytes > 4 ? bytes / 4 : 1;
    uint32_t lanes = (uint32_t)p->phase_lanes / words;
    uint32_t passes = 0, step;
    *ideal = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += step) {
        uint32_t rest = mask >> first << first;
        /* a group of two phases begins at every other phase only */
        bool even = first % (2 * lanes) == 0;
        step = 2 * lanes;
        uint32_t m = rest & below(first + step);
        if (!even || !joins(p, offsets, m, words, use)) {
            step = lanes;
            m = rest & below(first + step);
        }
        if (!m) continue;
        passes += phase_passes((uint32_t)p->banks, offsets, m, words,
                               use != BANKS_ATOMIC);
        ++*ideal;
    }
    return passes;
}
