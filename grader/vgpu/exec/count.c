/* SPDX-License-Identifier: MIT
 *
 * count.c: what an access costs: sectors, segments, bank wavefronts.
 *
 * Shared memory (CUDA C++ Programming Guide, "Shared Memory" per compute
 * capability): a phase serves 4-byte words from distinct banks in one pass;
 * lanes that want the same word share it; 8- and 16-byte accesses take halves and
 * quarters of the lanes at a time.
 */
#include "machine.h"

uint32_t count_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                       uint32_t shift)
{
    uint64_t seen[2 * WARP_LANES];
    uint32_t n = 0;
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

static uint32_t phase_passes(uint32_t banks, const uint32_t *offsets,
                             uint32_t mask, uint32_t words)
{
    uint32_t word[4 * WARP_LANES];
    int8_t next[4 * WARP_LANES], head[64];
    uint8_t depth[64];
    uint32_t n = 0, most = 0;
    for (uint32_t b = 0; b < banks; b++) head[b] = -1, depth[b] = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t first = offsets[__builtin_ctz(m)] >> 2;
        for (uint32_t w = first; w < first + words; w++) {
            uint32_t b = w % banks;
            int k = head[b];
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

uint32_t count_wavefronts(const struct vgpu_profile *p, const uint32_t *offsets,
                          uint32_t mask, uint32_t bytes, uint32_t *ideal)
{
    uint32_t words = bytes > 4 ? bytes / 4 : 1;
    uint32_t lanes = (uint32_t)p->phase_lanes / words;
    uint32_t in_phase = lanes >= 32 ? FULL_MASK : (1u << lanes) - 1;
    uint32_t passes = 0;
    *ideal = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t m = mask & (in_phase << first);
        if (!m) continue;
        passes += phase_passes((uint32_t)p->banks, offsets, m, words);
        ++*ideal;
    }
    return passes;
}
