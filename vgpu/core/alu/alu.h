/* SPDX-License-Identifier: MIT
 *
 * alu.h: instructions that read registers and write registers and touch nothing
 * else.
 *
 * How to read this: a register file is bytes; an operand is the byte offset of
 * a register in it. Lane l of a register of class 'w' (.b8 .b16 .b32 .f32
 * .f16x2) is the uint32_t at offset + 4*l, of class 'd' (.b64 .f64) the
 * uint64_t at offset + 8*l; a predicate ('p') is one uint32_t, bit l for lane
 * l. 8- and 16-bit values live zero-extended in class 'w'. Immediates are
 * registers too: the decoder gives each constant a register of its own, filled
 * before the kernel starts. Handlers must allow destination and source to be
 * the same register. Offsets are multiples of 64.
 *
 * Each form ("setp.lt.s32") is one row {form, handler, signature}; some are
 * made of others (alu_compound.h). The signature lists operand classes, first
 * destinations, '=', sources: "w=ww", "p=wwp", "pp=ww" (%p|%q). A sink or an
 * absent second predicate destination is given a scratch register by the
 * decoder. Rows are looked up by form; only types have an order.
 *
 * Further letters: 'c' (source) and 'C' (destination) are the frame's carry
 * predicate of add.cc and its kin, which PTX does not name; the decoder gives
 * each frame one. 'i' is a literal that goes to `immediate` and takes no place
 * in at[]. setp always has two destinations. A `!` before a predicate source is
 * the decoder's, and so are operands wider than the type, which cvt, ld and st
 * allow (decode_alu.c, "adapted"). mov with a vector
 * operand has made-up names: pack.b64.b32 "d=ww", unpack.b64.b32 "ww=d"
 * (alu_move.def). Approximate functions (.approx, .full) are the correctly
 * rounded double result rounded to the type: within the error that PTX ISA
 * allows, not the hardware's bits.
 */
#pragma once

#include <stdint.h>

enum { VGPU_LANES = 32, ALU_MAX_OPERANDS = 6 };

/* Active lanes, in the three shapes handlers want. */
struct lane_set {
    uint32_t mask;
    uint32_t w[VGPU_LANES]; /* ~0 where active, else 0 */
    uint64_t d[VGPU_LANES];
};

struct alu_operands {
    uint32_t at[ALU_MAX_OPERANDS]; /* byte offsets, destinations first */
    uint32_t
        immediate; /* spare: lop3's table and the like, when it is a literal */
};

/* Writes the destinations' active lanes only; the others keep their value. */
typedef void alu_fn(uint8_t *registers, const struct alu_operands *,
                    const struct lane_set *);

struct alu_row {
    const char *form;
    alu_fn *run;
    const char *signature;
};

/* NULL: no such form. Picks the widest instruction set this processor has
 * (checked once per call of alu_tables_select, which the device calls when it
 * opens). isa: -1 automatic, 0 baseline, 1 AVX2. */
struct alu_table; /* a hash over rows */
struct ptx_form;  /* ptx.h */
const struct alu_table *alu_tables_select(int isa);
const struct alu_row *alu_find(const struct alu_table *, const char *form);
const struct alu_row *alu_find_form(const struct alu_table *,
                                    const struct ptx_form *);
/* For tests and documentation: every row of the table. */
const struct alu_row *alu_rows(const struct alu_table *, unsigned *n);
