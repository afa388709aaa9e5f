/* SPDX-License-Identifier: MIT
 *
 * alu_compound.h: what is made of a plain setp instead of having rows in the
 * table (PTX ISA 9.0 section 9.7.6): setp.CMP.BOOL, a setp whose predicates are
 * then combined with a third; and set, with or without BOOL, a setp into
 * predicates of its own, which choose a value.
 */
#pragma once

#include <stdbool.h>

#include "alu.h"

enum { ALU_SET_SCRATCH = 4 }; /* at[4], at[5]: set's own predicates */
struct alu_compound {
    alu_fn *compare;       /* the setp */
    const char *signature; /* as of a row */
    enum { ALU_PLAIN, ALU_AND, ALU_OR, ALU_XOR } with_third;
    /* What set's first and second predicate give; or-ed. 0: setp */
    uint32_t yes[2];
};

/* False: no such form. */
bool alu_find_compound(const struct alu_table *, const struct ptx_form *,
                       struct alu_compound *);
/* The operands are those of the signature, and set's scratch predicates. */
void alu_run_compound(const struct alu_compound *, uint8_t *registers,
                      const struct alu_operands *, const struct lane_set *);
