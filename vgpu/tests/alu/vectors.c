/* SPDX-License-Identifier: MIT
 *
 * vectors.c: see vectors.h.
 */
#include <string.h>

#include "vectors.h"

static const uint32_t edges32[] = {
    0,          1,          2,          31,         32,         33,
    63,         64,         0x7f,       0x80,       0xff,       0x100,
    0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
    0xffffff,   0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,
    0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000,
    0x00000001, 0x007fffff, 0x00800000, 0x80000001, 0x807fffff, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
    0x4f000000, 0x4effffff, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000,
    0x5f800000, 0x42fe0000, 0x43000000, 0x437f0000, 0x477fe000, 0x477ff000,
    0x33000000, 0x33000001, 0x387fe000, 0x3f7fffff, 0x4b000001, 0xcb000001};
static const uint16_t edges16[] = {
    0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
    0x3c01, 0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
    0x7c01, 0x3800, 0x3f80, 0xbf80, 0x0080, 0x007f, 0x7f7f, 0x7f80,
    0x7fc0, 0xffc1, 0x7fff, 0xffff, 0x4248, 0x6400};
static const uint64_t edges64[] = {0,
                                   1,
                                   32,
                                   63,
                                   64,
                                   0xffffffffull,
                                   0x100000000ull,
                                   0x7fffffffull,
                                   0x80000000ull,
                                   0x7fffffffffffffffull,
                                   0x8000000000000000ull,
                                   0x8000000000000001ull,
                                   0xffffffffffffffffull,
                                   0xfffffffffffffffeull,
                                   0xffffffff80000000ull,
                                   0x3ff0000000000000ull,
                                   0xbff0000000000000ull,
                                   0x3fe0000000000000ull,
                                   0x4004000000000000ull,
                                   0x0010000000000000ull,
                                   0x000fffffffffffffull,
                                   0x8000000000000001ull,
                                   0x7fefffffffffffffull,
                                   0xffefffffffffffffull,
                                   0x7ff0000000000000ull,
                                   0xfff0000000000000ull,
                                   0x7ff8000000000000ull,
                                   0xfff8000000012345ull,
                                   0x7ff0000000000001ull,
                                   0x41e0000000000000ull,
                                   0x41dfffffffe00000ull,
                                   0xc1e0000000000000ull,
                                   0x41f0000000000000ull,
                                   0x43e0000000000000ull,
                                   0x43f0000000000000ull,
                                   0xc3e0000000000000ull,
                                   0x47efffffe0000000ull,
                                   0x47effffff0000000ull,
                                   0x3690000000000000ull,
                                   0x36a0000000000000ull,
                                   0x36a0000000000001ull,
                                   0x380fffffe0000000ull,
                                   0x40effc0000000000ull,
                                   0x40effe0000000000ull};

#define PICK(table, r) (table)[(r) % (sizeof(table) / sizeof *(table))]

uint64_t vectors_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 2685821657736338717ull;
}

static uint64_t any_float(uint64_t r, uint64_t s, unsigned fraction,
                          unsigned exponent_bits) {
    /* exponents within a few dozen of one, some trailing zeros */
    unsigned bias = (1u << (exponent_bits - 1)) - 1;
    unsigned spread = bias > 40 ? 36 : 8;
    uint64_t e = bias - spread + r % (2 * spread);
    uint64_t f = s & ((1ull << fraction) - 1);
    if (r >> 20 & 1) f &= ~0ull << (r >> 24) % fraction;
    return (r >> 40 & 1) << (fraction + exponent_bits) | e << fraction | f;
}

static uint64_t half(uint64_t r, uint64_t s, const char *form) {
    switch (r >> 50 & 3) {
    case 0: return PICK(edges16, s);
    case 1: return s & 0xffff;
    default:
        return strstr(form, "bf16") ? any_float(r, s, 7, 8)
                                    : any_float(r, s, 10, 5);
    }
}

uint64_t vectors_value(uint64_t *state, const char *form, char class) {
    uint64_t r = vectors_random(state), s = vectors_random(state);
    if (class == 'p') return r >> 33 & 1;
    if (strstr(form, "f16") && class == 'w' && (r >> 60 & 3))
        return half(r, s, form) | half(s, r, form) << 16;
    switch (r >> 56 & 7) {
    case 0:
    case 1: return class == 'w' ? PICK(edges32, s) : PICK(edges64, s);
    case 2: return s % 70;
    case 3: return class == 'w' ? (uint32_t)(0 - s % 70) : 0 - s % 70;
    case 4:
        if (strstr(form, ".f32") || strstr(form, ".f64"))
            return class == 'w' ? any_float(r, s, 23, 8)
                                : any_float(r, s, 52, 11);
        return class == 'w' ? (uint32_t)s >> (r & 31) : s >> (r & 63);
    case 5:
        return class == 'w' ? any_float(r, s, 23, 8) : any_float(r, s, 52, 11);
    default: return class == 'w' ? (uint32_t)s : s;
    }
}
