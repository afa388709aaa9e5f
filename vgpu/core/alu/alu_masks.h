/* SPDX-License-Identifier: MIT
 *
 * alu_masks.h: from 32 lanes to the 32 bits of a predicate, and back.
 *
 * How to read this: a predicate is one word, bit l for lane l. A comparison
 * fills an array with all-ones or zero per lane, and alu_gather32/64 collects
 * the sign bits with the processor's move-mask instructions; a portable loop
 * stands in where there are none. alu_lane_bit goes the other way.
 */
#pragma once

#if defined __AVX2__ || defined __SSE2__
#include <immintrin.h>
#endif

#include "alu_lanes.h"

static const uint32_t alu_lane_bit[VGPU_LANES] __attribute__((unused)) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
    1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
    1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
    1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
    1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Bit l: the sign of hit[l]. */
ALU_INLINE uint32_t alu_gather32(const uint32_t *hit) {
    uint32_t r = 0;
#if defined __AVX2__
    for (unsigned k = 0; k < 4; k++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)hit + k);
        r |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v)) << (8 * k);
    }
#elif defined __SSE2__
    for (unsigned k = 0; k < 8; k++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)hit + k);
        r |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(v)) << (4 * k);
    }
#else
    ALU_LANES r |= (hit[l] >> 31) << l;
#endif
    return r;
}

ALU_INLINE uint32_t alu_gather64(const uint64_t *hit) {
    uint32_t r = 0;
#if defined __AVX2__
    for (unsigned k = 0; k < 8; k++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)hit + k);
        r |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(v)) << (4 * k);
    }
#elif defined __SSE2__
    for (unsigned k = 0; k < 16; k++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)hit + k);
        r |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(v)) << (2 * k);
    }
#else
    ALU_LANES r |= (uint32_t)(hit[l] >> 63) << l;
#endif
    return r;
}

#define GATHER_u16  alu_gather32
#define GATHER_s16  alu_gather32
#define GATHER_b16  alu_gather32
#define GATHER_u32  alu_gather32
#define GATHER_s32  alu_gather32
#define GATHER_b32  alu_gather32
#define GATHER_f32  alu_gather32
#define GATHER_f32z alu_gather32
#define GATHER_f16  alu_gather32
#define GATHER_f16z alu_gather32
#define GATHER_bf16 alu_gather32
#define GATHER_u64  alu_gather64
#define GATHER_s64  alu_gather64
#define GATHER_b64  alu_gather64
#define GATHER_f64  alu_gather64

ALU_INLINE uint32_t alu_get_predicate(const uint8_t *registers, uint32_t at) {
    uint32_t r;
    memcpy(&r, registers + at, sizeof r);
    return r;
}
ALU_INLINE void alu_put_predicate(uint8_t *registers, uint32_t at,
                                  uint32_t value, uint32_t mask) {
    uint32_t old = alu_get_predicate(registers, at);
    old = (old & ~mask) | (value & mask);
    memcpy(registers + at, &old, sizeof old);
}
