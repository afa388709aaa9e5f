/* SPDX-License-Identifier: MIT
 *
 * link.c: joins modules of several sources into one, as a device linker does.
 *
 * How to read this: names that are visible outside their module are matched. A
 * definition takes the place of a declaration; of several weak definitions the
 * first stays. Names that are visible in one module only stay its own: where
 * two modules have the same one, the newcomer's name gets its module's number
 * behind it, and so do the places that refer to it. What can be referred to
 * has its name in the first module's memory afterwards (ptx.h: equal pointers).
 * The newcomer's memory is kept, the lists are made again.
 */
#include "names.h"

#include <stdio.h>
#include <string.h>

struct linker {
    struct ptx_module *into, *from;
    unsigned unit;
    struct ptx_error *error;
};

static bool fail(struct linker *l, const char *what, const char *name) {
    snprintf(l->error->message, sizeof l->error->message, "%s", what);
    snprintf(l->error->text, sizeof l->error->text, "%s", name);
    return false;
}

static bool no_memory(struct linker *l) {
    return fail(l, "no memory for linking", "");
}

static void *link_take(struct linker *l, size_t n, size_t bytes) {
    struct ptx_storage *s = l->into->arena;
    return ptx_arena_take(&s->arena, n * bytes + 1);
}

static struct ptx_name *known(const struct ptx_module *m, const char *text) {
    const struct ptx_storage *s = m->arena;
    return ptx_name_find(&s->names, text, strlen(text));
}

static bool is_taken(const struct ptx_module *m, const char *text) {
    const struct ptx_name *n = known(m, text);
    return n && (n->variable || n->function);
}

static struct ptx_name *entered(struct linker *l, const char *text) {
    return ptx_name_intern(l->into->arena, text, strlen(text));
}

static bool move_name(struct linker *l, const char **name) {
    const struct ptx_name *n = entered(l, *name);
    if (!n) return no_memory(l);
    *name = n->text;
    return true;
}

/* "table" of module 2: "table@2", a name that no PTX text has. */
static bool number_name(struct linker *l, const char **name) {
    size_t bytes = strlen(*name) + 16;
    char *text = link_take(l, bytes, 1);
    if (!text) return no_memory(l);
    snprintf(text, bytes, "%s@%u", *name, l->unit);
    *name = text;
    return move_name(l, name);
}

/* ---- the newcomer's own names ---- */

static bool name_anew(struct linker *l, const char **name, bool shows) {
    return !shows && is_taken(l->into, *name) ? number_name(l, name)
                                              : move_name(l, name);
}

static bool rename_own(struct linker *l) {
    struct ptx_module *m = l->from;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        struct ptx_variable *v = &m->variables[k];
        bool shows =
            v->is_visible || v->is_weak || v->is_extern || v->is_common;
        if (!name_anew(l, &v->name, shows)) return false;
    }
    for (uint32_t k = 0; k < m->n_functions; k++) {
        struct ptx_function *f = &m->functions[k];
        bool shows = f->is_visible || f->is_weak || f->is_extern ||
                     !f->has_body || f->is_entry;
        if (!name_anew(l, &f->name, shows)) return false;
    }
    for (uint32_t k = 0; k < m->n_target_lists; k++)
        if (!number_name(l, &m->target_lists[k].name)) return false;
    return true;
}

/* What the name, as the newcomer's text has it, is called now. */
static const char *called_now(const struct ptx_module *m, const char *name) {
    const struct ptx_name *n = name ? known(m, name) : NULL;
    if (n && n->variable) return m->variables[n->variable - 1].name;
    if (n && n->function) return m->functions[n->function - 1].name;
    return name;
}

#define LINKING (1u << 31) /* no body's serial is so large */

/* A body's own variables hide the module's of the same name: notes them in the
 * names' owner. */
static void note_locals(struct linker *l, uint32_t function) {
    const struct ptx_function *f = &l->from->functions[function];
    const struct ptx_variable *lists[] = {f->variables, f->params, f->returns};
    const uint32_t n[] = {f->n_variables, f->n_params, f->n_returns};
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < n[k]; i++) {
            struct ptx_name *name = known(l->from, lists[k][i].name);
            if (name) name->owner = LINKING | function;
        }
}

static void rename_operand(struct linker *l, uint32_t function,
                           struct ptx_operand *o) {
    if (o->kind == PTX_VECTOR)
        for (uint32_t k = 0; k < o->n_items; k++)
            rename_operand(l, function, &o->items[k]);
    if ((o->kind != PTX_SYMBOL && o->kind != PTX_ADDRESS) || !o->symbol) return;
    const struct ptx_name *n = known(l->from, o->symbol);
    if (n && n->owner != (LINKING | function))
        o->symbol = called_now(l->from, o->symbol);
}

/* brx.idx and calls name their table with the last operand. */
static bool rename_table(struct linker *l, struct ptx_insn *i) {
    if (!i->n_operands) return true;
    struct ptx_operand *o = &i->operands[i->n_operands - 1];
    const struct ptx_name *n =
        o->kind == PTX_SYMBOL && o->symbol ? known(l->from, o->symbol) : NULL;
    if (!n || !n->is_table || n->variable || n->function) return true;
    return number_name(l, &o->symbol);
}

/* An alias has its function's body: each is done once, and marked by its first
 * instruction's line till all are done. */
#define DONE (1u << 31)

