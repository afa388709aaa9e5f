/* SPDX-License-Identifier: MIT
 *
 * alu_matrix.h: the arithmetic of matrix instructions: d = a * b + c.
 *
 * How to read this: elements are bits, one to a word, however many of them a
 * register holds. Of a there is row after row, of b column after column, so
 * that the factors of a sum stand side by side; of c and d row after row.
 *
 * What an H200 does with f16, bf16 and tf32 is the rule (tests/matrix/rule.py
 * holds it against what one answered): an element is one sum of all its
 * products and of c (of wmma's tf32 two, one after another). They are aligned
 * to the largest exponent among them (of a product the sum of its factors'),
 * KEPT bits below it are kept, and the rest is cut off. The sum is cut to f32,
 * or rounded to f16 to nearest even. Zero is +0; NaN, and infinities that
 * cancel, have all bits but the sign.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* X(name, PTX's word, bits). 32 elements of b1 count as one, as which they are
 * multiplied. */
#define MATRIX_TYPES(X)                                                        \
    X(F16, "f16", 16)                                                          \
    X(BF16, "bf16", 16)                                                        \
    X(TF32, "tf32", 32)                                                        \
    X(F32, "f32", 32)                                                          \
    X(S32, "s32", 32)                                                          \
    X(S8, "s8", 8)                                                             \
    X(U8, "u8", 8)                                                             \
    X(S4, "s4", 4)                                                             \
    X(U4, "u4", 4)                                                             \
    X(B1, "b1", 32)
enum matrix_type {
#define X(name, word, bits) MATRIX_##name,
    MATRIX_TYPES(X)
#undef X
        N_MATRIX_TYPES
};
uint32_t matrix_bits(enum matrix_type);

enum { MATRIX_MOST_A = 16 * 64, MATRIX_MOST_B = 32 * 16, MATRIX_MOST_C = 256 };
struct alu_matrix {
    uint32_t m, n, k;
    uint32_t depth; /* reals: products in a sum, k, or a part of it: then the
                       sum of one part is the next one's c, of one type */
    uint8_t type_a, type_b, type_c, type_d; /* enum matrix_type */
    bool saturates;                         /* integers */
    bool by_and;                            /* bits: and, not xor */
    uint32_t a[MATRIX_MOST_A], b[MATRIX_MOST_B], c[MATRIX_MOST_C],
        d[MATRIX_MOST_C];
};
void alu_matrix(struct alu_matrix *);
