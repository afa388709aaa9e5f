/* SPDX-License-Identifier: MIT
 *
 * decode_async.c: cp.async and cp.async.bulk, mbarriers, proxy fences, cache
 * policies. Tensor copies, multicast and reductions are refused by name.
 */
#include <stdlib.h>
#include <string.h>

#include "async_op.h"
#include "decode.h"

static bool no_memory(struct decoder *d) {
    return decode_fail(d, "out of memory");
}

static bool not_here(struct decoder *d) {
    return decode_fail(d, "the virtual GPU does not have this form of %s",
                       ptx_op_name(d->at->op));
}

static bool missing(struct decoder *d) {
    return decode_fail(d, "wrong number of operands");
}

/* An operand in brackets. */
static bool place(struct decoder *d, const struct ptx_operand *o,
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
static bool number(struct decoder *d, const struct ptx_operand *o,
                   uint32_t *at) {
    *at = decode_operand(d, o, 'w', "u32");
    return !d->failed;
}

static struct async_op *new_op(struct decoder *d, struct insn *out,
                               enum async_verb verb) {
    struct async_op *op = calloc(1, sizeof *op);
    if (!op) {
        no_memory(d);
        return NULL;
    }
    op->verb = verb;
    op->size = op->ignore = NO_REGISTER;
    op->to.base = op->from.base = op->barrier.base = NO_REGISTER;
    out->kind = KIND_ASYNC;
    d->program->copies_later = true;
    out->extra = op;
    return op;
}

/* ---- cp.async.bulk ---- */

/* The n-th of the modifiers that name a space; NULL: there are fewer. */
static const char *space_word(const struct ptx_insn *i, uint32_t n) {
    for (uint32_t k = 0; k < i->n_modifiers; k++) {
        const char *m = i->modifiers[k];
        if ((!strncmp(m, "shared", 6) || !strcmp(m, "global")) && !n--)
            return m;
    }
    return NULL;
}

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
    if (decode_has(i, "commit_group"))
        return new_op(d, out, ASYNC_BULK_COMMIT) != NULL;
    if (decode_has(i, "wait_group"))
        return wait_group(d, out,
                          decode_has(i, "read") ? ASYNC_BULK_WAIT_READ
                                                : ASYNC_BULK_WAIT);
    if (decode_has(i, "prefetch")) {
        out->kind = KIND_NOTHING;
        return true;
    }
    if (decode_has(i, "multicast::cluster"))
        return decode_fail(d, "the virtual GPU has no multicast: a cluster is "
                              "one block there");
    const char *to = space_word(i, 0), *from = space_word(i, 1);
    if (decode_has(i, "tensor") || decode_has(i, "reduce") ||
        decode_has(i, "ignore_oob") || decode_has(i, "cp_mask") || !to || !from)
        return not_here(d);
    bool load = decode_has(i, "mbarrier::complete_tx::bytes");
    bool to_shared = !strncmp(to, "shared", 6);
    bool from_shared = !strncmp(from, "shared", 6);
    if (load && from_shared)
        return decode_fail(d, "a bulk copy between shared memories needs a "
                              "launch of clusters, which the virtual GPU does "
                              "not have");
    if (load ? !to_shared
             : to_shared || !from_shared || !decode_has(i, "bulk_group"))
        return not_here(d);
    uint32_t n = (load ? 4 : 3) + (decode_has(i, "L2::cache_hint") ? 1u : 0u);
    if (i->n_operands != n) return missing(d);
    struct async_op *op =
        new_op(d, out, load ? ASYNC_BULK_LOAD : ASYNC_BULK_STORE);
    return op && place(d, &i->operands[0], &op->to, to_shared) &&
           place(d, &i->operands[1], &op->from, from_shared) &&
           number(d, &i->operands[2], &op->size) &&
           (!load || place(d, &i->operands[3], &op->barrier, true));
}

/* ---- cp.async ---- */

static bool decode_small(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    uint32_t n = i->n_operands;
    if (decode_has(i, "L2::cache_hint") && n) n--;
    struct async_op *op = new_op(d, out, ASYNC_SMALL);
    if (!op) return false;
    if (n < 3 || n > 4 || i->operands[2].kind != PTX_INTEGER) return missing(d);
    int64_t bytes = i->operands[2].integer;
    bool cg = decode_has(i, "cg");
    if (bytes != 16 && (cg || (bytes != 4 && bytes != 8)))
        return decode_fail(d, cg ? "cp.async.cg copies 16 bytes"
                                 : "cp.async copies 4, 8 or 16 bytes");
    op->bytes = (uint32_t)bytes;
    if (!place(d, &i->operands[0], &op->to, true) ||
        !place(d, &i->operands[1], &op->from, false))
        return false;
    if (n == 3) return true;
    if (decode_operand_class(d, &i->operands[3]) != 'p')
        return number(d, &i->operands[3], &op->size);
    op->ignore = decode_operand(d, &i->operands[3], 'p', "pred");
    return !d->failed;
}

