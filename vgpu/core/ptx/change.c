/* SPDX-License-Identifier: MIT
 *
 * change.c: see change.h.
 */
#include "change.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"

static void *change_take(struct ptx_module *m, size_t bytes) {
    struct ptx_storage *s = m->arena;
    return ptx_arena_take(&s->arena, bytes);
}

bool ptx_set_form(struct ptx_module *m, struct ptx_insn *i, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *kept = change_take(m, bytes);
    struct ptx_form *form = change_take(m, sizeof *form);
    if (!kept || !form) return false;
    memcpy(kept, text, bytes);
    if (!ptx_read_form(kept, form)) return false;
    i->op = form->op;
    i->form = kept;
    i->typed = form;
    return true;
}

bool ptx_has_lists(const struct ptx_function *f) {
    for (uint32_t k = 0; k < f->n_insns; k++)
        if (f->insns[k].op == PTX_OP_brx) return true;
    return false;
}

/* where[k]: the new number of instruction k, or of the first of those before
 * it. */
static void move_targets(struct ptx_operand *o, uint32_t n,
                         const uint32_t *where) {
    for (uint32_t k = 0; k < n; k++) {
        if (o[k].kind == PTX_LABEL) o[k].target = where[o[k].target];
        if (o[k].n_items) move_targets(o[k].items, o[k].n_items, where);
    }
}

static uint32_t number_anew(const struct ptx_function *f,
                            const struct ptx_around *around, uint32_t *where) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->n_insns; k++) {
        where[k] = at;
        at += 1u + (around[k].before != NULL) + (around[k].behind != NULL);
    }
    where[f->n_insns] = at;
    return at;
}

static struct ptx_insn *change_copy(struct ptx_insn *to,
                                    const struct ptx_insn *new,
                                    const struct ptx_insn *beside) {
    *to = *new;
    to->loc = beside->loc;
    to->ptx_line = beside->ptx_line;
    return to + 1;
}

bool ptx_insert(struct ptx_module *m, struct ptx_function *f,
                const struct ptx_around *around) {
    uint32_t *where = calloc(f->n_insns + (size_t)1, sizeof *where);
    if (!where) return false;
    uint32_t n = number_anew(f, around, where);
    struct ptx_insn *all = change_take(m, n * sizeof *all + 1), *to = all;
    for (uint32_t k = 0; all && k < f->n_insns; k++) {
        const struct ptx_insn *i = &f->insns[k];
        if (around[k].before) to = change_copy(to, around[k].before, i);
        *to = *i;
        move_targets(to->operands, to->n_operands, where);
        to++;
        if (around[k].behind) to = change_copy(to, around[k].behind, i);
    }
    free(where);
    if (!all) return false;
    f->insns = all;
    f->n_insns = n;
    return true;
}
