/* SPDX-License-Identifier: MIT
 *
 * decode_async.c: cp.async and cp.async.bulk, mbarriers, proxy fences, cache
 * policies. Tensor copies, multicast and reductions are refused by name.
 */
#include "async_op.h"
#include "decode.h"

static bool not_here(struct decoder *d) {
    return decode_fail(d, "the virtual GPU does not have this form of %s",
                       ptx_op_name(d->at->op));
}

static bool missing(struct decoder *d) {
    return decode_fail(d, "wrong number of operands");
}

/* An operand in brackets. */
static bool decode_async_place(struct decoder *d, const struct ptx_operand *o,
                               struct async_place *p, bool shared) {
    struct insn at = {.base = NO_REGISTER,
                      .bytes = 1,
                      .n_elements = 1,
                      .space = shared ? PTX_SHARED : PTX_GLOBAL};
    if (!decode_place(d, &at, o)) return false;
    if (at.space == PTX_PARAM)
        return decode_fail(d, "a parameter is no place for this");
    *p = (struct async_place){at.base, at.is_base_wide, shared, at.offset};
    return true;
}

/* A 32-bit operand, as a register. */
static bool decode_async_number(struct decoder *d, const struct ptx_operand *o,
                                uint32_t *at) {
    *at = decode_operand(d, o, 'w', PTX_U32);
    return !d->failed;
}

static struct async_op *new_op(struct decoder *d, struct insn *out,
                               enum async_verb verb) {
    struct async_op *op = decode_extra(d, out, sizeof *op);
    if (!op) return NULL;
    op->verb = verb;
    op->size = op->ignore = NO_REGISTER;
    op->to.base = op->from.base = op->barrier.base = NO_REGISTER;
    out->kind = KIND_ASYNC;
    d->program->copies_later = true;
    return op;
}

/* ---- cp.async.bulk ---- */

static bool wait_group(struct decoder *d, struct insn *out,
                       enum async_verb verb) {
    const struct ptx_insn *i = d->at;
    struct async_op *op = new_op(d, out, verb);
    if (!op) return false;
    if (i->n_operands != 1 || i->operands[0].kind != PTX_INTEGER)
        return decode_fail(d, "a number of groups is expected");
    op->at_most = (uint32_t)i->operands[0].integer;
    return true;
}

static bool decode_bulk(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (decode_has(i, COMMIT_GROUP))
        return new_op(d, out, ASYNC_BULK_COMMIT) != NULL;
    if (decode_has(i, WAIT_GROUP))
        return wait_group(d, out,
                          decode_has(i, READ) ? ASYNC_BULK_WAIT_READ
                                              : ASYNC_BULK_WAIT);
    if (decode_has(i, PREFETCH)) {
        out->kind = KIND_NOTHING;
        return true;
    }
    if (decode_has(i, MULTICAST_CLUSTER))
        return decode_fail(d, "the virtual GPU has no multicast: a cluster is "
                              "one block there");
    if (decode_has(i, TENSOR) || decode_has(i, REDUCE) ||
        decode_has(i, IGNORE_OOB) || decode_has(i, CP_MASK) ||
        i->typed->n_spaces < 2)
        return not_here(d);
    bool load = decode_has(i, MBARRIER_COMPLETE_TX_BYTES);
    bool to_shared = i->typed->spaces[0] == PTX_SHARED;
    bool from_shared = i->typed->spaces[1] == PTX_SHARED;
    if (load && from_shared)
        return decode_fail(d, "a bulk copy between shared memories needs a "
                              "launch of clusters, which the virtual GPU does "
                              "not have");
    if (load ? !to_shared
             : to_shared || !from_shared || !decode_has(i, BULK_GROUP))
        return not_here(d);
    uint32_t n = (load ? 4 : 3) + (decode_has(i, L2_CACHE_HINT) ? 1u : 0u);
    if (i->n_operands != n) return missing(d);
    struct async_op *op =
        new_op(d, out, load ? ASYNC_BULK_LOAD : ASYNC_BULK_STORE);
    return op && decode_async_place(d, &i->operands[0], &op->to, to_shared) &&
           decode_async_place(d, &i->operands[1], &op->from, from_shared) &&
           decode_async_number(d, &i->operands[2], &op->size) &&
           (!load ||
            decode_async_place(d, &i->operands[3], &op->barrier, true));
}