static bool decode_copy(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (!decode_has(i, "async")) return not_here(d);
    if (decode_has(i, "bulk")) return decode_bulk(d, out);
    if (decode_has(i, "commit_group"))
        return new_op(d, out, ASYNC_SMALL_COMMIT) != NULL;
    if (decode_has(i, "wait_group"))
        return wait_group(d, out, ASYNC_SMALL_WAIT);
    struct async_op *op;
    if (decode_has(i, "wait_all")) {
        op = new_op(d, out, ASYNC_SMALL_WAIT);
        if (op) op->noinc = true;
        return op != NULL;
    }
    if (decode_has(i, "mbarrier")) {
        op = new_op(d, out, ASYNC_SMALL_ARRIVE);
        if (!op) return false;
        if (i->n_operands != 1) return missing(d);
        op->noinc = decode_has(i, "noinc");
        return place(d, &i->operands[0], &op->barrier, true);
    }
    return decode_small(d, out);
}

bool decode_proxy_fence(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (decode_has(i, "proxy") && decode_has(i, "alias")) {
        out->kind = KIND_FENCE;
        out->order = ORDER_SC;
        return true;
    }
    bool shared = false, async = false;
    for (uint32_t k = 0; k < i->n_modifiers; k++) {
        const char *m = i->modifiers[k];
        shared |= !strncmp(m, "shared", 6) || !strcmp(m, "async.shared::cta");
        async |= !strncmp(m, "async", 5);
    }
    if (!async) return not_here(d);
    struct async_op *op = new_op(d, out, ASYNC_PROXY_FENCE);
    if (op) op->fence_global = !shared;
    return op != NULL;
}

/* ---- mbarrier ---- */

static int verb_of(const struct ptx_insn *i) {
    static const struct {
        const char *word;
        enum mbarrier_verb verb;
    } verbs[] = {{"init", MBARRIER_INIT},
                 {"inval", MBARRIER_INVAL},
                 {"arrive", MBARRIER_ARRIVE},
                 {"arrive_drop", MBARRIER_ARRIVE},
                 {"expect_tx", MBARRIER_EXPECT_TX},
                 {"complete_tx", MBARRIER_COMPLETE_TX},
                 {"test_wait", MBARRIER_TEST_WAIT},
                 {"try_wait", MBARRIER_TRY_WAIT},
                 {"pending_count", MBARRIER_PENDING_COUNT}};
    for (size_t k = 0; i->n_modifiers && k < sizeof verbs / sizeof *verbs; k++)
        if (!strcmp(i->modifiers[0], verbs[k].word)) return (int)verbs[k].verb;
    return -1;
}

static bool barrier_place(struct decoder *d, struct insn *out, uint32_t k) {
    const struct ptx_insn *i = d->at;
    out->space = (uint8_t)decode_space(i);
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
        out->operands.at[0] = decode_operand(d, &i->operands[0], 'd', "b64");
        k = 1;
    }
    if (d->failed || !barrier_place(d, out, k++)) return false;
    if (k < n)
        return k + 1 == n ? number(d, &i->operands[k], &op->count) : missing(d);
    return op->verb != MBARRIER_ARRIVE_TX || missing(d);
}

static bool decode_wait(struct decoder *d, struct insn *out,
                        struct mbarrier_op *op) {
    const struct ptx_insn *i = d->at;
    uint32_t most = op->verb == MBARRIER_TRY_WAIT ? 4 : 3;
    if (i->n_operands < 3 || i->n_operands > most) return missing(d);
    out->n_destinations = 0; /* a predicate has no data mark of its own */
    out->operands.at[0] = decode_operand(d, &i->operands[0], 'p', "pred");
    out->operands.at[1] = decode_operand(
        d, &i->operands[2], op->parity ? 'w' : 'd', op->parity ? "u32" : "b64");
    return !d->failed && barrier_place(d, out, 1);
}

static bool decode_mbarrier(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    int verb = verb_of(i);
    if (verb < 0) return not_here(d);
    struct mbarrier_op *op = calloc(1, sizeof *op);
    if (!op) return no_memory(d);
    out->kind = KIND_MBARRIER;
    out->extra = op;
    op->verb = (enum mbarrier_verb)verb;
    op->count = NO_REGISTER;
    op->parity = decode_has(i, "parity");
    op->drop = decode_has(i, "arrive_drop");
    op->no_complete = decode_has(i, "noComplete");
    if (op->verb == MBARRIER_ARRIVE && decode_has(i, "expect_tx"))
        op->verb = MBARRIER_ARRIVE_TX;
    bool relaxed = decode_has(i, "relaxed");
    switch (op->verb) {
    case MBARRIER_INIT:
        out->order = ORDER_WEAK;
        if (i->n_operands != 2) return missing(d);
        return barrier_place(d, out, 0) &&
               number(d, &i->operands[1], &op->count);
    case MBARRIER_INVAL:
        out->order = ORDER_WEAK;
        return barrier_place(d, out, 0);
    case MBARRIER_EXPECT_TX:
    case MBARRIER_COMPLETE_TX:
        out->order = ORDER_RELAXED;
        if (i->n_operands != 2) return missing(d);
        return barrier_place(d, out, 0) &&
               number(d, &i->operands[1], &op->count);
    case MBARRIER_TEST_WAIT:
    case MBARRIER_TRY_WAIT:
        out->order = relaxed ? ORDER_RELAXED : ORDER_ACQUIRE;
        return decode_wait(d, out, op);
    case MBARRIER_PENDING_COUNT:
        if (i->n_operands != 2) return missing(d);
        out->operands.at[0] = decode_operand(d, &i->operands[0], 'w', "b32");
        out->operands.at[1] = decode_operand(d, &i->operands[1], 'd', "b64");
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
    out->operands.at[0] = decode_operand(d, &d->at->operands[0], 'd', "b64");
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
