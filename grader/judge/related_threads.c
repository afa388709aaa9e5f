/* SPDX-License-Identifier: MIT
 *
 * related_threads.c: see related_threads.h.
 */
#include "related_threads.h"

#include <stdlib.h>

#include "related_parts.h"

static const struct c_statement *statement(const struct looking *l, int32_t k) {
    return &l->file->statements.list[k];
}

static bool names_thread(const struct looking *l, const struct c_statement *s) {
    for (size_t k = s->first; k < s->end; k++)
        if (related_is(l, k, "threadIdx")) return true;
    return false;
}

/* Is one of its names made of the thread's number, in this function? */
static bool is_of_thread(const struct looking *l, int32_t function,
                         const struct c_statement *s) {
    const struct c_statements *all = &l->file->statements;
    size_t names = 0;
    if (names_thread(l, s)) return true;
    for (size_t k = s->first; k < s->end && names < RELATED_NAMES; k++) {
        if (related_token(l, k)->kind != C_NAME) continue;
        names++;
        for (int32_t i = function + 1; (size_t)i < all->n; i++) {
            if (c_function_of(all, i) != function) break;
            if (names_thread(l, statement(l, i)) &&
                statement(l, i)->kind == C_PLAIN &&
                related_gives(l, statement(l, i), related_token(l, k)))
                return true;
        }
    }
    return false;
}

unsigned related_parts_threads(const char *text, unsigned line) {
    struct related_file *f = calloc(1, sizeof *f);
    struct looking l = {.file = f};
    unsigned found = 0;
    if (!f || !related_open(text, f)) {
        free(f);
        return 0;
    }
    int32_t k = c_statement_at(&f->tokens, &f->statements, line);
    int32_t function = k < 0 ? -1 : c_function_of(&f->statements, k);
    for (; k >= 0 && k != function; k = statement(&l, k)->parent) {
        const struct c_statement *s = statement(&l, k);
        if ((s->kind == C_IF || s->kind == C_LOOP) &&
            is_of_thread(&l, function, s))
            found = related_token(&l, s->first)->line;
    }
    related_close(f);
    free(f);
    return found;
}
