/* SPDX-License-Identifier: MIT
 *
 * suspects_grid.c: see suspects_parts.h. Which statements of the host make what
 * stands between <<< and >>>: they set a variable that is named there, or one
 * that such a statement names, hand on its address, or return it from a
 * function that is called for it.
 */
#include <stdlib.h>

#include "suspects_parts.h"

enum { NAMES = 128, ROUNDS = 4 };

struct wanted {
    size_t token;
    int32_t function; /* in which the name is meant; -1: outside of all */
};
struct making {
    struct suspects_walk *w;
    bool *marks; /* of each statement: it makes one of them */
    struct wanted names[NAMES];
    size_t n;
};

static void want(struct making *m, size_t token, int32_t function) {
    for (size_t i = 0; i < m->n; i++)
        if (m->names[i].function == function &&
            c_token_same(related_token(&m->w->l, m->names[i].token),
                         related_token(&m->w->l, token)))
            return;
    if (m->n < NAMES) m->names[m->n++] = (struct wanted){token, function};
}

static bool grid_of_host(const struct suspects_walk *w, int32_t function) {
    const struct c_statement *s =
        function >= 0 ? suspects_at(w, (size_t)function) : NULL;
    for (size_t k = s ? s->first : 0; s && k < s->end; k++)
        if (related_is(&w->l, k, "__global__") ||
            related_is(&w->l, k, "__device__"))
            return false;
    return s != NULL;
}

/* The name that ends before token k: x, x[], x[N]; 0: none. */
static size_t name_before(const struct suspects_walk *w, size_t k) {
    enum { FAR = 8 };
    size_t back = 0;
    if (related_is(&w->l, k - 1, "]"))
        while (back < FAR && !related_is(&w->l, k - 1 - back, "[")) back++;
    k -= back ? back + 2 : 1;
    return related_token(&w->l, k)->kind == C_NAME ? k : 0;
}

static bool points(const struct suspects_walk *w, size_t parameter) {
    return related_is(&w->l, parameter - 1, "*") ||
           related_is(&w->l, parameter - 1, "&") ||
           related_is(&w->l, parameter + 1, "[");
}

/* The name of a function's parameter number `which`, from 0; 0: none. */
static size_t parameter(const struct suspects_walk *w, int32_t function,
                        size_t which) {
    const struct c_statement *s = suspects_at(w, (size_t)function);
    size_t k = s->first, n = 0;
    int open = 0;
    while (k < s->end && !related_is(&w->l, k, "(")) k++;
    for (; k < s->end; k++) {
        open += related_is(&w->l, k, "(") - related_is(&w->l, k, ")");
        bool ends = open == 0 || (open == 1 && related_is(&w->l, k, ","));
        if (ends && n++ == which) return name_before(w, k);
        if (open == 0) return 0;
    }
    return 0;
}

/* What the function gives back is wanted. */
static void want_result(struct making *m, int32_t function);

/* All names of tokens [first, end); of a call, what it returns. */
static void want_all(struct making *m, size_t first, size_t end,
                     int32_t function) {
    const struct looking *l = &m->w->l;
    for (size_t k = first; k < end; k++) {
        if (related_token(l, k)->kind != C_NAME) continue;
        int32_t of = related_is(l, k + 1, "(")
                         ? related_definition(l, related_token(l, k))
                         : -1;
        if (of >= 0)
            want_result(m, of);
        else if (!related_is(l, k + 1, "("))
            want(m, k, function);
    }
}

static void want_result(struct making *m, int32_t function) {
    const struct c_statements *s = &m->w->ask->file->statements;
    for (size_t i = (size_t)function + 1; i < s->n; i++) {
        if (c_function_of(s, (int32_t)i) != function) return;
        if (!related_is(&m->w->l, s->list[i].first, "return") || m->marks[i])
            continue;
        m->marks[i] = true;
        want_all(m, s->list[i].first + 1, s->list[i].end, function);
    }
}

