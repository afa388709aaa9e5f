/* SPDX-License-Identifier: MIT
 *
 * module_shared.c: see module_shared.h.
 */
#include <stdlib.h>
#include <string.h>

#include "module_shared.h"

enum { SHARED_ALIGN = 128, MOST_SHARED = 1 << 28 };

/* ---- variables that a device function declares ---- */

static uint64_t own_shared(const struct function *f) {
    uint64_t end = 0;
    for (uint32_t k = 0; k < f->ptx->n_variables; k++) {
        const struct ptx_variable *v = &f->ptx->variables[k];
        uint64_t align = v->align ? v->align : 1;
        if (v->space != PTX_SHARED) continue;
        end = (end + align - 1) / align * align + v->bytes;
    }
    return end;
}

static struct function *function_named(struct program *p, const char *name) {
    for (uint32_t k = 0; k < p->n_functions && name; k++)
        if (p->functions[k].ptx->name == name) return &p->functions[k];
    return NULL;
}

/* Who calls a function names it, or calls what a register holds, which may be
 * any. */
struct reached {
    bool *seen; /* by function */
    struct function **list;
    uint32_t n;
    bool any;
};

static void module_reach(struct program *p, struct reached *r,
                         const struct ptx_operand *o) {
    for (uint32_t k = 0; k < o->n_items; k++) module_reach(p, r, &o->items[k]);
    struct function *f = function_named(p, o->symbol);
    if (!f || r->seen[f - p->functions]) return;
    r->seen[f - p->functions] = true;
    r->list[r->n++] = f;
}

static bool calls_register(const struct ptx_insn *i) {
    if (i->op != PTX_OP_call) return false;
    for (uint32_t o = 0; o < i->n_operands; o++)
        if (i->operands[o].kind == PTX_REGISTER) return true;
    return false;
}

/* Does the kernel reach a function that declares shared variables? */
static bool reaches_shared(struct program *p, struct function *kernel,
                           struct reached *r) {
    memset(r->seen, 0, p->n_functions * sizeof *r->seen);
    r->list[0] = kernel;
    r->n = 1;
    for (uint32_t k = 0; k < r->n; k++) {
        const struct ptx_function *f = r->list[k]->ptx;
        if (k && own_shared(r->list[k])) return true;
        for (uint32_t i = 0; i < f->n_insns; i++) {
            const struct ptx_insn *insn = &f->insns[i];
            if (program_is_late(p, p->n_functions)) return true;
            if (calls_register(insn)) return true;
            for (uint32_t o = 0; o < insn->n_operands; o++)
                module_reach(p, r, &insn->operands[o]);
        }
    }
    return false;
}

/* A device function has its variables at one place for every caller, behind
 * those of the module; a kernel that may call one has its own behind them. */
static void place_behind_common(struct program *p) {
    uint64_t end = p->shared_bytes;
    struct reached r = {.seen = calloc(p->n_functions + 1, sizeof *r.seen),
                        .list = calloc(p->n_functions + 1, sizeof *r.list)};
    for (uint32_t k = 0; k < p->n_functions; k++) {
        struct function *f = &p->functions[k];
        f->shared_at = p->shared_bytes;
        uint64_t bytes = f->ptx->is_entry ? 0 : own_shared(f);
        if (!bytes) continue;
        end = (end + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
        f->shared_at = end < MOST_SHARED ? (uint32_t)end : MOST_SHARED;
        end = f->shared_at + bytes;
    }
    if (end > MOST_SHARED) end = MOST_SHARED;
    for (uint32_t k = 0; k < p->n_functions && end > p->shared_bytes; k++) {
        struct function *f = &p->functions[k];
        bool may_call = !r.seen || !r.list || reaches_shared(p, f, &r);
        if (f->ptx->is_entry && may_call) f->shared_at = (uint32_t)end;
    }
    free(r.seen);
    free(r.list);
}

/* The shared variable of module scope that the operand or one within it names.
 */
static void note_user(struct program *p, const struct ptx_operand *o,
                      struct symbol *shared, struct function *f) {
    for (uint32_t k = 0; k < o->n_items; k++)
        note_user(p, &o->items[k], shared, f);
    struct symbol *end = p->symbols + p->n_symbols;
    for (struct symbol *s = o->symbol ? shared : end; s < end; s++) {
        if (s->name != o->symbol) continue;
        if (!s->kernel && f->ptx->is_entry) s->kernel = f;
        if (s->kernel != f) s->is_common = true;
        return;
    }
}

/* A shared variable belongs to the kernel that names it, if only one does. */
static void find_users(struct program *p, struct symbol *shared) {
    uint64_t each = (uint64_t)(p->symbols + p->n_symbols - shared);
    for (uint32_t k = 0; k < p->n_functions && each; k++) {
        struct function *f = &p->functions[k];
        for (uint32_t i = 0; i < f->ptx->n_insns; i++) {
            const struct ptx_insn *insn = &f->ptx->insns[i];
            if (program_is_late(p, each)) return;
            for (uint32_t o = 0; o < insn->n_operands; o++)
                note_user(p, &insn->operands[o], shared, f);
        }
    }
}

static void place_symbol(struct symbol *s, uint64_t align, uint32_t *end) {
    uint64_t at = (*end + align - 1) / align * align;
    s->address = at;
    *end =
        at + s->bytes < MOST_SHARED ? (uint32_t)(at + s->bytes) : MOST_SHARED;
}

/* ---- variables of module scope ---- */

/* Shared variables of module scope: one layout for all kernels, so that a
 * device function has them at the same place for every caller. Behind it lie
 * those that a single kernel names: nvcc -rdc=true puts kernels' own variables
 * there, too, and no other kernel has them. */
void module_place_shared(struct program *p) {
    const struct ptx_module *m = p->ptx;
    struct symbol *shared = p->symbols + p->n_symbols;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const struct ptx_variable *v = &m->variables[k];
        if (v->space == PTX_SHARED && !v->is_extern && v->bytes)
            p->symbols[p->n_symbols++] = (struct symbol){
                .name = v->name, .space = v->space, .bytes = v->bytes};
    }
    find_users(p, shared);
    for (int own = 0; own < 2; own++) {
        struct symbol *s = shared;
        if (own) place_behind_common(p);
        for (uint32_t k = 0; k < m->n_variables; k++) {
            const struct ptx_variable *v = &m->variables[k];
            if (v->space != PTX_SHARED || v->is_extern || !v->bytes) continue;
            bool is_own = s->kernel && !s->is_common;
            if (is_own == own)
                place_symbol(s, v->align ? v->align : 1,
                             own ? &s->kernel->shared_at : &p->shared_bytes);
            s++;
        }
    }
}
