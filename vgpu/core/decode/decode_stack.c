/* SPDX-License-Identifier: MIT
 *
 * decode_stack.c: alloca, stacksave, stackrestore (PTX ISA, "Stack Manipulation
 * Instructions").
 */
#include "decode.h"

enum { USUAL_ALIGN = 8, MOST_ALIGN = 4096 };

bool decode_stack(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    const struct ptx_operand *at = i->operands;
    enum ptx_type type = ptx_type_at(i->typed, 0);
    bool wide = type == PTX_U64;
    uint64_t align = USUAL_ALIGN;
    if (!wide && type != PTX_U32)
        return decode_fail(d, "the type must be .u32 or .u64");
    bool allocates = i->op == PTX_OP_alloca;
    if (allocates ? i->n_operands < 2 || i->n_operands > 3 : i->n_operands != 1)
        return decode_fail(d, "a wrong number of operands");
    if (i->n_operands == 3)
        align = at[2].kind == PTX_INTEGER ? (uint64_t)at[2].integer : 0;
    if (!align || align & (align - 1) || align > MOST_ALIGN)
        return decode_fail(d, "an alignment is a power of two up to %d",
                           MOST_ALIGN);
    out->kind = KIND_STACK;
    out->mode = allocates                      ? STACK_ALLOCATE
                : i->op == PTX_OP_stackrestore ? STACK_RESTORE
                                               : STACK_SAVE;
    out->register_is_wide = wide;
    out->operands.immediate = (uint32_t)align;
    out->n_destinations = out->mode != STACK_RESTORE;
    for (uint32_t k = 0; k < i->n_operands && k < 2; k++)
        out->operands.at[k] = decode_operand(d, &at[k], wide ? 'd' : 'w', type);
    d->function->needs_stack = true;
    return !d->failed;
}
