/* SPDX-License-Identifier: MIT
 *
 * alu_set.c: see alu_set.h.
 */
#include "alu_set.h"

#include <string.h>

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

bool alu_find_set(const struct alu_table *t, const struct ptx_form *form,
                  struct alu_set *set) {
    enum ptx_type from = ptx_type_at(form, 0), to = ptx_type_at(form, 1);
    bool pair = from == PTX_F16X2 || from == PTX_BF16X2;
    if (form->op != PTX_OP_set || form->n_types != 2 ||
        pair != (to == PTX_F16X2 || to == PTX_BF16X2) || (pair && to != from))
        return false;
    uint32_t yes = true_of(to, from, ptx_has(form, PTX_MOD_FTZ));
    struct ptx_form setp = *form;
    setp.op = PTX_OP_setp;
    setp.n_types = 1;
    setp.types[0] = (uint8_t)from;
    setp.types[1] = PTX_NONE;
    const struct alu_row *row = yes ? alu_find_form(t, &setp) : NULL;
    if (!row) return false;
    static const char *const signatures[] = {"w=ww", "w=dd", "w=wwp", "w=ddp"};
    for (size_t k = 0; k < sizeof signatures / sizeof *signatures; k++)
        if (!strcmp(signatures[k] + 2, strchr(row->signature, '=') + 1))
            set->signature = signatures[k];
    set->compare = row->run;
    set->yes[0] = yes;
    set->yes[1] = pair ? yes << 16 : 0;
    return true;
}

void alu_run_set(const struct alu_set *set, uint8_t *registers,
                 const struct alu_operands *o, const struct lane_set *on) {
    const uint32_t *p = (uint32_t *)(void *)(registers + o->at[4]);
    const uint32_t *q = (uint32_t *)(void *)(registers + o->at[5]);
    const struct alu_operands setp = {
        .at = {o->at[4], o->at[5], o->at[1], o->at[2], o->at[3]}};
    set->compare(registers, &setp, on);
    const uint32_t first = *p, second = *q;
    uint32_t *to = (uint32_t *)(void *)(registers + o->at[0]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t value = (first >> l & 1 ? set->yes[0] : 0) |
                         (second >> l & 1 ? set->yes[1] : 0);
        to[l] = (value & on->w[l]) | (to[l] & ~on->w[l]);
    }
}
