/* SPDX-License-Identifier: MIT
 *
 * alu_forms_float.c: f32 and f64. The forms are in alu_float.def, the
 * operations in alu_real.h; here is testp.
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

#define ALU_DEF   "alu_float.def"
#define ALU_TABLE alu_forms_float
#include "alu_emit.h"
