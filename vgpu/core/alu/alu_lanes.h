/* SPDX-License-Identifier: MIT
 *
 * alu_lanes.h: how a form becomes a handler over 32 lanes.
 *
 * How to read this: a *lane type* T names how a register's raw bits are read
 * and written: raw_T is the storage, val_T the C type that expressions see,
 * get_T and put_T convert. Semantics that belong to a type live here once: f32
 * results are canonical NaNs, f32z flushes subnormals (.ftz), 16-bit values
 * are kept zero-extended. The macros ALU_FN1..3 make a handler from types and
 * an expression in a, b, c: a fast loop when all lanes are active, a blending
 * one otherwise. The loops promise the compiler that lanes do not overlap
 * (ivdep), which holds even when a destination is also a source.
 * Left out: predicates (alu_masks.h) and forms of two destinations.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "alu.h"

/* One list of rows per file and instruction set; alu_tables.c collects them. */
struct alu_row_list {
    const struct alu_row *rows;
    unsigned n;
};

#define ALU_JOIN2(a, b) a##_##b
#define ALU_JOIN(a, b)  ALU_JOIN2(a, b)

#define ALU_IVDEP  _Pragma("GCC ivdep")
#define ALU_LANES  for (unsigned l = 0; l < VGPU_LANES; l++)
#define ALU_INLINE static inline __attribute__((always_inline, unused))

/* ---- bits of floats ---- */
ALU_INLINE uint32_t bits_of_f32(float x) {
    uint32_t r;
    memcpy(&r, &x, sizeof r);
    return r;
}
ALU_INLINE float f32_of_bits(uint32_t x) {
    float r;
    memcpy(&r, &x, sizeof r);
    return r;
}
ALU_INLINE uint64_t bits_of_f64(double x) {
    uint64_t r;
    memcpy(&r, &x, sizeof r);
    return r;
}
ALU_INLINE double f64_of_bits(uint64_t x) {
    double r;
    memcpy(&r, &x, sizeof r);
    return r;
}

/* ---- lane types ---- */
#define ALU_INTEGER(T, raw, val, shut)                                         \
    typedef raw raw_##T;                                                       \
    typedef val val_##T;                                                       \
    ALU_INLINE val get_##T(raw r) {                                            \
        return (val)shut(r);                                                   \
    }                                                                          \
    ALU_INLINE raw put_##T(val v) {                                            \
        return (raw)v;                                                         \
    }
#define ALU_WHOLE(r) (r)
#define ALU_U8(r)    ((r)&0xffu)
#define ALU_S8(r)    ((int8_t)(r))
#define ALU_U16(r)   ((r)&0xffffu)
#define ALU_S16(r)   ((int16_t)(r))
ALU_INTEGER(u32, uint32_t, uint32_t, ALU_WHOLE)
ALU_INTEGER(s32, uint32_t, int32_t, ALU_WHOLE)
ALU_INTEGER(u64, uint64_t, uint64_t, ALU_WHOLE)
ALU_INTEGER(s64, uint64_t, int64_t, ALU_WHOLE)

/* Narrow integers: 32 bits inside an expression, zero-extended in the register.
 * A register of .s8 values is 16 bits wide: the sign fills those 16. */
#define ALU_NARROW(T, val, shut, open)                                         \
    typedef uint32_t raw_##T;                                                  \
    typedef val val_##T;                                                       \
    ALU_INLINE val get_##T(uint32_t r) {                                       \
        return (val)shut(r);                                                   \
    }                                                                          \
    ALU_INLINE uint32_t put_##T(val v) {                                       \
        return open;                                                           \
    }
ALU_NARROW(u8, uint32_t, ALU_U8, v & 0xffu)
ALU_NARROW(s8, int32_t, ALU_S8, (uint32_t)(int8_t)v & 0xffffu)
ALU_NARROW(u16, uint32_t, ALU_U16, v & 0xffffu)
ALU_NARROW(s16, int32_t, ALU_S16, (uint32_t)v & 0xffffu)

typedef uint32_t raw_f32, raw_f32z, raw_f16, raw_f16z;
typedef float val_f32, val_f32z, val_f16, val_f16z;
typedef uint64_t raw_f64;
typedef double val_f64;

/* NVIDIA hardware returns one NaN from f32 arithmetic, whatever went in. */
#define ALU_NAN32 0x7fffffffu
ALU_INLINE uint32_t alu_flush32(uint32_t r) {
    return (r & 0x7f800000u) ? r : (r & 0x80000000u);
}
ALU_INLINE float get_f32(uint32_t r) {
    return f32_of_bits(r);
}
ALU_INLINE uint32_t put_f32(float v) {
    uint32_t r = bits_of_f32(v);
    return (r & 0x7fffffffu) > 0x7f800000u ? ALU_NAN32 : r;
}
ALU_INLINE float get_f32z(uint32_t r) {
    return f32_of_bits(alu_flush32(r));
}
ALU_INLINE uint32_t put_f32z(float v) {
    return alu_flush32(put_f32(v));
}
ALU_INLINE double get_f64(uint64_t r) {
    return f64_of_bits(r);
}
ALU_INLINE uint64_t put_f64(double v) {
    return bits_of_f64(v);
}

