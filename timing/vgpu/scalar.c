/* SPDX-License-Identifier: MIT
 *
 * scalar.c: a PTX interpreter as one would write it first: a register file per
 * thread, a loop around a switch, a thread runs until it has to wait at a
 * barrier or ends, then the next one does. It checks that loads and stores of
 * global and shared memory are inside, and nothing else.
 *
 * How to read this: FORMS lists what it can; prepare turns ptx_insn into
 * `struct op` (registers are numbers; constants and special registers are
 * registers, too), run_thread is the interpreter. Blocks run one after another,
 * which is enough for a look-back whose tile numbers are tickets.
 */
#include "scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* name, form, value of the destination: a, b, c are the sources */
#define ALU_FORMS(X)                                                           \
    X(ADD_S32, "add.s32", (uint32_t)(a + b))                                   \
    X(ADD_S64, "add.s64", a + b)                                               \
    X(SUB_S32, "sub.s32", (uint32_t)(a - b))                                   \
    X(MUL_WIDE_S32, "mul.wide.s32",                                            \
      (uint64_t)((int64_t)(int32_t)a * (int32_t)b))                            \
    X(MUL_WIDE_U32, "mul.wide.u32", (uint64_t)(uint32_t)a *(uint32_t)b)        \
    X(MAD_LO_S32, "mad.lo.s32", (uint32_t)(a * b + c))                         \
    X(SHL_B32, "shl.b32", (uint32_t)b < 32 ? (uint32_t)a << (uint32_t)b : 0)   \
    X(SHL_B64, "shl.b64", (uint32_t)b < 64 ? a << (uint32_t)b : 0)             \
    X(SHR_U32, "shr.u32", (uint32_t)b < 32 ? (uint32_t)a >> (uint32_t)b : 0)   \
    X(SHR_S32, "shr.s32",                                                      \
      (uint32_t)((int32_t)a >> ((uint32_t)b < 31 ? (uint32_t)b : 31)))         \
    X(AND_B32, "and.b32", (uint32_t)(a & b))                                   \
    X(AND_B64, "and.b64", a &b)                                                \
    X(OR_B32, "or.b32", (uint32_t)(a | b))                                     \
    X(OR_B64, "or.b64", a | b)                                                 \
    X(MOV_U32, "mov.u32", (uint32_t)a)                                         \
    X(MOV_B32, "mov.b32", (uint32_t)a)                                         \
    X(MOV_U64, "mov.u64", a)                                                   \
    X(MOV_B64, "mov.b64", a)                                                   \
    X(CVTA, "cvta.to.global.u64", a)                                           \
    X(CVT_S64_S32, "cvt.s64.s32", (uint64_t)(int32_t)a)                        \
    X(CVT_U64_U32, "cvt.u64.u32", (uint64_t)(uint32_t)a)                       \
    X(CVT_U32_U64, "cvt.u32.u64", (uint32_t)a)                                 \
    X(SELP_B32, "selp.b32", c ? (uint32_t)a : (uint32_t)b)                     \
    X(SELP_B64, "selp.b64", c ? a : b)                                         \
    X(EQ_S32, "setp.eq.s32", (uint32_t)a == (uint32_t)b)                       \
    X(NE_S32, "setp.ne.s32", (uint32_t)a != (uint32_t)b)                       \
    X(LT_S32, "setp.lt.s32", (int32_t)a < (int32_t)b)                          \
    X(LE_S32, "setp.le.s32", (int32_t)a <= (int32_t)b)                         \
    X(GT_S32, "setp.gt.s32", (int32_t)a > (int32_t)b)                          \
    X(GE_S32, "setp.ge.s32", (int32_t)a >= (int32_t)b)                         \
    X(LT_U32, "setp.lt.u32", (uint32_t)a < (uint32_t)b)                        \
    X(GT_U32, "setp.gt.u32", (uint32_t)a > (uint32_t)b)                        \
    X(EQ_S64, "setp.eq.s64", a == b)                                           \
    X(NE_S64, "setp.ne.s64", a != b)