/* f(n, &blocks), f(array): the function sets it. Is it handed on so? */
static bool follow_address(struct making *m, const struct c_statement *s,
                           const struct c_token *name) {
    const struct looking *l = &m->w->l;
    int32_t of = -1;
    size_t which = 0;
    bool taken = false;
    for (size_t k = s->first; k + 1 < s->end; k++) {
        if (related_token(l, k)->kind == C_NAME && related_is(l, k + 1, "(")) {
            of = related_definition(l, related_token(l, k));
            which = 0;
        }
        which += related_is(l, k, ",");
        bool address = related_is(l, k, "&"), ends;
        size_t at = k + address;
        ends = related_is(l, at + 1, ",") || related_is(l, at + 1, ")");
        if (of < 0 || !ends || !c_token_same(related_token(l, at), name) ||
            (!address && !related_is(l, k - 1, "(") &&
             !related_is(l, k - 1, ",")))
            continue;
        size_t own = parameter(m->w, of, which);
        if (!own || !points(m->w, own)) continue;
        taken = true;
        want(m, own, of);
    }
    return taken;
}

/* Behind the sign that gives the variable its value. */
static size_t behind_sign(const struct looking *l, const struct c_statement *s,
                          const struct c_token *name) {
    for (size_t k = s->first; k + 1 < s->end; k++) {
        size_t behind = related_behind_index(l, k + 1, s->end);
        if (c_token_same(related_token(l, k), name) &&
            related_assigns(l, behind))
            return behind + 1;
    }
    return s->end;
}

static void look_for(struct making *m, struct wanted name) {
    const struct c_statements *all = &m->w->ask->file->statements;
    const struct looking *l = &m->w->l;
    const struct c_token *token = related_token(l, name.token);
    for (size_t i = 0; i < all->n; i++) {
        const struct c_statement *s = &all->list[i];
        int32_t function = c_function_of(all, (int32_t)i);
        if (s->kind == C_FUNCTION || s->kind == C_OUTSIDE ||
            function != name.function ||
            related_does(m->w->ask->file, s, RELATED_LAUNCHES))
            continue;
        bool taken = follow_address(m, s, token);
        if (!taken && !related_gives(l, s, token)) continue;
        if (m->marks[i]) continue;
        m->marks[i] = true;
        if (!taken) want_all(m, behind_sign(l, s, token), s->end, function);
    }
}

static int32_t launching(const struct suspects_walk *w, size_t token) {
    const struct related_file *f = w->ask->file;
    int32_t s =
        c_statement_at(&f->tokens, &f->statements, f->tokens.list[token].line);
    return s < 0 ? -1 : c_function_of(&f->statements, s);
}

static void follow_all(struct making *m) {
    size_t done = 0;
    for (int round = 0; round < ROUNDS && done < m->n; round++)
        for (size_t end = m->n; done < end; done++)
            if (grid_of_host(m->w, m->names[done].function))
                look_for(m, m->names[done]);
}

/* What is handed to launches is made in other functions, too. */
static void find_deep(struct making *m) {
    struct suspects_walk *w = m->w;
    int32_t from[SUSPECTS_GRID];
    m->marks = w->of_args;
    m->n = 0;
    for (size_t i = 0; i < w->n_handed; i++) {
        from[i] = launching(w, w->handed[i]);
        want(m, w->handed[i], from[i]);
    }
    follow_all(m);
    for (size_t k = 0; k < w->ask->file->statements.n; k++)
        for (size_t i = 0; i < w->n_handed && w->of_args[k]; i++)
            if (suspects_head(w, k) == from[i]) w->of_args[k] = false;
}

void suspects_find_grid(struct suspects_walk *w) {
    const struct c_tokens *t = &w->ask->file->tokens;
    struct making *m = calloc(1, sizeof *m);
    size_t from = 0;
    bool behind = false;
    if (!m) return;
    m->w = w;
    m->marks = w->of_grid;
    for (size_t k = 0; k < t->n; k++) {
        if (c_token_is(&t->list[k], "<<<")) from = k + 1;
        if (from && c_token_is(&t->list[k], ">>>")) {
            want_all(m, from, k, launching(w, k));
            from = 0;
            behind = true;
        }
        if (c_token_is(&t->list[k], ";")) behind = false;
        if (behind && t->list[k].kind == C_NAME && w->n_handed < SUSPECTS_GRID)
            w->handed[w->n_handed++] = k;
    }
    follow_all(m);
    find_deep(m);
    free(m);
}
