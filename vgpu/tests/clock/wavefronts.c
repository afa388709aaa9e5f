/* SPDX-License-Identifier: MIT
 *
 * wavefronts.c: see wavefronts.h.
 */
#include "wavefronts.h"

#include <stdbool.h>

enum { LANES = 32, MOST_BANKS = 64 };

static bool is_on(uint32_t mask, uint32_t lane) {
    return lane < LANES && mask >> lane & 1;
}

/* Of the lanes from `first` to below `end`: the words that the fullest bank has
 * to give. A word that several lanes want is one, but for atomics. */
static uint32_t fullest(struct banks b, enum wavefronts_use use,
                        const uint64_t *address, uint32_t mask, uint32_t words,
                        uint32_t first, uint32_t end) {
    uint64_t seen[4 * LANES];
    uint32_t n = 0, of[MOST_BANKS] = {0}, most = 0;
    for (uint32_t l = first; l < end; l++) {
        for (uint32_t w = 0; is_on(mask, l) && w < words; w++) {
            uint64_t word = address[l] / 4 + w;
            uint32_t k = 0;
            while (k < n && seen[k] != word) k++;
            if (k < n && use != WAVEFRONTS_ATOMIC) continue;
            seen[n++] = word;
            uint32_t in = ++of[word % b.banks];
            most = in > most ? in : most;
        }
    }
    return most;
}

/* Every lane's partner, `apart` lanes away, wants the same, or nothing. */
static bool pairs(const uint64_t *address, uint32_t mask, uint32_t first,
                  uint32_t end, uint32_t apart) {
    for (uint32_t l = first; l < end; l++)
        if (is_on(mask, l) && is_on(mask, l ^ apart) &&
            address[l] != address[l ^ apart])
            return false;
    return true;
}

uint32_t wavefronts_of(struct banks b, enum wavefronts_use use,
                       const uint64_t address[32], uint32_t mask,
                       uint32_t bytes) {
    uint32_t words = bytes > 4 ? bytes / 4 : 1, passes = 0;
    uint32_t lanes = b.phase_lanes / words;
    bool may_join =
        use == WAVEFRONTS_LOAD && words > 1 && b.phase_lanes == LANES;
    for (uint32_t first = 0; first < LANES; first += 2 * lanes) {
        uint32_t end = first + 2 * lanes, half = first + lanes;
        end = end < LANES ? end : LANES;
        half = half < LANES ? half : LANES;
        if (may_join && (pairs(address, mask, first, end, 1) ||
                         pairs(address, mask, first, end, 2)))
            passes += fullest(b, use, address, mask, words, first, end);
        else
            passes += fullest(b, use, address, mask, words, first, half) +
                      fullest(b, use, address, mask, words, half, end);
    }
    return passes;
}
