/* SPDX-License-Identifier: MIT
 *
 * form_ptx.h: a PTX kernel for one row of the ALU table, so that ptxas can say
 * whether the form exists and a real GPU what it does.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "alu.h"

enum { FORM_PTX_THREADS = 1024 };
#define FORM_PTX_HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

/* Operand k of thread t is the 64-bit word k * FORM_PTX_THREADS + t of `in`
 * (sources) or `out` (destinations), in the order of the signature, carries
 * included. The kernel is called f<index>; the form stands in a comment on the
 * same line as the instruction. */
void form_ptx(FILE *, const struct alu_row *, unsigned index,
              uint32_t immediate);

/* The destination is a register of 16 bits: what lies above is not PTX. */
bool form_ptx_is_narrow(const struct alu_row *);
