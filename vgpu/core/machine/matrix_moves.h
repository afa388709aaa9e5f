/* SPDX-License-Identifier: MIT
 *
 * matrix_moves.h: where the bytes of an access of ldmatrix, wmma.load and their
 * like go among the registers of a warp. It stands here, below the observers,
 * because taint and recorded steps go the same ways.
 */
#pragma once

#include "machine.h"
#include "matrix_op.h"

/* Bytes between a lane's access and the register `at` of another lane, or of
 * the same: as many, from its bit `shift` on. */
struct matrix_move {
    uint8_t lane, plus, bytes, to, shift;
    uint32_t at;
};
enum { MATRIX_MOVES = 256 };
struct matrix_moves {
    uint32_t n;
    struct matrix_move list[MATRIX_MOVES];
};