/* Half precision as float: exact one way, round to nearest even the other. */
ALU_INLINE float get_f16(uint32_t r) {
    uint32_t m = r & 0x7fffu;
    uint32_t f = bits_of_f32(f32_of_bits(m << 13) * 0x1p112f);
    f |= m >= 0x7c00u ? 0x7f800000u : 0u;
    return f32_of_bits(f | (r & 0x8000u) << 16);
}
ALU_INLINE uint32_t put_f16(float v) {
    uint32_t u = bits_of_f32(v), sign = (u >> 16) & 0x8000u;
    uint32_t a = u & 0x7fffffffu;
    /* 0.5 has the last place of a half's subnormals: adding it rounds there */
    uint32_t tiny = bits_of_f32(f32_of_bits(a) + 0.5f) - 0x3f000000u;
    uint32_t r = (a + 0xfffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    r = a < 0x38800000u ? tiny : r;
    r = a >= 0x477ff000u ? 0x7c00u : r;
    return a > 0x7f800000u ? 0x7fffu : r | sign;
}
ALU_INLINE uint32_t alu_flush16(uint32_t r) {
    return (r & 0x7c00u) ? r & 0xffffu : r & 0x8000u;
}
ALU_INLINE float get_f16z(uint32_t r) {
    return get_f16(alu_flush16(r));
}
ALU_INLINE uint32_t put_f16z(float v) {
    return alu_flush16(put_f16(v));
}

typedef uint32_t raw_bf16;
typedef float val_bf16;
ALU_INLINE float get_bf16(uint32_t r) {
    return f32_of_bits(r << 16);
}
ALU_INLINE uint32_t put_bf16(float v) {
    uint32_t u = bits_of_f32(v);
    uint32_t r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (u & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : r;
}

/* Untyped bits */
typedef uint32_t raw_b32, val_b32, raw_b16, val_b16;
typedef uint64_t raw_b64, val_b64;
#define get_b32 get_u32
#define put_b32 put_u32
#define get_b16 get_u16
#define put_b16 put_u16
#define get_b64 get_u64
#define put_b64 put_u64

/* Class letters of signatures, and the lane_set member of that width */
#define SIG_u8               "w"
#define SIG_s8               "w"
#define SIG_u16              "w"
#define SIG_s16              "w"
#define SIG_b16              "w"
#define SIG_u32              "w"
#define SIG_s32              "w"
#define SIG_b32              "w"
#define SIG_f32              "w"
#define SIG_f32z             "w"
#define SIG_f16              "w"
#define SIG_f16z             "w"
#define SIG_bf16             "w"
#define SIG_u64              "d"
#define SIG_s64              "d"
#define SIG_b64              "d"
#define SIG_f64              "d"
#define SIG1(TD, TA)         SIG_##TD "=" SIG_##TA
#define SIG2(TD, TA, TB)     SIG_##TD "=" SIG_##TA SIG_##TB
#define SIG3(TD, TA, TB, TC) SIG_##TD "=" SIG_##TA SIG_##TB SIG_##TC

/* The lane set in the width of *d. */
#define ALU_ON(d, on)                                                          \
    (const __typeof__(*(d)) *)(sizeof *(d) == 8 ? (const void *)(on)->d        \
                                                : (const void *)(on)->w)
#define ALU_AT(T, n) (raw_##T *)(void *)(registers + o->at[n])
#define ALU_ARGS                                                               \
    uint8_t *registers, const struct alu_operands *o, const struct lane_set *on

/* Runs `body` (which computes x for lane l) on all lanes; writes active ones.
 */
#define ALU_EACH(T, d, body)                                                   \
    if (on->mask == ~0u) {                                                     \
        ALU_IVDEP ALU_LANES {                                                  \
            body;                                                              \
            (d)[l] = x;                                                        \
        }                                                                      \
    } else {                                                                   \
        const raw_##T *active = ALU_ON(d, on);                                 \
        ALU_IVDEP ALU_LANES {                                                  \
            body;                                                              \
            (d)[l] = (x & active[l]) | ((d)[l] & ~active[l]);                  \
        }                                                                      \
    }

#define ALU_FN1(name, TD, TA, expr)                                            \
    static void name(ALU_ARGS) {                                               \
        raw_##TD *d = ALU_AT(TD, 0);                                           \
        const raw_##TA *pa = ALU_AT(TA, 1);                                    \
        ALU_EACH(TD, d, const val_##TA a = get_##TA(pa[l]);                    \
                 const raw_##TD x = put_##TD((val_##TD)(expr)))                \
    }
#define ALU_FN2(name, TD, TA, TB, expr)                                        \
    static void name(ALU_ARGS) {                                               \
        raw_##TD *d = ALU_AT(TD, 0);                                           \
        const raw_##TA *pa = ALU_AT(TA, 1);                                    \
        const raw_##TB *pb = ALU_AT(TB, 2);                                    \
        ALU_EACH(TD, d, const val_##TA a = get_##TA(pa[l]);                    \
                 const val_##TB b = get_##TB(pb[l]);                           \
                 const raw_##TD x = put_##TD((val_##TD)(expr)))                \
    }
#define ALU_FN3(name, TD, TA, TB, TC, expr)                                    \
    static void name(ALU_ARGS) {                                               \
        raw_##TD *d = ALU_AT(TD, 0);                                           \
        const raw_##TA *pa = ALU_AT(TA, 1);                                    \
        const raw_##TB *pb = ALU_AT(TB, 2);                                    \
        const raw_##TC *pc = ALU_AT(TC, 3);                                    \
        ALU_EACH(TD, d, const val_##TA a = get_##TA(pa[l]);                    \
                 const val_##TB b = get_##TB(pb[l]);                           \
                 const val_##TC c = get_##TC(pc[l]);                           \
                 const raw_##TD x = put_##TD((val_##TD)(expr)))                \
    }
