/* SPDX-License-Identifier: MIT
 *
 * matrix_op.h: what an instruction about matrices wants (insn.extra of a
 * KIND_MATRIX), and where the elements of a fragment lie.
 *
 * A *fragment* is what the lanes of a warp hold of a matrix: so many registers
 * of each lane, so many elements in each (PTX ISA, "Matrix fragments for mma").
 * Of wmma the ISA leaves open where elements lie; here they lie as an H200 was
 * seen to have them (tests/matrix).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "alu_matrix.h"

enum matrix_verb {
    MATRIX_MULTIPLY,
    MATRIX_LOAD,
    MATRIX_STORE,
    MATRIX_TURN /* movmatrix */
};
enum matrix_role { MATRIX_ROLE_A, MATRIX_ROLE_B, MATRIX_ROLE_C };

enum { MATRIX_REGISTERS = 8, MATRIX_LANES = 32 };
struct matrix_part {
    uint32_t at[MATRIX_REGISTERS]; /* words */
    uint8_t n;                     /* of them */
    uint8_t distinct;              /* wmma: those behind hold the same again */
    uint8_t type, role;
};

struct matrix_op {
    uint8_t verb;
    uint16_t m, n, k; /* k: of b1 a 32nd */
    uint16_t depth;   /* alu_matrix.h */
    bool turned;      /* wmma's m8n32k16: held as n32m8, a and b exchanged */
    bool saturates, by_and;
    struct matrix_part a, b, c, d; /* of a load d, of a store c */
    /* loads and stores */
    uint8_t tiles;      /* ldmatrix, stmatrix: 8 x 8 of 16 bits; wmma: 0 */
    bool transposes;    /* ldmatrix, stmatrix: .trans */
    bool by_column;     /* wmma: the matrix stands in memory column by column */
    uint32_t stride_at; /* a word register; NO_REGISTER: the number */
    uint32_t stride;    /* in such units: */
    uint32_t stride_unit; /* elements; b1: 32, which lie in a word */
};

/* Row and column of an element; of b: column, and its place there. */
struct matrix_place {
    uint32_t major, minor;
};

static inline uint32_t matrix_per_register(const struct matrix_part *p) {
    return 32 / matrix_bits((enum matrix_type)p->type);
}

static inline struct matrix_place
matrix_place_of_factor(const struct matrix_op *op, const struct matrix_part *p,
                       uint32_t lane, uint32_t r, uint32_t e) {
    bool is_a = p->role == MATRIX_ROLE_A;
    uint32_t per = matrix_per_register(p), parts = op->k / (4 * per), part;
    uint32_t major = lane >> 2, tall = is_a ? op->m : op->n;
    if (is_a != op->turned) {
        uint32_t halves = tall > 8 ? 2 : 1, block = r / (halves * parts);
        part = r / halves % parts;
        major += 8 * (r % halves) + 16 * block;
    } else {
        part = r % parts;
        major += 8 * (r / parts);
    }
    return (struct matrix_place){major, (lane & 3) * per + e + part * 4 * per};
}

/* Of c and d. */
static inline struct matrix_place
matrix_place_of_sum(const struct matrix_op *op, const struct matrix_part *p,
                    uint32_t lane, uint32_t r, uint32_t e) {
    uint32_t index = r * matrix_per_register(p) + e;
    uint32_t parts = (op->turned ? op->n : op->m) / 8;
    uint32_t row = (lane >> 2) + 8 * (index / 2 % parts);
    uint32_t column = 2 * (lane & 3) + index % 2 + 8 * (index / 2 / parts);
    return op->turned ? (struct matrix_place){column, row}
                      : (struct matrix_place){row, column};
}

static inline struct matrix_place matrix_place(const struct matrix_op *op,
                                               const struct matrix_part *p,
                                               uint32_t lane, uint32_t r,
                                               uint32_t e) {
    return p->role == MATRIX_ROLE_C ? matrix_place_of_sum(op, p, lane, r, e)
                                    : matrix_place_of_factor(op, p, lane, r, e);
}
