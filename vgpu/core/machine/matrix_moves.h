/* SPDX-License-Identifier: MIT
 *
 * matrix_moves.h: where the bytes of an access of ldmatrix, wmma.load and their
 * like go among the registers of a warp. It stands here, below the observers,
 * because taint and recorded steps go the same ways.
 */
#pragma once

#include "machine.h"
#include "matrix_op.h"

/* What a lane's access loads or stores for a lane (another one, or the same):
 * so many bytes, which stand in that lane's register `at`, from bit `shift` on.
 */
struct matrix_move {
    uint8_t lane, plus, bytes, to, shift;
    uint32_t at;
};
enum { MATRIX_MOVES = 256 };
struct matrix_moves {
    uint32_t n;
    struct matrix_move list[MATRIX_MOVES];
};
