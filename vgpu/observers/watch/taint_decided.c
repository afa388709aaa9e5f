/* SPDX-License-Identifier: MIT
 *
 * taint_decided.c: data that decides: which way a branch goes, whether an
 * instruction is executed, where something is written, how large or how many
 * something is. What a program learns of its data that way is untainted, so
 * the decision counts as data operations (DATA_OPS): one for each bit that it
 * can tell, and a word's 32 where it chooses among many.
 */
#include <string.h>

#include "copies.h"
#include "taint.h"

enum { WORD_BITS = 32 };

/* Whatever all lanes do alike tells one bit. */
void taint_decided(struct context *c, const struct insn *i) {
    uint32_t all = c->group->mask, had = *taint_of(c, i->guard) & all;
    if (!had) return;
    uint32_t on =
        (*(const uint32_t *)(c->registers + i->guard) ^ i->guard_flip) & all;
    taint_count(c, i, on && on != all ? had : 1);
    /* Control dependence: lanes that do not execute it keep the old value,
     * which depends on the guard as much as a new one. */
    for (uint32_t k = 0; i->kind == KIND_ALU && k < i->n_destinations; k++)
        *taint_of(c, i->operands.at[k]) |= had;
}

void taint_chosen(struct context *c, uint32_t at, uint32_t lanes) {
    if (at == NO_REGISTER) return;
    uint32_t had = *taint_of(c, at) & lanes;
    costs_of(c->machine, c->insn)[VGPU_COUNT_DATA_OPS] +=
        (uint64_t)__builtin_popcount(had) * WORD_BITS;
}

/* A thread waits, or does not, for a phase that data names. */
static void waited(struct context *c) {
    const uint32_t *at = c->insn->operands.at;
    uint32_t lanes = c->lanes->mask, had = *taint_of(c, at[1]) & lanes;
    taint_set(c, at[0], lanes, had);
    if (had) taint_count(c, c->insn, had);
}

void taint_mbarrier(struct context *c) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    uint32_t lanes = c->lanes->mask;
    taint_chosen(c, op->count, lanes);
    taint_chosen(c, i->base, lanes);
    switch (op->verb) {
    case MBARRIER_TEST_WAIT:
    case MBARRIER_TRY_WAIT: waited(c); return;
    case MBARRIER_PENDING_COUNT:
        taint_set(c, i->operands.at[0], lanes, *taint_of(c, i->operands.at[1]));
        return;
    case MBARRIER_INIT: return;
    default: taint_clear(c, lanes);
    }
}

void taint_copy(struct context *c) {
    const struct async_op *op = c->insn->extra;
    const uint32_t at[] = {op->to.base, op->from.base, op->barrier.base,
                           op->size, op->ignore};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        taint_chosen(c, at[k], c->lanes->mask);
}

void taint_barrier(struct context *c) {
    const struct barrier_op *op = c->insn->extra;
    uint32_t lanes = c->lanes->mask;
    struct barrier *barriers = context_block(c)->barriers;
    taint_chosen(c, op->id, lanes);
    taint_chosen(c, op->count, lanes);
    if (!op->is_red || !(*taint_of(c, op->predicate) & lanes)) return;
    uint32_t id = op->id_value;
    if (op->id != NO_REGISTER)
        id = ((const uint32_t *)(c->registers + op->id))[__builtin_ctz(lanes)];
    barriers[id & (N_BARRIERS - 1)].red_data = true;
    taint_count(c, c->insn, 1);
}

void taint_builtin(struct context *c, const struct call *call) {
    struct frame *f = c->group->frame;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        size_t area = (size_t)__builtin_ctz(m) * f->function->call_bytes;
        bool is = false;
        for (uint32_t k = 0; k < call->n_args; k++)
            is |= bits_any(f->param_taint, area + call->arg_at[k],
                           call->arg_bytes[k]);
        if (is) costs_of(c->machine, c->insn)[VGPU_COUNT_DATA_OPS] += WORD_BITS;
        /* printf returns how many values a text asked for, whosever it is. */
        bool tainted = is || call->builtin == BUILTIN_PRINTF;
        if (call->n_rets)
            bits_set(f->param_taint, area + call->ret_at[0], call->ret_bytes[0],
                     tainted);
    }
}
