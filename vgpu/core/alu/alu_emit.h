/* SPDX-License-Identifier: MIT
 *
 * alu_emit.h: turns a list of forms into handlers and their table. Included
 * once by each alu_forms_*.c, which first defines
 *   ALU_DEF     the list's file name, and
 *   ALU_TABLE   the table's name, to which the instruction set is added.
 * Entries of a list:
 *   F1 F2 F3(form, handler, types..., expression)  one handler, one row
 *   A1 A2 A3(form, handler, types...)              a further row for a handler
 *   ROW(form, handler, signature)                  a handler written by hand
 * It has no include guard on purpose.
 */
#define F1(form, name, TD, TA, expr)         ALU_FN1(name, TD, TA, expr)
#define F2(form, name, TD, TA, TB, expr)     ALU_FN2(name, TD, TA, TB, expr)
#define F3(form, name, TD, TA, TB, TC, expr) ALU_FN3(name, TD, TA, TB, TC, expr)
#define A1(form, name, TD, TA)
#define A2(form, name, TD, TA, TB)
#define A3(form, name, TD, TA, TB, TC)
#define ROW(form, name, signature)
#include ALU_DEF
#undef F1
#undef F2
#undef F3
#undef A1
#undef A2
#undef A3
#undef ROW

#define F1(form, name, TD, TA, expr)         {form, name, SIG1(TD, TA)},
#define F2(form, name, TD, TA, TB, expr)     {form, name, SIG2(TD, TA, TB)},
#define F3(form, name, TD, TA, TB, TC, expr) {form, name, SIG3(TD, TA, TB, TC)},
#define A1(form, name, TD, TA)               {form, name, SIG1(TD, TA)},
#define A2(form, name, TD, TA, TB)           {form, name, SIG2(TD, TA, TB)},
#define A3(form, name, TD, TA, TB, TC)       {form, name, SIG3(TD, TA, TB, TC)},
#define ROW(form, name, signature)           {form, name, signature},
static const struct alu_row rows[] = {
#include ALU_DEF
};

extern const struct alu_row_list ALU_JOIN(ALU_TABLE, VGPU_ISA);
const struct alu_row_list ALU_JOIN(ALU_TABLE, VGPU_ISA) = {
    rows, sizeof rows / sizeof *rows};