/* name, form, type in memory, shared, what it does to *at: d is the register */
#define MEMORY_FORMS(X)                                                        \
    X(LD_GLOBAL_32, "ld.global.u32", uint32_t, false, d = *at)                 \
    X(LD_GLOBAL_64, "ld.global.u64", uint64_t, false, d = *at)                 \
    X(LD_VOLATILE_64, "ld.volatile.global.u64", uint64_t, false, d = *at)      \
    X(LD_SHARED_32, "ld.shared.u32", uint32_t, true, d = *at)                  \
    X(ST_GLOBAL_32, "st.global.u32", uint32_t, false, *at = (uint32_t)a)       \
    X(ST_GLOBAL_64, "st.global.u64", uint64_t, false, *at = a)                 \
    X(ST_VOLATILE_64, "st.volatile.global.u64", uint64_t, false, *at = a)      \
    X(ST_SHARED_32, "st.shared.u32", uint32_t, true, *at = (uint32_t)a)        \
    X(ATOM_GLOBAL_ADD, "atom.global.add.u32", uint32_t, false,                 \
      (d = *at, *at += (uint32_t)a))                                           \
    X(ATOM_SHARED_ADD, "atom.shared.add.u32", uint32_t, true,                  \
      (d = *at, *at += (uint32_t)a))

enum op_code {
#define X(name, ...) OP_##name,
    ALU_FORMS(X) MEMORY_FORMS(X)
#undef X
        OP_PARAM_32,
    OP_PARAM_64,
    OP_BRANCH,
    OP_BARRIER,
    OP_RETURN,
    OP_NONE
};

static const char *const forms[] = {
#define X(name, form, ...) form,
    ALU_FORMS(X) MEMORY_FORMS(X)
#undef X
        "ld.param.u32",
    "ld.param.u64", "bra", "bar.sync", "ret"};

enum special { TID_X, CTAID_X, NTID_X, NCTAID_X, N_SPECIALS };
static const char *const specials[] = {"%tid.x", "%ctaid.x", "%ntid.x",
                                       "%nctaid.x"};

enum { NO_GUARD = 0xffff, MAX_REGISTERS = 4096, MAX_SHARED = 49152 };

struct op {
    uint16_t code, guard;
    bool negated;
    uint16_t d, a, b, c;
    uint32_t target;
    int64_t offset; /* of an address or a parameter */
};

struct scalar_kernel {
    struct op *ops;
    uint32_t n_ops;
    uint32_t n_registers; /* of PTX, then specials, then constants */
    uint32_t first_special;
    uint64_t first_values[MAX_REGISTERS];
    uint32_t shared_bytes;
};

/* ---- preparing ---- */

struct builder {
    struct scalar_kernel *kernel;
    const struct ptx_module *module;
    const struct ptx_function *function;
    bool ok;
};

static uint16_t constant(struct builder *b, uint64_t value) {
    struct scalar_kernel *k = b->kernel;
    uint32_t from = k->first_special + N_SPECIALS;
    for (uint32_t r = from; r < k->n_registers; r++)
        if (k->first_values[r] == value) return (uint16_t)r;
    if (k->n_registers == MAX_REGISTERS) {
        b->ok = false;
        return 0;
    }
    k->first_values[k->n_registers] = value;
    return (uint16_t)k->n_registers++;
}

static uint32_t next_shared(uint32_t at, const struct ptx_variable *v) {
    uint32_t align = v->align ? v->align : 1;
    return (at + align - 1) / align * align;
}

/* Offset of a shared variable, or of all of them together for NULL. */
static bool shared_offset(const struct builder *b, const char *name,
                          uint32_t *offset) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < b->function->n_variables; i++) {
        const struct ptx_variable *v = &b->function->variables[i];
        if (v->space != PTX_SHARED) continue;
        *offset = at = next_shared(at, v);
        if (name && !strcmp(v->name, name)) return true;
        at += (uint32_t)v->bytes;
    }
    *offset = at;
    return !name && at <= MAX_SHARED;
}

static uint16_t operand(struct builder *b, const struct ptx_operand *o) {
    uint32_t offset;
    switch (o->kind) {
    case PTX_REGISTER: return (uint16_t)o->reg;
    case PTX_INTEGER: return constant(b, (uint64_t)o->integer);
    case PTX_SYMBOL:
        b->ok &= shared_offset(b, o->symbol, &offset);
        return constant(b, b->ok ? offset + (uint64_t)o->integer : 0);
    case PTX_SPECIAL:
        for (uint32_t s = 0; s < N_SPECIALS; s++)
            if (!strcmp(o->symbol, specials[s]))
                return (uint16_t)(b->kernel->first_special + s);
        b->ok = false;
        return 0;
    default: b->ok = false; return 0;
    }
}