/* ---- cp.async ---- */

static bool decode_small(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    uint32_t n = i->n_operands;
    if (decode_has(i, L2_CACHE_HINT) && n) n--;
    struct async_op *op = new_op(d, out, ASYNC_SMALL);
    if (!op) return false;
    if (n < 3 || n > 4 || i->operands[2].kind != PTX_INTEGER) return missing(d);
    int64_t bytes = i->operands[2].integer;
    bool cg = decode_has(i, CG);
    if (bytes != 16 && (cg || (bytes != 4 && bytes != 8)))
        return decode_fail(d, cg ? "cp.async.cg copies 16 bytes"
                                 : "cp.async copies 4, 8 or 16 bytes");
    op->bytes = (uint32_t)bytes;
    if (!decode_async_place(d, &i->operands[0], &op->to, true) ||
        !decode_async_place(d, &i->operands[1], &op->from, false))
        return false;
    if (n == 3) return true;
    if (decode_operand_class(d, &i->operands[3]) != 'p')
        return decode_async_number(d, &i->operands[3], &op->size);
    op->ignore = decode_operand(d, &i->operands[3], 'p', PTX_PRED);
    return !d->failed;
}

static bool decode_copy(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (!decode_has(i, ASYNC)) return not_here(d);
    if (decode_has(i, BULK)) return decode_bulk(d, out);
    if (decode_has(i, COMMIT_GROUP))
        return new_op(d, out, ASYNC_SMALL_COMMIT) != NULL;
    if (decode_has(i, WAIT_GROUP)) return wait_group(d, out, ASYNC_SMALL_WAIT);
    struct async_op *op;
    if (decode_has(i, WAIT_ALL)) {
        op = new_op(d, out, ASYNC_SMALL_WAIT);
        if (op) op->noinc = true;
        return op != NULL;
    }
    if (decode_has(i, MBARRIER)) {
        op = new_op(d, out, ASYNC_SMALL_ARRIVE);
        if (!op) return false;
        if (i->n_operands != 1) return missing(d);
        op->noinc = decode_has(i, NOINC);
        return decode_async_place(d, &i->operands[0], &op->barrier, true);
    }
    return decode_small(d, out);
}

bool decode_proxy_fence(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (decode_has(i, PROXY) && decode_has(i, ALIAS)) {
        out->kind = KIND_FENCE;
        out->order = ORDER_SC;
        out->of_system = true;
        return true;
    }
    if (!decode_has(i, ASYNC) && !decode_has(i, ASYNC_GENERIC))
        return not_here(d);
    struct async_op *op = new_op(d, out, ASYNC_PROXY_FENCE);
    if (op) op->fence_global = i->typed->space != PTX_SHARED;
    return op != NULL;
}

/* ---- mbarrier ---- */

/* -1: not one of those that begin the form. */
static int verb_of(const struct ptx_form *f) {
    if (!ptx_given(f, PTX_CLASS_VERB)) return -1;
    switch (f->verb) {
    case PTX_MOD_INIT: return MBARRIER_INIT;
    case PTX_MOD_INVAL: return MBARRIER_INVAL;
    case PTX_MOD_EXPECT_TX: return MBARRIER_EXPECT_TX;
    case PTX_MOD_COMPLETE_TX: return MBARRIER_COMPLETE_TX;
    case PTX_MOD_TEST_WAIT: return MBARRIER_TEST_WAIT;
    case PTX_MOD_TRY_WAIT: return MBARRIER_TRY_WAIT;
    case PTX_MOD_PENDING_COUNT: return MBARRIER_PENDING_COUNT;
    default: return MBARRIER_ARRIVE; /* or arrive_drop */
    }
}

static bool barrier_place(struct decoder *d, struct insn *out, uint32_t k) {
    const struct ptx_insn *i = d->at;
    out->space = i->typed->space;
    out->bytes = 8;
    out->n_elements = 1;
    if (k >= i->n_operands) return missing(d);
    if (!decode_place(d, out, &i->operands[k])) return false;
    if (out->space != PTX_SHARED && out->space != PTX_GENERIC)
        return decode_fail(d, "an mbarrier must be in shared memory");
    return true;
}

