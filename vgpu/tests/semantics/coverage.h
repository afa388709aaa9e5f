/* SPDX-License-Identifier: MIT
 *
 * coverage.h: counts the forms of instructions in PTX text.
 */
#pragma once

#include <stdio.h>

void coverage_count(const char *ptx);
/* Per opcode: forms, instructions, and the rarest form; then what opcodes.def
 * has and no program used. */
void coverage_report(FILE *);