static bool rename_body(struct linker *l, uint32_t function) {
    struct ptx_function *f = &l->from->functions[function];
    if (!f->n_insns || f->insns[0].ptx_line & DONE) return true;
    note_locals(l, function);
    for (uint32_t i = 0; i < f->n_insns; i++) {
        struct ptx_insn *insn = &f->insns[i];
        for (uint32_t o = 0; o < insn->n_operands; o++)
            rename_operand(l, function, &insn->operands[o]);
        if (!rename_table(l, insn)) return false;
        if (insn->loc >= 0) insn->loc += (int32_t)l->into->n_locs;
    }
    f->insns[0].ptx_line |= DONE;
    return true;
}

static bool rename_uses(struct linker *l) {
    struct ptx_module *m = l->from;
    for (uint32_t k = 0; k < m->n_variables; k++)
        for (size_t r = 0; r < m->variables[k].n_relocations; r++) {
            struct ptx_relocation *x = &m->variables[k].relocations[r];
            x->symbol = called_now(m, x->symbol);
        }
    for (uint32_t k = 0; k < m->n_target_lists; k++)
        for (uint32_t t = 0; t < m->target_lists[k].n; t++)
            if (m->target_lists[k].symbols)
                m->target_lists[k].symbols[t] =
                    called_now(m, m->target_lists[k].symbols[t]);
    for (uint32_t k = 0; k < m->n_functions; k++)
        if (!rename_body(l, k)) return false;
    for (uint32_t k = 0; k < m->n_functions; k++)
        if (m->functions[k].n_insns) m->functions[k].insns[0].ptx_line &= ~DONE;
    for (uint32_t k = 0; k < m->n_prototypes; k++)
        if (!number_name(l, &m->prototypes[k].name)) return false;
    for (uint32_t k = 0; k < m->n_locs; k++)
        if (m->locs[k].inlined_at >= 0)
            m->locs[k].inlined_at += (int32_t)l->into->n_locs;
    return true;
}

/* ---- two of one name ---- */

static bool settle_variable(struct linker *l, struct ptx_variable *old,
                            const struct ptx_variable *new) {
    bool same = old->space == new->space;
    if (!same) return fail(l, "a variable is in two state spaces", new->name);
    if (new->is_extern || (new->is_weak && !old->is_extern)) return true;
    if (old->is_extern || old->is_weak)
        *old = *new;
    else if (old->is_common || new->is_common)
        *old = new->bytes > old->bytes || old->is_common ? *new : *old;
    else
        return fail(l, "a variable is defined in two sources", new->name);
    return true;
}

static bool settle_function(struct linker *l, struct ptx_function *old,
                            const struct ptx_function *new) {
    if (!new->has_body || (new->is_weak && old->has_body)) return true;
    if (old->has_body && !old->is_weak)
        return fail(l, "a function is defined in two sources", new->name);
    *old = *new;
    return true;
}

/* ---- one list out of two ---- */

static void *joined(struct linker *l, const void *old, uint32_t n_old,
                    const void *new, uint32_t n_new, size_t bytes) {
    char *list = link_take(l, (size_t)n_old + n_new, bytes);
    if (!list) return NULL;
    if (n_old) memcpy(list, old, n_old * bytes);
    if (new &&n_new) memcpy(list + n_old * bytes, new, n_new * bytes);
    return list;
}

static bool add_variables(struct linker *l) {
    struct ptx_module *a = l->into, *b = l->from;
    a->variables = joined(l, a->variables, a->n_variables, NULL, b->n_variables,
                          sizeof *a->variables);
    if (!a->variables) return no_memory(l);
    for (uint32_t k = 0; k < b->n_variables; k++) {
        const struct ptx_variable *v = &b->variables[k];
        struct ptx_name *n = entered(l, v->name);
        if (!n) return no_memory(l);
        if (n->variable) {
            if (!settle_variable(l, &a->variables[n->variable - 1], v))
                return false;
            continue;
        }
        a->variables[a->n_variables++] = *v;
        n->variable = a->n_variables;
    }
    return true;
}

static bool add_functions(struct linker *l) {
    struct ptx_module *a = l->into, *b = l->from;
    a->functions = joined(l, a->functions, a->n_functions, NULL, b->n_functions,
                          sizeof *a->functions);
    if (!a->functions) return no_memory(l);
    for (uint32_t k = 0; k < b->n_functions; k++) {
        const struct ptx_function *f = &b->functions[k];
        struct ptx_name *n = entered(l, f->name);
        if (!n) return no_memory(l);
        if (n->function) {
            if (!settle_function(l, &a->functions[n->function - 1], f))
                return false;
            continue;
        }
        a->functions[a->n_functions++] = *f;
        n->function = a->n_functions;
    }
    return true;
}

static bool add_rest(struct linker *l) {
    struct ptx_module *a = l->into, *b = l->from;
#define JOIN(list)                                                             \
    a->list = joined(l, a->list, a->n_##list, b->list, b->n_##list,            \
                     sizeof *a->list);                                         \
    if (!a->list) return no_memory(l);                                         \
    a->n_##list += b->n_##list
    JOIN(prototypes);
    JOIN(target_lists);
    JOIN(locs);
#undef JOIN
    return true;
}

bool ptx_link(struct ptx_module *into, struct ptx_module *from, unsigned unit,
              struct ptx_error *error) {
    struct linker l = {into, from, unit, error};
    *error = (struct ptx_error){0};
    if (!rename_own(&l) || !rename_uses(&l) || !add_variables(&l) ||
        !add_functions(&l) || !add_rest(&l))
        return false;
    while (into->linked) into = into->linked;
    into->linked = from;
    return true;
}