/* state, [at] {, count}; the destination may be "_". */
static bool decode_arrive(struct decoder *d, struct insn *out,
                          struct mbarrier_op *op) {
    const struct ptx_insn *i = d->at;
    uint32_t k = 0, n = i->n_operands;
    out->n_destinations = 1;
    out->operands.at[0] = decode_sink(d, 'd');
    if (n && i->operands[0].kind != PTX_ADDRESS) {
        out->operands.at[0] = decode_operand(d, &i->operands[0], 'd', PTX_B64);
        k = 1;
    }
    if (d->failed || !barrier_place(d, out, k++)) return false;
    if (k < n)
        return k + 1 == n ? decode_async_number(d, &i->operands[k], &op->count)
                          : missing(d);
    return op->verb != MBARRIER_ARRIVE_TX || missing(d);
}

static bool decode_wait(struct decoder *d, struct insn *out,
                        struct mbarrier_op *op) {
    const struct ptx_insn *i = d->at;
    uint32_t most = op->verb == MBARRIER_TRY_WAIT ? 4 : 3;
    if (i->n_operands < 3 || i->n_operands > most) return missing(d);
    out->n_destinations = 0; /* a predicate has no taint of its own */
    out->operands.at[0] = decode_operand(d, &i->operands[0], 'p', PTX_PRED);
    out->operands.at[1] =
        decode_operand(d, &i->operands[2], op->parity ? 'w' : 'd',
                       op->parity ? PTX_U32 : PTX_B64);
    return !d->failed && barrier_place(d, out, 1);
}

static bool decode_mbarrier(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    int verb = verb_of(i->typed);
    if (verb < 0) return not_here(d);
    struct mbarrier_op *op = decode_extra(d, out, sizeof *op);
    if (!op) return false;
    out->kind = KIND_MBARRIER;
    op->verb = (enum mbarrier_verb)verb;
    op->count = NO_REGISTER;
    op->parity = decode_has(i, PARITY);
    op->drop = decode_has(i, ARRIVE_DROP);
    op->no_complete = decode_has(i, NO_COMPLETE);
    if (op->verb == MBARRIER_ARRIVE && decode_has(i, EXPECT_TX))
        op->verb = MBARRIER_ARRIVE_TX;
    bool relaxed = decode_has(i, RELAXED);
    switch (op->verb) {
    case MBARRIER_INIT:
        out->order = ORDER_WEAK;
        if (i->n_operands != 2) return missing(d);
        return barrier_place(d, out, 0) &&
               decode_async_number(d, &i->operands[1], &op->count);
    case MBARRIER_INVAL:
        out->order = ORDER_WEAK;
        return barrier_place(d, out, 0);
    case MBARRIER_EXPECT_TX:
    case MBARRIER_COMPLETE_TX:
        out->order = ORDER_RELAXED;
        if (i->n_operands != 2) return missing(d);
        return barrier_place(d, out, 0) &&
               decode_async_number(d, &i->operands[1], &op->count);
    case MBARRIER_TEST_WAIT:
    case MBARRIER_TRY_WAIT:
        out->order = relaxed ? ORDER_RELAXED : ORDER_ACQUIRE;
        return decode_wait(d, out, op);
    case MBARRIER_PENDING_COUNT:
        if (i->n_operands != 2) return missing(d);
        out->operands.at[0] = decode_operand(d, &i->operands[0], 'w', PTX_B32);
        out->operands.at[1] = decode_operand(d, &i->operands[1], 'd', PTX_B64);
        out->n_destinations = 1;
        return !d->failed;
    default:
        out->order = relaxed ? ORDER_RELAXED : ORDER_RELEASE;
        return decode_arrive(d, out, op);
    }
}

/* A cache policy is 64 bits that nothing here looks at. */
static bool decode_policy(struct decoder *d, struct insn *out) {
    if (!d->at->n_operands) return missing(d);
    out->kind = KIND_ALU;
    out->run = alu_find(d->program->alu, "mov.b64")->run;
    out->operands.at[0] = decode_operand(d, &d->at->operands[0], 'd', PTX_B64);
    out->operands.at[1] = decode_constant(d, 'd', 0x10f0000000000000ull);
    out->n_destinations = out->n_sources = 1;
    return !d->failed;
}

bool decode_async(struct decoder *d, struct insn *out) {
    switch (d->at->op) {
    case PTX_OP_cp: return decode_copy(d, out);
    case PTX_OP_createpolicy: return decode_policy(d, out);
    default: return decode_mbarrier(d, out);
    }
}