/* Address: base register into `b`, the rest into `offset`. */
static void address(struct builder *b, struct op *op,
                    const struct ptx_operand *o) {
    uint32_t at = 0;
    op->offset = o->integer;
    if (o->symbol) b->ok &= shared_offset(b, o->symbol, &at);
    op->offset += at;
    op->b = o->reg >= 0 ? (uint16_t)o->reg : constant(b, 0);
}

static void parameter(struct builder *b, struct op *op,
                      const struct ptx_operand *o) {
    uint64_t at = 0;
    for (uint32_t p = 0; p < b->function->n_params; p++) {
        const struct ptx_variable *v = &b->function->params[p];
        at = (at + v->bytes - 1) / v->bytes * v->bytes;
        if (o->symbol && !strcmp(v->name, o->symbol)) {
            op->offset = (int64_t)at + o->integer;
            return;
        }
        at += v->bytes;
    }
    b->ok = false;
}

static bool build_op(struct builder *b, struct op *op,
                     const struct ptx_insn *i) {
    const struct ptx_operand *o = i->operands;
    b->ok = true;
    for (op->code = 0; op->code < OP_NONE; op->code++)
        if (!strcmp(forms[op->code], i->form)) break;
    op->guard = i->guard < 0 ? NO_GUARD : (uint16_t)i->guard;
    op->negated = i->guard_negated;
    switch (op->code) {
    case OP_NONE: return false;
    case OP_RETURN:
    case OP_BARRIER: return true;
    case OP_BRANCH: op->target = o[0].target; return o[0].kind == PTX_LABEL;
    case OP_PARAM_32:
    case OP_PARAM_64:
        op->d = operand(b, &o[0]);
        parameter(b, op, &o[1]);
        return b->ok;
    default: break;
    }
    bool store = i->op == PTX_OP_st,
         memory = store || op->code >= OP_LD_GLOBAL_32;
    if (memory) {
        address(b, op, &o[store ? 0 : 1]);
        if (!store) op->d = operand(b, &o[0]);
        if (store || i->n_operands > 2) op->a = operand(b, &o[store ? 1 : 2]);
        return b->ok;
    }
    op->d = operand(b, &o[0]);
    if (i->n_operands > 1) op->a = operand(b, &o[1]);
    if (i->n_operands > 2) op->b = operand(b, &o[2]);
    if (i->n_operands > 3) op->c = operand(b, &o[3]);
    return b->ok;
}

struct scalar_kernel *scalar_prepare(const struct ptx_module *module,
                                     const char *name, char *why,
                                     size_t bytes) {
    const struct ptx_function *f = ptx_find_function(module, name);
    snprintf(why, bytes, "no kernel %s, or no memory", name);
    if (!f || f->n_registers + N_SPECIALS > MAX_REGISTERS) return NULL;
    struct scalar_kernel *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->ops = calloc(f->n_insns + 1, sizeof *k->ops);
    k->n_ops = f->n_insns;
    k->first_special = f->n_registers;
    k->n_registers = f->n_registers + N_SPECIALS;
    struct builder b = {k, module, f, true};
    bool ok = k->ops && shared_offset(&b, NULL, &k->shared_bytes);
    for (uint32_t n = 0; ok && n < f->n_insns; n++) {
        ok = build_op(&b, &k->ops[n], &f->insns[n]);
        if (!ok)
            snprintf(why, bytes, "%s, PTX line %u: not among its opcodes",
                     f->insns[n].form, f->insns[n].ptx_line);
    }
    if (ok) {
        k->ops[k->n_ops] = (struct op){.code = OP_RETURN, .guard = NO_GUARD};
        return k;
    }
    scalar_free(k);
    return NULL;
}

void scalar_free(struct scalar_kernel *k) {
    if (k) free(k->ops);
    free(k);
}

/* ---- running ---- */

struct thread {
    uint32_t pc;
    bool ended;
    uint64_t *r;
};

