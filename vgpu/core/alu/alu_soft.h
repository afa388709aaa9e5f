/* SPDX-License-Identifier: MIT
 *
 * alu_soft.h: floating point by integers, for the roundings the host's C cannot
 * ask for without changing its floating-point environment, and for formats it
 * does not have. Right to the last bit; slow (tens of nanoseconds).
 *
 * ALU_ODD rounds to the neighbour whose last bit is one: a result so rounded to
 * two bits or more beyond a narrower format rounds on to it as the exact one
 * would. That is how f32 gets all its roundings from f64.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum alu_rounding { ALU_RN, ALU_RZ, ALU_RM, ALU_RP, ALU_RNA, ALU_ODD };
enum alu_format { ALU_F16, ALU_BF16, ALU_F32, ALU_F64 };

/* Results with a NaN operand or none defined are whatever the host gives. */
double alu_soft_fma(double a, double b, double c, enum alu_rounding);
double alu_soft_add(double a, double b, enum alu_rounding);
double alu_soft_mul(double a, double b, enum alu_rounding);
double alu_soft_div(double a, double b, enum alu_rounding);
double alu_soft_sqrt(double a, enum alu_rounding);

/* The bits of v in a format. NaN becomes the format's canonical one; too large
 * becomes infinity or the largest finite number as the rounding says. */
uint64_t alu_soft_from_f64(double v, enum alu_format, enum alu_rounding);
uint64_t alu_soft_from_u64(uint64_t v, enum alu_format, enum alu_rounding);
uint64_t alu_soft_from_s64(int64_t v, enum alu_format, enum alu_rounding);
