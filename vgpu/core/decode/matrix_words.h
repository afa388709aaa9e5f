/* SPDX-License-Identifier: MIT
 *
 * matrix_words.h: the words of an instruction about matrices.
 */
#pragma once

#include "decode.h"
#include "matrix_op.h"

enum { MATRIX_MOST_TYPES = 4 };
struct matrix_words {
    uint32_t m, n, k; /* k 0: ldmatrix's kind of shape */
    uint8_t types[MATRIX_MOST_TYPES], n_types;
    uint8_t n_layouts;
    bool by_column[2]; /* as many */
    uint8_t tiles;
    char part; /* wmma: a, b, c or d of a load or store; 0: a product */
    bool is_store, transposes, saturates, by_and;
    uint8_t space; /* enum ptx_space */
};
/* False: decoding has failed. */
bool matrix_words_read(struct decoder *, struct matrix_words *);
/* Are there products of this shape and of these types, of d, a, b and c? */
bool matrix_words_multiply(enum ptx_op, const struct matrix_words *,
                           const enum matrix_type[4]);
/* Has wmma a product of this shape in which that role has that type? */
bool matrix_words_has(const struct matrix_words *, enum matrix_role,
                      enum matrix_type);