struct run {
    const struct scalar_kernel *kernel;
    const uint8_t *params;
    const struct scalar_buffer *buffers;
    size_t n_buffers;
    uint8_t *shared;
    uint64_t executed;
};

static inline void *locate(const struct run *run, bool shared, uint64_t at,
                           uint64_t bytes) {
    if (shared) {
        at = (uint32_t)at;
        return at + bytes <= run->kernel->shared_bytes ? run->shared + at
                                                       : NULL;
    }
    for (size_t k = 0; k < run->n_buffers; k++) {
        const struct scalar_buffer *b = &run->buffers[k];
        if (at >= b->address && at - b->address + bytes <= b->size)
            return b->bytes + (at - b->address);
    }
    return NULL;
}

/* Until a barrier or the end. False: an access outside. */
static bool run_thread(struct run *run, struct thread *t) {
    const struct op *ops = run->kernel->ops;
    uint64_t *r = t->r, executed = 0;
    uint32_t pc = t->pc;
    bool inside = true;
    for (;;) {
        const struct op *o = &ops[pc++];
        executed++;
        if (o->guard != NO_GUARD && !r[o->guard] != o->negated) {
            /* a branch not taken is executed, too */
            if (o->code != OP_BRANCH) executed--;
            continue;
        }
        uint64_t a = r[o->a], b = r[o->b], c = r[o->c];
        switch ((enum op_code)o->code) {
#define X(name, form, value)                                                   \
    case OP_##name: r[o->d] = (value); break;
            ALU_FORMS(X)
#undef X
#define X(name, form, type, shared, action)                                    \
    case OP_##name: {                                                          \
        type *at = locate(run, shared, b + (uint64_t)o->offset, sizeof(type)); \
        if (!at) goto outside;                                                 \
        uint64_t d = r[o->d];                                                  \
        action;                                                                \
        r[o->d] = d;                                                           \
        break;                                                                 \
    }
            MEMORY_FORMS(X)
#undef X
        case OP_PARAM_32: {
            uint32_t v;
            memcpy(&v, run->params + o->offset, sizeof v);
            r[o->d] = v;
            break;
        }
        case OP_PARAM_64: memcpy(&r[o->d], run->params + o->offset, 8); break;
        case OP_BRANCH: pc = o->target; break;
        case OP_BARRIER: goto stop;
        default: /* OP_RETURN */ t->ended = true; goto stop;
        }
    }
outside:
    inside = false;
stop:
    (void)0;
    t->pc = pc;
    run->executed += executed;
    return inside;
}

static bool run_block(struct run *run, struct thread *threads, uint32_t n,
                      uint32_t block, uint32_t n_blocks) {
    const struct scalar_kernel *k = run->kernel;
    for (uint32_t t = 0; t < n; t++) {
        uint64_t *r = threads[t].r;
        threads[t].pc = 0;
        threads[t].ended = false;
        memcpy(r, k->first_values, k->n_registers * sizeof *r);
        r += k->first_special;
        r[TID_X] = t, r[CTAID_X] = block, r[NTID_X] = n, r[NCTAID_X] = n_blocks;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t t = 0; t < n; t++) {
            if (threads[t].ended) continue;
            if (!run_thread(run, &threads[t])) return false;
            again |= !threads[t].ended;
        }
    }
    return true;
}

bool scalar_run(const struct scalar_kernel *k, uint32_t blocks,
                uint32_t threads, const void *params,
                const struct scalar_buffer *buffers, size_t n_buffers,
                uint64_t *executed) {
    struct run run = {k, params, buffers, n_buffers, NULL, 0};
    struct thread *t = calloc(threads, sizeof *t);
    uint64_t *r = calloc((size_t)threads * k->n_registers, sizeof *r);
    run.shared = calloc(k->shared_bytes + 8, 1);
    bool ok = t && r && run.shared;
    for (uint32_t n = 0; ok && n < threads; n++)
        t[n].r = r + (size_t)n * k->n_registers;
    for (uint32_t b = 0; ok && b < blocks; b++)
        ok = run_block(&run, t, threads, b, blocks);
    free(run.shared);
    free(r);
    free(t);
    *executed += run.executed;
    return ok;
}
