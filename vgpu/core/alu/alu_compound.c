/* SPDX-License-Identifier: MIT */
#include "alu_compound.h"

#include "ptx.h"

/* What the type's true is; 0: set has no such pair of types. Only 16-bit floats
 * give 16-bit integers, and they give no f32. */
static uint32_t true_of(enum ptx_type to, enum ptx_type from, bool ftz) {
    bool half = from == PTX_F16, brain = from == PTX_BF16;
    switch (to) {
    case PTX_U32:
    case PTX_S32: return ~0u;
    case PTX_U16:
    case PTX_S16: return half || brain ? 0xffff : 0;
    case PTX_F32: return half || brain ? 0 : 0x3f800000;
    case PTX_F16: return brain ? 0 : 0x3c00;
    case PTX_BF16: return ftz ? 0 : 0x3f80;
    case PTX_F16X2: return 0x3c00;
    case PTX_BF16X2: return 0x3f80;
    default: return 0;
    }
}

static bool is_pair(enum ptx_type t) {
    return t == PTX_F16X2 || t == PTX_BF16X2;
}

/* Of the plain setp: without the operation, and without what set gives. */
static const struct alu_row *plain_setp(const struct alu_table *t,
                                        const struct ptx_form *form) {
    static const enum ptx_modifier operations[] = {PTX_MOD_AND, PTX_MOD_OR,
                                                   PTX_MOD_XOR};
    struct ptx_form setp = *form;
    setp.op = PTX_OP_setp;
    setp.n_types = 1;
    setp.types[0] = (uint8_t)ptx_type_at(form, 0);
    setp.types[1] = PTX_NONE;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        setp.has[operations[k] / 64] &= ~(1ull << (operations[k] % 64));
    return alu_find_form(t, &setp);
}

bool alu_find_compound(const struct alu_table *t, const struct ptx_form *form,
                       struct alu_compound *c) {
    enum ptx_type from = ptx_type_at(form, 0), to = ptx_type_at(form, 1);
    bool is_set = form->op == PTX_OP_set;
    if (form->n_types != 1u + is_set || (!is_set && form->op != PTX_OP_setp) ||
        form->twice >> PTX_CLASS_OPERATION & 1)
        return false;
    *c = (struct alu_compound){.with_third = ALU_PLAIN};
    if (ptx_given(form, PTX_CLASS_OPERATION))
        c->with_third = ptx_has(form, PTX_MOD_AND)  ? ALU_AND
                        : ptx_has(form, PTX_MOD_OR) ? ALU_OR
                                                    : ALU_XOR;
    if (is_set) {
        c->yes[0] = true_of(to, from, ptx_has(form, PTX_MOD_FTZ));
        c->yes[1] = is_pair(from) ? c->yes[0] << 16 : 0;
        if (!c->yes[0] || is_pair(from) != is_pair(to) ||
            (is_pair(from) && to != from))
            return false;
    }
    const struct alu_row *row = plain_setp(t, form);
    if (!row) return false;
    bool wide = row->signature[3] == 'd', third = c->with_third != ALU_PLAIN;
    static const char *const of_set[2][2] = {{"w=ww", "w=wwp"},
                                             {"w=dd", "w=ddp"}};
    c->signature = is_set ? of_set[wide][third] : wide ? "pp=ddp" : "pp=wwp";
    c->compare = row->run;
    return true;
}

static uint32_t combined(const struct alu_compound *c, uint32_t p,
                         uint32_t third) {
    switch (c->with_third) {
    case ALU_AND: return p & third;
    case ALU_OR: return p | third;
    case ALU_XOR: return p ^ third;
    default: return p;
    }
}

/* The third is read first: it may be a destination. */
static void run_setp(const struct alu_compound *c, uint8_t *registers,
                     const struct alu_operands *o, const struct lane_set *on) {
    const uint32_t third = *(uint32_t *)(void *)(registers + o->at[4]);
    c->compare(registers, o, on);
    for (int k = 0; k < 2; k++) {
        uint32_t *p = (uint32_t *)(void *)(registers + o->at[k]);
        *p = (*p & ~on->mask) | (combined(c, *p, third) & on->mask);
    }
}

void alu_run_compound(const struct alu_compound *c, uint8_t *registers,
                      const struct alu_operands *o, const struct lane_set *on) {
    if (!c->yes[0]) {
        run_setp(c, registers, o, on);
        return;
    }
    const struct alu_operands setp = {
        .at = {o->at[4], o->at[5], o->at[1], o->at[2]}};
    const uint32_t third = c->with_third == ALU_PLAIN
                               ? 0
                               : *(uint32_t *)(void *)(registers + o->at[3]);
    c->compare(registers, &setp, on);
    uint32_t p[2], *to = (uint32_t *)(void *)(registers + o->at[0]);
    for (int k = 0; k < 2; k++)
        p[k] =
            combined(c, *(uint32_t *)(void *)(registers + o->at[4 + k]), third);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t value =
            (p[0] >> l & 1 ? c->yes[0] : 0) | (p[1] >> l & 1 ? c->yes[1] : 0);
        to[l] = (value & on->w[l]) | (to[l] & ~on->w[l]);
    }
}
