/* SPDX-License-Identifier: MIT
 *
 * access_line.c: an access stands in one line and its address may be computed
 * in another: in a function that is called there and that the compiler has
 * inlined. Going back from the address through the instructions that made it,
 * the first one from such a function is the line that says which element it is.
 * Registers that several instructions write are not followed. A load that was
 * moved out of its statement stands in the line that uses what it has loaded.
 * Only what stands near is looked at: a program may be long, and findings many.
 */
#include <string.h>

#include "program.h"

enum {
    MOST_REGISTERS = 32, /* that are followed */
    AROUND = 2048        /* instructions that are looked at on each side */
};

struct search {
    const struct ptx_module *ptx;
    const struct ptx_insn *first, *end; /* that are looked at */
    struct vgpu_source access;
    int32_t registers[MOST_REGISTERS];
    uint32_t n;
};

static const struct ptx_function *function_of(const struct ptx_module *m,
                                              const struct ptx_insn *i) {
    for (uint32_t k = 0; k < m->n_functions; k++) {
        const struct ptx_function *f = &m->functions[k];
        if (f->insns && i >= f->insns && i < f->insns + f->n_insns) return f;
    }
    return m->linked ? function_of(m->linked, i) : NULL;
}

static void follow(struct search *s, const struct ptx_operand *o) {
    bool has = o->kind == PTX_REGISTER || o->kind == PTX_ADDRESS;
    if (!has || o->reg < 0 || s->n == MOST_REGISTERS) return;
    for (uint32_t k = 0; k < s->n; k++)
        if (s->registers[k] == o->reg) return;
    s->registers[s->n++] = o->reg;
}

/* The only instruction that writes the register; NULL: none, or several. */
static const struct ptx_insn *maker_of(const struct search *s, int32_t reg) {
    const struct ptx_insn *only = NULL;
    for (const struct ptx_insn *i = s->first; i < s->end; i++) {
        if (!i->n_operands || i->operands[0].kind != PTX_REGISTER ||
            i->operands[0].reg != reg || !program_writes_first(i))
            continue;
        if (only) return NULL;
        only = i;
    }
    return only;
}

static bool is_called_there(const struct search *s,
                            const struct vgpu_source *at) {
    return at->file && s->access.file && at->line != s->access.line &&
           at->called == s->access.line &&
           strcmp(at->file, s->access.file) == 0;
}

/* Does it read the register? */
static bool reads(const struct ptx_insn *i, int32_t reg) {
    if (i->guard == reg) return true;
    for (uint32_t k = program_writes_first(i) ? 1 : 0; k < i->n_operands; k++) {
        const struct ptx_operand *o = &i->operands[k];
        if ((o->kind == PTX_REGISTER || o->kind == PTX_ADDRESS) &&
            o->reg == reg)
            return true;
    }
    return i->n_operands && i->operands[0].kind == PTX_ADDRESS &&
           i->operands[0].reg == reg;
}

static bool writes(const struct ptx_insn *i, int32_t reg) {
    return i->n_operands && program_writes_first(i) &&
           i->operands[0].kind == PTX_REGISTER && i->operands[0].reg == reg;
}

/* The first instruction that uses the register, on the way on from here, of
 * which no conditional jump leads off; NULL: none is near. *jump: the first
 * conditional jump on the way; NULL: there is none. */
static const struct ptx_insn *first_use(const struct search *s,
                                        const struct ptx_function *f,
                                        int32_t reg, const struct ptx_insn *at,
                                        const struct ptx_insn **jump) {
    enum { FAR = 256 };
    *jump = NULL;
    for (int k = 0; k < FAR && at >= s->first && at < s->end; k++) {
        if (reads(at, reg)) return at;
        if (writes(at, reg) || (at->op == PTX_OP_ret && at->guard < 0))
            return NULL;
        bool jumps = at->op == PTX_OP_bra && at->n_operands &&
                     at->operands[0].kind == PTX_LABEL;
        if (jumps && at->guard >= 0 && !*jump) *jump = at;
        at =
            jumps && at->guard < 0 ? f->insns + at->operands[0].target : at + 1;
    }
    return NULL;
}

/* Statements of both branches stand one behind the other where the compiler
 * chooses between their results. */
static bool is_used_beside(const struct search *s, const struct ptx_insn *user,
                           int32_t reg) {
    enum { NEAR = 8 };
    uint32_t line = program_source(s->ptx, user->loc).line;
    for (const struct ptx_insn *i = user + 1; i < s->end && i <= user + NEAR;
         i++) {
        if (writes(i, reg)) return false;
        if (reads(i, reg) && program_source(s->ptx, i->loc).line != line)
            return true;
    }
    return false;
}

/* The compiler takes the line from a load that it moves. The load belongs to
 * the first statement that uses the loaded value. NULL: no use is near, or two
 * statements use it, one in each branch. */
static const struct ptx_insn *user_of(const struct search *s,
                                      const struct ptx_function *f,
                                      const struct ptx_insn *load) {
    int32_t reg = load->operands[0].reg;
    const struct ptx_insn *jump, *unused;
    const struct ptx_insn *user = first_use(s, f, reg, load + 1, &jump);
    if (!user || program_source(s->ptx, user->loc).is_merged ||
        is_used_beside(s, user, reg))
        return NULL;
    const struct ptx_insn *other =
        jump
            ? first_use(s, f, reg, f->insns + jump->operands[0].target, &unused)
            : NULL;
    if (!other) return user;
    struct vgpu_source here = program_source(s->ptx, user->loc),
                       there = program_source(s->ptx, other->loc);
    return !there.is_merged && here.line == there.line ? user : NULL;
}

static void find_user(struct search *s, const struct ptx_function *f,
                      const struct ptx_insn *i) {
    bool loads = i->op == PTX_OP_ld && i->n_operands &&
                 i->operands[0].kind == PTX_REGISTER;
    const struct ptx_insn *user =
        s->access.is_merged && loads ? user_of(s, f, i) : NULL;
    if (user) s->access = program_source(s->ptx, user->loc);
}

struct vgpu_source program_access(const struct ptx_module *m,
                                  const struct ptx_insn *i) {
    struct search s = {.ptx = m, .access = program_source(m, i->loc)};
    const struct ptx_function *f = function_of(m, i);
    if (!f) return s.access;
    s.first = i - f->insns > AROUND ? i - AROUND : f->insns;
    s.end = f->insns + f->n_insns;
    if (s.end - i > AROUND) s.end = i + AROUND;
    find_user(&s, f, i);
    for (uint32_t k = 0; k < i->n_operands; k++)
        if (i->operands[k].kind == PTX_ADDRESS) follow(&s, &i->operands[k]);
    for (uint32_t k = 0; k < s.n && !s.access.index; k++) {
        const struct ptx_insn *by = maker_of(&s, s.registers[k]);
        if (!by) continue;
        struct vgpu_source at = program_source(m, by->loc);
        if (is_called_there(&s, &at)) s.access.index = at.line;
        for (uint32_t j = 1; j < by->n_operands; j++)
            follow(&s, &by->operands[j]);
    }
    return s.access;
}
