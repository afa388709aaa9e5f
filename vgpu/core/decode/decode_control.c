/* SPDX-License-Identifier: MIT
 *
 * decode_control.c: branches, calls, returns, barriers, fences and warp
 * operations.
 */

#include "decode.h"

/* A branch lands in front of a JOIN when there is one. */
static uint32_t landing(struct decoder *d, uint32_t ptx_index) {
    uint32_t at = d->code_index[ptx_index];
    if (ptx_index >= d->ptx->n_insns) return d->function->n_code - 2;
    return at && d->function->code[at - 1].source == NULL &&
                   (ptx_index == 0 || d->code_index[ptx_index - 1] != at - 1)
               ? at - 1
               : at;
}

static bool decode_branch_index(struct decoder *d, struct insn *out) {
    const struct ptx_target_list *list = cfg_targets(d->program->ptx, d->at);
    if (!list) return decode_fail(d, "its .branchtargets list is missing");
    struct branch_table *t =
        decode_extra(d, out, sizeof *t + list->n * sizeof(uint32_t));
    if (!t) return false;
    t->n = list->n;
    for (uint32_t k = 0; k < list->n; k++)
        t->targets[k] = landing(d, list->targets[k]);
    out->kind = KIND_BRANCH_INDEX;
    out->operands.at[0] = decode_operand(d, &d->at->operands[0], 'w', PTX_U32);
    return !d->failed;
}

static enum ptx_builtin builtin_of(const struct ptx_module *m,
                                   const char *name) {
    for (uint32_t k = 0; k < m->n_functions; k++)
        if (m->functions[k].name == name) return m->functions[k].builtin;
    return BUILTIN_NONE;
}

static bool bind_call_area(struct decoder *d, const struct ptx_operand *list,
                           uint32_t n, uint32_t most, uint32_t *at,
                           uint32_t *bytes) {
    if (n > most) return decode_fail(d, "too many call parameters");
    for (uint32_t k = 0; k < n; k++) {
        bool is_kernel;
        const struct parameter *p =
            list[k].symbol
                ? decode_parameter(d->function, list[k].symbol, &is_kernel)
                : NULL;
        if (!p || is_kernel)
            return decode_fail(d, "only .param variables can be passed");
        at[k] = p->offset;
        bytes[k] = p->bytes;
    }
    return true;
}

/* A call of the device's own runtime. */
static bool bind_device_call(struct decoder *d, const struct call *c,
                             const struct ptx_operand *callee) {
    if (!d->program->may_launch)
        return decode_fail(d, "a kernel that launches kernels (dynamic "
                              "parallelism) is not supported");
    if (c->builtin == BUILTIN_LAUNCH)
        return decode_fail(d, "'%s' is not there for kernels", callee->symbol);
    d->program->launches = true;
    return true;
}

static bool bind_callee(struct decoder *d, struct call *c,
                        const struct ptx_operand *callee) {
    if (callee->kind == PTX_REGISTER) {
        c->target = decode_operand(d, callee, 'd', PTX_B64);
        return !d->failed;
    }
    if (!callee->symbol) return decode_fail(d, "no function to call");
    c->callee = program_function(d->program, callee->symbol);
    if (c->callee) return true;
    c->builtin = builtin_of(d->program->ptx, callee->symbol);
    if (c->builtin >= BUILTIN_LAUNCH) return bind_device_call(d, c, callee);
    if (c->builtin) return true;
    return decode_fail(d, "function '%s' has no body in this module",
                       callee->symbol);
}

/* call (ret), f, (args), prototype: lists may be missing. */
static bool decode_call(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    struct call *c = decode_extra(d, out, sizeof *c);
    if (!c) return false;
    out->kind = KIND_CALL;
    uint32_t k = 0;
    const struct ptx_operand *rets = NULL, *args = NULL;
    if (k < i->n_operands && i->operands[k].kind == PTX_VECTOR)
        rets = &i->operands[k++];
    if (k >= i->n_operands) return decode_fail(d, "no function to call");
    const struct ptx_operand *callee = &i->operands[k++];
    if (k < i->n_operands && i->operands[k].kind == PTX_VECTOR)
        args = &i->operands[k++];
    c->n_rets = rets ? rets->n_items : 0;
    c->n_args = args ? args->n_items : 0;
    return bind_callee(d, c, callee) &&
           (!rets || bind_call_area(d, rets->items, c->n_rets, 4, c->ret_at,
                                    c->ret_bytes)) &&
           (!args || bind_call_area(d, args->items, c->n_args, 32, c->arg_at,
                                    c->arg_bytes));
}

static bool decode_return(struct decoder *d, struct insn *out) {
    if (d->ptx->is_entry || d->at->op == PTX_OP_exit) {
        out->kind = KIND_EXIT;
        return true;
    }
    /* `ret`s meet in front of the function's one RETURN */
    out->kind = KIND_BRANCH;
    out->target = d->function->n_code - 2;
    out->join = d->function->n_code - 2;
    return true;
}

