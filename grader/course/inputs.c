/* SPDX-License-Identifier: MIT
 *
 * inputs.c: one small generator per row of inputs.def. Element i depends on
 * seed and i alone, or on those before it, too.
 */
#include "inputs.h"

#include <string.h>

/* splitmix64: a Weyl sequence through a mixer that is one-to-one on 64 bits. */
uint64_t inputs_mix(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The label goes through FNV-1a, then all three through the mixer. */
uint64_t inputs_seed(uint64_t seed, const char *label, uint64_t index) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *label; label++)
        hash = (hash ^ (unsigned char)*label) * 0x100000001b3u;
    return inputs_mix(inputs_mix(seed, hash), index);
}

/* The upper half: its bits are the better mixed ones. */
static int32_t number(uint64_t seed, uint64_t i) {
    return (int32_t)(uint32_t)(inputs_mix(seed, i) >> 32);
}

static void fill_random(uint64_t seed, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = number(seed, i);
}

static void fill_holes(uint64_t seed, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = (inputs_mix(seed, i) & 7) == 0 ? 0 : number(seed, i);
}

static void fill_zeros(uint64_t seed, int32_t *out, size_t n) {
    (void)seed;
    for (size_t i = 0; i < n; i++) out[i] = 0;
}

static void fill_odd(uint64_t seed, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = number(seed, i) | 0x00010001;
}

static void fill_ones(uint64_t seed, int32_t *out, size_t n) {
    (void)seed;
    for (size_t i = 0; i < n; i++) out[i] = 1;
}

static void fill_iota(uint64_t seed, int32_t *out, size_t n) {
    (void)seed;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(uint32_t)i;
}

static void fill_extremes(uint64_t seed, int32_t *out, size_t n) {
    static const int32_t values[8] = {INT32_MIN, INT32_MAX, 0,         -1,
                                      INT32_MIN, INT32_MAX, INT32_MIN, 1};
    for (size_t i = 0; i < n; i++) out[i] = values[number(seed, i) & 7];
}

static void fill_sparse(uint64_t seed, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int32_t value = number(seed, i);
        out[i] = (inputs_mix(seed, i) & 7) == 0 ? value | 1 : 0;
    }
}

/* Lengths whose logarithms are spread evenly: many short ones, some that are
 * longer than a tile. */
static void fill_runs(uint64_t seed, int32_t *out, size_t n) {
    int32_t value = 0;
    for (size_t i = 0, left = 0; i < n; i++, left--) {
        if (left == 0) {
            uint64_t bits = inputs_mix(seed, i);
            uint64_t below = (uint64_t)1 << bits % 14;
            left = (size_t)(1 + (bits >> 8) % below);
            value = number(seed, i);
        }
        out[i] = value;
    }
}

/* What programs write for "nothing yet", for states in the uppermost two bits
 * and for the numbers of states; zeros are half of all. */
static void fill_flags(uint64_t seed, int32_t *out, size_t n) {
    static const int32_t values[8] = {
        1, 2, -1, INT32_MIN, 1 << 30, INT32_MIN | 1 << 30, 3, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = inputs_mix(seed, i);
        out[i] = bits >> 63 ? values[bits >> 32 & 7] : 0;
    }
}

/* Runs that end at every multiple of 256, every second one or so just there,
 * the others one element before or behind it. Numbers of runs are even and odd
 * in turn, and so are their values: neighbours differ. */
static void fill_edges(uint64_t seed, int32_t *out, size_t n) {
    static const int beside[4] = {0, 0, -1, 1};
    for (size_t i = 0; i < n; i++) {
        size_t edge = (i + 128) / 256, at = i + 1 - edge * 256;
        int end = beside[inputs_mix(seed, edge) >> 62];
        size_t run = edge + ((ptrdiff_t)at > end);
        out[i] = (number(seed, run) & ~1) | (int32_t)(run & 1);
    }
}

/* Of 64 elements one in 4 times ends a run, and none beside a multiple of 32:
 * no run ends where a tile, a warp or a thread's items do. */
static void fill_inner(uint64_t seed, int32_t *out, size_t n) {
    size_t run = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = inputs_mix(seed, i / 64);
        run += (bits & 3) == 0 && i % 64 == 34 + (bits >> 8) % 28;
        out[i] = (number(seed, run) & ~1) | (int32_t)(run & 1);
    }
}

/* The last of 256 takes back what the others add up to. */
static void fill_balanced(uint64_t seed, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = i % 256 == 255 ? 0 - sum : (uint32_t)number(seed, i);
        out[i] = (int32_t)value;
        sum = i % 256 == 255 ? 0 : sum + value;
    }
}

/* Every 256th element makes the sum up to itself what programs write for
 * "nothing yet" or for a state; at multiples of 4096 and 8192 each in turn. */
static void fill_carries(uint64_t seed, int32_t *out, size_t n) {
    static const uint32_t values[8] = {0,        1,        2,        UINT32_MAX,
                                       1u << 31, 1u << 30, 3u << 30, 3};
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t tile = (i + 1) / 4096;
        uint32_t value = (uint32_t)number(seed, i);
        if (i % 256 == 255) value = values[(tile + tile / 8) % 8] - sum;
        out[i] = (int32_t)value;
        sum += value;
    }
}

/* The example of the SAM thesis: two ramps. */
static void fill_ramps(uint64_t seed, int32_t *out, size_t n) {
    static const int32_t values[10] = {1, 2, 3, 4, 5, 2, 4, 6, 8, 10};
    (void)seed;
    for (size_t i = 0; i < n; i++) out[i] = values[i % 10];
}

/* The example of the handouts, for who adds up by hand. */
static void fill_digits(uint64_t seed, int32_t *out, size_t n) {
    static const int32_t first[8] = {3, 1, 7, 0, 4, 1, 6, 3};
    (void)seed;
    for (size_t i = 0; i < n; i++)
        out[i] = i < 8 ? first[i] : (int32_t)(inputs_mix(0, i) % 10);
}

/* 24 bits, as many as a float holds, so that sums must be rounded. */
static void fill_floats(uint64_t seed, int32_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float value = (float)(number(seed, i) / 256) * 0x1p-23f;
        memcpy(out + i, &value, sizeof value);
    }
}

static const struct {
    const char *name, *text;
    void (*fill)(uint64_t seed, int32_t *out, size_t n);
} kinds[N_INPUTS] = {
#define X(name, fill, text) [INPUT_##name] = {#name, text, fill},
#include "inputs.def"
#undef X
};

int inputs_by_name(const char *name) {
    for (int i = 0; i < N_INPUTS; i++)
        if (strcmp(kinds[i].name, name) == 0) return i;
    return -1;
}

const char *inputs_name(int kind) {
    return kinds[kind].name;
}

const char *inputs_text(int kind) {
    return kinds[kind].text;
}

void inputs_fill(int kind, uint64_t seed, int32_t *out, size_t n) {
    kinds[kind].fill(seed, out, n);
}
