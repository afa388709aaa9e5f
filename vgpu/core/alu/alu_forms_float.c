/* SPDX-License-Identifier: MIT
 *
 * alu_forms_float.c: f32 and f64. The forms are in alu_float.def, the
 * operations in alu_real.h; here are testp and the common f64 operations.
 */
#include "alu_masks.h"
#include "alu_real.h"

#define TESTP(is, T, expr)                                                     \
    static void testp_##is##_##T(ALU_ARGS) {                                   \
        const raw_##T *pa = ALU_AT(T, 1);                                      \
        raw_##T hit[VGPU_LANES];                                               \
        ALU_LANES {                                                            \
            const int kind = fpclassify(get_##T(pa[l]));                       \
            hit[l] = (expr) ? (raw_##T) ~(raw_##T)0 : 0;                       \
        }                                                                      \
        alu_put_predicate(registers, o->at[0], GATHER_##T(hit), on->mask);     \
    }
#define TESTP_BOTH(is, expr) TESTP(is, f32, expr) TESTP(is, f64, expr)
TESTP_BOTH(finite, kind != FP_NAN && kind != FP_INFINITE)
TESTP_BOTH(infinite, kind == FP_INFINITE)
TESTP_BOTH(number, kind != FP_NAN)
TESTP_BOTH(notanumber, kind == FP_NAN)
TESTP_BOTH(normal, kind == FP_NORMAL || kind == FP_ZERO)
TESTP_BOTH(subnormal, kind == FP_SUBNORMAL)

/* Which NaN comes out is worked out only when one may: adding one to a full
 * exponent carries into bit 63. */
#define F64(name, n_sources, expr, nan)                                        \
    static void name(ALU_ARGS) {                                               \
        const raw_f64 *pa = ALU_AT(f64, 1), *pb = ALU_AT(f64, 2);              \
        const raw_f64 *pc = ALU_AT(f64, n_sources);                            \
        uint64_t result[VGPU_LANES], special = 0;                              \
        ALU_LANES {                                                            \
            const double a = get_f64(pa[l]), b = get_f64(pb[l]);               \
            const double c = get_f64(pc[l]), r = (expr);                       \
            (void)c;                                                           \
            result[l] = bits_of_f64(r);                                        \
            special |= (result[l] & ~(1ull << 63)) + (1ull << 52);             \
        }                                                                      \
        if (special >> 63) ALU_LANES {                                         \
                const double a = get_f64(pa[l]), b = get_f64(pb[l]);           \
                const double c = get_f64(pc[l]), r = get_f64(result[l]);       \
                (void)c;                                                       \
                result[l] = nan;                                               \
            }                                                                  \
        raw_f64 *d = ALU_AT(f64, 0);                                           \
        ALU_EACH(f64, d, const raw_f64 x = result[l])                          \
    }
F64(add_f64, 2, a + b, alu_f64_2(a, b, r))
F64(sub_f64, 2, a - b, alu_f64_2(a, b, r))
F64(mul_f64, 2, a *b, alu_f64_2(a, b, r))
#ifdef __wasm__ /* musl's fma says +0 for a negative product that underflows   \
                 */
F64(fma_f64, 3, alu_soft_fma(a, b, c, ALU_RN), alu_f64_3(a, b, c, r))
#else
F64(fma_f64, 3, fma(a, b, c), alu_f64_3(a, b, c, r))
#endif

#define ALU_DEF   "alu_float.def"
#define ALU_TABLE alu_forms_float
#include "alu_emit.h"