bool decode_control(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    switch (i->op) {
    case PTX_OP_bra:
        if (i->n_operands != 1 || i->operands[0].kind != PTX_LABEL)
            return decode_fail(d, "a label is expected");
        out->kind = KIND_BRANCH;
        out->target = landing(d, i->operands[0].target);
        return true;
    case PTX_OP_brx: return decode_branch_index(d, out);
    case PTX_OP_call: return decode_call(d, out);
    case PTX_OP_ret:
    case PTX_OP_exit: return decode_return(d, out);
    default: out->kind = KIND_TRAP; return true;
    }
}

/* ---- barriers and fences ---- */

static bool literal_or_register(struct decoder *d, const struct ptx_operand *o,
                                uint32_t *at, uint32_t *value) {
    *at = NO_REGISTER;
    if (o->kind == PTX_INTEGER) {
        *value = (uint32_t)o->integer;
        return true;
    }
    *at = decode_operand(d, o, 'w', PTX_U32);
    return !d->failed;
}

static bool decode_block_barrier(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    struct barrier_op *b = decode_extra(d, out, sizeof *b);
    if (!b) return false;
    out->kind = KIND_BARRIER;
    b->arrive_only = decode_has(i, ARRIVE);
    b->is_red = decode_has(i, RED);
    b->aligned = i->op == PTX_OP_bar || decode_has(i, ALIGNED);
    b->id = b->count = b->destination = NO_REGISTER;
    uint32_t k = 0, n = i->n_operands;
    if (b->is_red) {
        bool popc = decode_has(i, POPC);
        b->red = popc ? RED_POPC : decode_has(i, AND) ? RED_AND : RED_OR;
        if (n < 3) return decode_fail(d, "too few operands");
        b->destination =
            decode_operand(d, &i->operands[k++], popc ? 'w' : 'p', PTX_U32);
        struct ptx_operand source = i->operands[--n];
        b->predicate_flip = source.negated ? ~0u : 0;
        source.negated = false;
        b->predicate = decode_operand(d, &source, 'p', PTX_PRED);
    }
    if (k < n &&
        !literal_or_register(d, &i->operands[k++], &b->id, &b->id_value))
        return false;
    if (k < n &&
        !literal_or_register(d, &i->operands[k++], &b->count, &b->count_value))
        return false;
    if (b->id == NO_REGISTER && b->id_value >= 16)
        return decode_fail(d, "there are 16 barriers, 0 to 15");
    b->is_usual = b->id == NO_REGISTER && b->count == NO_REGISTER &&
                  !b->id_value && !b->count_value && !b->arrive_only &&
                  !b->is_red;
    return !d->failed;
}

/* barrier.cluster.arrive and .wait: all threads of the block. */
static bool decode_cluster(struct decoder *d, struct insn *out) {
    out->kind = KIND_CLUSTER_BARRIER;
    out->mode = decode_has(d->at, WAIT);
    out->order = decode_has(d->at, RELAXED) ? ORDER_RELAXED : ORDER_SC;
    return true;
}

bool decode_barrier(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool fence = i->op == PTX_OP_membar || i->op == PTX_OP_fence;
    if (fence && decode_has(i, PROXY)) return decode_proxy_fence(d, out);
    if (!fence && decode_has(i, CLUSTER)) return decode_cluster(d, out);
    if (i->op == PTX_OP_membar || i->op == PTX_OP_fence) {
        out->kind = KIND_FENCE;
        out->mode = (uint8_t)(decode_has(i, MBARRIER_INIT) ? BLOCK_SCOPE
                                                           : decode_scope(i));
        out->of_system = decode_has(i, SYS);
        out->order = decode_has(i, ACQUIRE)   ? ORDER_ACQUIRE
                     : decode_has(i, RELEASE) ? ORDER_RELEASE
                     : decode_has(i, ACQ_REL) ? ORDER_ACQ_REL
                                              : ORDER_SC;
        return true;
    }
    if (decode_has(i, WARP)) { /* bar.warp.sync mask */
        out->kind = KIND_WARP_SYNC;
        if (i->n_operands != 1) return decode_fail(d, "a mask is expected");
        out->operands.at[3] = decode_operand(d, &i->operands[0], 'w', PTX_U32);
        return !d->failed;
    }
    return decode_block_barrier(d, out);
}

/* ---- warp operations ---- */
/* Layout of operands.at: destination, second destination (predicate), source,
 * member mask, then shfl's lane and clamp. */

/* The predicate behind the bar; what stands before it may be a sink. */
static uint32_t second_destination(struct decoder *d,
                                   const struct ptx_operand *o) {
    struct ptx_operand p = *o;
    p.kind = PTX_REGISTER;
    p.reg = p.second;
    p.second = -1;
    return decode_operand(d, &p, 'p', PTX_NONE);
}

