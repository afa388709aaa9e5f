/* SPDX-License-Identifier: MIT
 *
 * alu_set.h: set is setp into predicates of its own, which choose a value
 * (PTX ISA 9.0 section 9.7.6.1); so no row of the table is a set.
 */
#ifndef VGPU_ALU_SET_H
#define VGPU_ALU_SET_H

#include <stdbool.h>

#include "alu.h"

enum { ALU_SET_SCRATCH = 4 }; /* at[4], at[5]: the two predicates */
struct alu_set {
    alu_fn *compare;       /* the setp */
    const char *signature; /* as of a row: "w=ww", "w=ddp" */
    uint32_t yes[2]; /* what the first and the second predicate set; or-ed */
};

/* False: no such form. */
bool alu_find_set(const struct alu_table *, const struct ptx_form *,
                  struct alu_set *);
/* The operands are those of the signature, and the scratch predicates. */
void alu_run_set(const struct alu_set *, uint8_t *registers,
                 const struct alu_operands *, const struct lane_set *);

#endif
