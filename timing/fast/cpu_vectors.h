/* SPDX-License-Identifier: MIT
 *
 * cpu_vectors.h: vectors of int32 for cpu_pieces.h, one section per instruction
 * set. Each defines, with its own name in front,
 *   LANES        int32 in a vector
 *   vec          the vector
 *   load, store  from and to any address
 *   stream       store past the caches, to an address aligned to the vector
 *   all(x)       x in every lane
 *   add          lane by lane, modulo 2^32
 *   scan         inclusive scan of the lanes: log2(LANES) steps of Hillis and
 *                Steele, out[i] += out[i - 1], out[i - 2], ...
 *   last         the last lane in every lane
 *   first        lane 0
 * and, once, stream_fence (streamed stores are not ordered with other stores;
 * they are before what follows it) and relax (to be called while spinning).
 *
 * plain is C only. sse2 is what every x86-64 has; avx2 and avx512 are compiled
 * besides and picked at run time (GCC only).
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "scanlab.h"

#if defined(__SSE2__) && !defined(CPU_VECTORS_PLAIN)

#include <immintrin.h>

#define CPU_BASE        sse2
#define CPU_BASE_PIECES sse2_pieces
enum { sse2_LANES = 4 };
typedef __m128i sse2_vec;
static inline sse2_vec sse2_load(const int32_t *p) {
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}
static inline void sse2_store(int32_t *p, sse2_vec x) {
    _mm_storeu_si128((__m128i *)(void *)p, x);
}
static inline void sse2_stream(int32_t *p, sse2_vec x) {
    _mm_stream_si128((__m128i *)(void *)p, x);
}
static inline sse2_vec sse2_all(int32_t x) {
    return _mm_set1_epi32(x);
}
static inline sse2_vec sse2_add(sse2_vec a, sse2_vec b) {
    return _mm_add_epi32(a, b);
}
static inline sse2_vec sse2_scan(sse2_vec x) {
    x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
    return _mm_add_epi32(x, _mm_slli_si128(x, 8));
}
static inline sse2_vec sse2_last(sse2_vec x) {
    return _mm_shuffle_epi32(x, 0xff);
}
static inline int32_t sse2_first(sse2_vec x) {
    return _mm_cvtsi128_si32(x);
}

static inline void stream_fence(void) {
    _mm_sfence();
}
static inline void relax(void) {
    _mm_pause();
}

/* 1: avx2 as well; 2: and avx512. */
#ifndef CPU_WIDE
#if defined(__GNUC__) && !defined(__clang__)
#define CPU_WIDE 2
#else
#define CPU_WIDE 0
#endif
#endif

#if CPU_WIDE >= 1
#pragma GCC push_options
#pragma GCC target("avx2")
enum { avx2_LANES = 8 };
typedef __m256i avx2_vec;
static inline avx2_vec avx2_load(const int32_t *p) {
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline void avx2_store(int32_t *p, avx2_vec x) {
    _mm256_storeu_si256((__m256i *)(void *)p, x);
}
static inline void avx2_stream(int32_t *p, avx2_vec x) {
    _mm256_stream_si256((__m256i *)(void *)p, x);
}
static inline avx2_vec avx2_all(int32_t x) {
    return _mm256_set1_epi32(x);
}
static inline avx2_vec avx2_add(avx2_vec a, avx2_vec b) {
    return _mm256_add_epi32(a, b);
}
/* Shifts stay inside the halves: the lower one's sum is added at the end. */
static inline avx2_vec avx2_scan(avx2_vec x) {
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    avx2_vec sums = _mm256_shuffle_epi32(x, 0xff);
    return _mm256_add_epi32(x, _mm256_permute2x128_si256(sums, sums, 0x08));
}
static inline avx2_vec avx2_last(avx2_vec x) {
    return _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(7));
}
static inline int32_t avx2_first(avx2_vec x) {
    return _mm_cvtsi128_si32(_mm256_castsi256_si128(x));
}
#pragma GCC pop_options
#endif