static bool decode_shuffle(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool sync = decode_has(i, SYNC);
    if (i->n_operands != (sync ? 5u : 4u))
        return decode_fail(d, "wrong number of operands");
    out->mode = i->typed->mode;
    out->kind = KIND_SHUFFLE;
    struct ptx_operand destination = i->operands[0];
    if (destination.second >= 0)
        out->operands.at[1] = second_destination(d, &destination);
    out->operands.at[0] = decode_operand(d, &destination, 'w', PTX_B32);
    out->operands.at[2] = decode_operand(d, &i->operands[1], 'w', PTX_B32);
    out->operands.at[4] = decode_operand(d, &i->operands[2], 'w', PTX_B32);
    out->operands.at[5] = decode_operand(d, &i->operands[3], 'w', PTX_B32);
    out->operands.at[3] = sync
                              ? decode_operand(d, &i->operands[4], 'w', PTX_B32)
                              : decode_constant(d, 'w', 0);
    return !d->failed;
}

static bool decode_vote(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool sync = decode_has(i, SYNC);
    if (i->n_operands != (sync ? 3u : 2u))
        return decode_fail(d, "wrong number of operands");
    out->mode = i->typed->mode;
    out->kind = KIND_VOTE;
    struct ptx_operand source = i->operands[1];
    out->operands.immediate = source.negated ? ~0u : 0;
    source.negated = false;
    out->operands.at[0] =
        decode_operand(d, &i->operands[0], out->mode == 3 ? 'w' : 'p', PTX_B32);
    out->operands.at[2] = decode_operand(d, &source, 'p', PTX_PRED);
    out->operands.at[3] = sync
                              ? decode_operand(d, &i->operands[2], 'w', PTX_B32)
                              : decode_constant(d, 'w', 0);
    return !d->failed;
}

static bool decode_match(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (i->n_operands != 3) return decode_fail(d, "wrong number of operands");
    out->kind = KIND_MATCH;
    out->mode = decode_has(i, ALL);
    bool wide = ptx_type_at(i->typed, 0) == PTX_B64;
    out->register_is_wide = wide;
    struct ptx_operand destination = i->operands[0];
    if (destination.second >= 0)
        out->operands.at[1] = second_destination(d, &destination);
    out->operands.at[0] = decode_operand(d, &destination, 'w', PTX_B32);
    out->operands.at[2] =
        decode_operand(d, &i->operands[1], wide ? 'd' : 'w', PTX_B32);
    out->operands.at[3] = decode_operand(d, &i->operands[2], 'w', PTX_B32);
    return !d->failed;
}

static bool decode_redux(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    if (i->n_operands != 3 || ptx_type_at(i->typed, 0) == PTX_F32)
        return decode_fail(d, "the virtual GPU does not have this instruction");
    out->kind = KIND_REDUX;
    out->mode = i->typed->operation;
    out->type = ptx_type_at(i->typed, 0) == PTX_S32 ? PTX_S32 : PTX_U32;
    out->operands.at[0] = decode_operand(d, &i->operands[0], 'w', PTX_B32);
    out->operands.at[2] = decode_operand(d, &i->operands[1], 'w', PTX_B32);
    out->operands.at[3] = decode_operand(d, &i->operands[2], 'w', PTX_B32);
    return !d->failed;
}

static bool decode_elect(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    out->kind = KIND_ELECT;
    if (i->n_operands != 2 || i->operands[0].second < 0)
        return decode_fail(d, "wrong number of operands");
    struct ptx_operand p = i->operands[0];
    if (p.kind != PTX_SINK) {
        struct ptx_operand r = p;
        r.second = -1;
        out->operands.at[0] = decode_operand(d, &r, 'w', PTX_B32);
    } else {
        out->operands.at[0] = decode_sink(d, 'w');
    }
    out->operands.at[1] = second_destination(d, &p);
    out->operands.at[3] = decode_operand(d, &i->operands[1], 'w', PTX_B32);
    return !d->failed;
}

bool decode_warp(struct decoder *d, struct insn *out) {
    out->n_destinations = 1;
    switch (d->at->op) {
    case PTX_OP_shfl: return decode_shuffle(d, out);
    case PTX_OP_vote: return decode_vote(d, out);
    case PTX_OP_match: return decode_match(d, out);
    case PTX_OP_redux: return decode_redux(d, out);
    case PTX_OP_elect: return decode_elect(d, out);
    default: break;
    }
    out->kind = KIND_ACTIVE_MASK;
    if (d->at->n_operands != 1) return decode_fail(d, "a register is expected");
    out->operands.at[0] = decode_operand(d, &d->at->operands[0], 'w', PTX_B32);
    return !d->failed;
}
