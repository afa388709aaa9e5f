/* SPDX-License-Identifier: MIT
 *
 * rows.h: the ALU's forms as the tests see them: the rows of a table, and one
 * for each form that is made of setp (alu_compound.h).
 */
#pragma once

#include "alu.h"

/* NULL: fewer rows. */
const struct alu_row *row_at(const struct alu_table *, unsigned k);
/* As alu_find. */
const struct alu_row *row_find(const struct alu_table *, const char *form);
/* A row of set leaves its scratch predicates as they were. */
void row_run(const struct alu_row *, uint8_t *registers,
             const struct alu_operands *, const struct lane_set *);