#if CPU_WIDE >= 2
#pragma GCC push_options
#pragma GCC target("avx512f")
enum { avx512_LANES = 16 };
typedef __m512i avx512_vec;
static inline avx512_vec avx512_load(const int32_t *p) {
    return _mm512_loadu_si512(p);
}
static inline void avx512_store(int32_t *p, avx512_vec x) {
    _mm512_storeu_si512(p, x);
}
static inline void avx512_stream(int32_t *p, avx512_vec x) {
    _mm512_stream_si512((void *)p, x);
}
static inline avx512_vec avx512_all(int32_t x) {
    return _mm512_set1_epi32(x);
}
static inline avx512_vec avx512_add(avx512_vec a, avx512_vec b) {
    return _mm512_add_epi32(a, b);
}
static inline avx512_vec avx512_scan(avx512_vec x) {
    x = _mm512_add_epi32(x, _mm512_maskz_alignr_epi32(0xfffe, x, x, 15));
    x = _mm512_add_epi32(x, _mm512_maskz_alignr_epi32(0xfffc, x, x, 14));
    x = _mm512_add_epi32(x, _mm512_maskz_alignr_epi32(0xfff0, x, x, 12));
    return _mm512_add_epi32(x, _mm512_maskz_alignr_epi32(0xff00, x, x, 8));
}
static inline avx512_vec avx512_last(avx512_vec x) {
    return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), x);
}
static inline int32_t avx512_first(avx512_vec x) {
    return _mm_cvtsi128_si32(_mm512_castsi512_si128(x));
}
#pragma GCC pop_options
#endif

#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(CPU_VECTORS_PLAIN)

#include <arm_neon.h>

#define CPU_BASE        neon
#define CPU_BASE_PIECES neon_pieces
enum { neon_LANES = 4 };
typedef int32x4_t neon_vec;
static inline neon_vec neon_load(const int32_t *p) {
    return vld1q_s32(p);
}
static inline void neon_store(int32_t *p, neon_vec x) {
    vst1q_s32(p, x);
}
/* These cores notice by themselves that whole lines are written. */
static inline void neon_stream(int32_t *p, neon_vec x) {
    vst1q_s32(p, x);
}
static inline neon_vec neon_all(int32_t x) {
    return vdupq_n_s32(x);
}
static inline neon_vec neon_add(neon_vec a, neon_vec b) {
    return vaddq_s32(a, b);
}
static inline neon_vec neon_scan(neon_vec x) {
    const neon_vec zero = vdupq_n_s32(0);
    x = vaddq_s32(x, vextq_s32(zero, x, 3));
    return vaddq_s32(x, vextq_s32(zero, x, 2));
}
static inline neon_vec neon_last(neon_vec x) {
    return vdupq_laneq_s32(x, 3);
}
static inline int32_t neon_first(neon_vec x) {
    return vgetq_lane_s32(x, 0);
}

static inline void stream_fence(void) {}
static inline void relax(void) {
    __asm__ volatile("yield");
}

#else

#define CPU_BASE        plain
#define CPU_BASE_PIECES plain_pieces
enum { plain_LANES = 4 };
typedef struct {
    int32_t e[plain_LANES];
} plain_vec;
static inline plain_vec plain_load(const int32_t *p) {
    plain_vec x;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline void plain_store(int32_t *p, plain_vec x) {
    memcpy(p, &x, sizeof x);
}
static inline void plain_stream(int32_t *p, plain_vec x) {
    plain_store(p, x);
}
static inline plain_vec plain_all(int32_t x) {
    return (plain_vec){{x, x, x, x}};
}
static inline plain_vec plain_add(plain_vec a, plain_vec b) {
    for (int i = 0; i < plain_LANES; i++) a.e[i] = scan_add(a.e[i], b.e[i]);
    return a;
}
static inline plain_vec plain_scan(plain_vec x) {
    for (int i = 1; i < plain_LANES; i++) x.e[i] = scan_add(x.e[i - 1], x.e[i]);
    return x;
}
static inline plain_vec plain_last(plain_vec x) {
    return plain_all(x.e[plain_LANES - 1]);
}
static inline int32_t plain_first(plain_vec x) {
    return x.e[0];
}

static inline void stream_fence(void) {}
static inline void relax(void) {}

#endif
