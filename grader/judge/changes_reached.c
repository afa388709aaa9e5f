/* SPDX-License-Identifier: MIT
 *
 * changes_reached.c: which lines a call of a function may run.
 */
#include <stdlib.h>

#include "c_statements.h"
#include "changes.h"

struct reaching {
    struct c_tokens tokens;
    struct c_statements statements;
    bool *is_reached; /* of each statement that is a function */
};

/* The function's name: before its parameters. */
static size_t called_name(const struct reaching *r,
                          const struct c_statement *s) {
    size_t k = s->first;
    while (k < s->end && !c_token_is(&r->tokens.list[k], "(")) k++;
    /* __launch_bounds__(128) name(...) */
    for (size_t i = k; i + 1 < s->end; i++)
        if (c_token_is(&r->tokens.list[i], ")") &&
            r->tokens.list[i + 1].kind == C_NAME)
            k = i + 2;
    return k > s->first ? k - 1 : k;
}

/* All functions that are called as this token is; true: one is new. */
static bool reach_named(struct reaching *r, const struct c_token *name) {
    bool new = false;
    for (size_t i = 0; i < r->statements.n; i++) {
        const struct c_statement *s = &r->statements.list[i];
        if (s->kind != C_FUNCTION || r->is_reached[i] ||
            !c_token_same(&r->tokens.list[called_name(r, s)], name))
            continue;
        r->is_reached[i] = new = true;
    }
    return new;
}

static bool reach_once(struct reaching *r) {
    bool new = false;
    for (size_t i = 0; i < r->statements.n; i++) {
        const struct c_statement *s = &r->statements.list[i];
        int32_t function = c_function_of(&r->statements, (int32_t)i);
        if (function < 0 || !r->is_reached[function]) continue;
        for (size_t k = s->first; k < s->end; k++)
            if (r->tokens.list[k].kind == C_NAME)
                new |= reach_named(r, &r->tokens.list[k]);
    }
    return new;
}

static bool *reached_lines(const struct reaching *r, size_t *n) {
    enum { MOST = 1 << 20 };
    unsigned last = r->tokens.n ? r->tokens.list[r->tokens.n - 1].line : 0;
    bool *lines = last < MOST ? calloc(last + (size_t)2, sizeof *lines) : NULL;
    *n = lines ? last + (size_t)1 : 0;
    for (size_t i = 0; lines && i < r->statements.n; i++) {
        const struct c_statement *s = &r->statements.list[i];
        int32_t function = c_function_of(&r->statements, (int32_t)i);
        if (function < 0 || !r->is_reached[function] || s->first >= s->end)
            continue;
        for (unsigned line = r->tokens.list[s->first].line;
             line <= r->tokens.list[s->end - 1].line; line++)
            lines[line] = true;
    }
    return lines;
}

bool *changes_reached(const char *text, const char *entry, size_t *n) {
    enum { MOST = 64 };
    struct reaching r = {0};
    struct c_token name = {.at = entry, .kind = C_NAME};
    bool *lines = NULL;
    while (entry[name.size]) name.size++;
    *n = 0;
    if (c_tokens_read(text, &r.tokens) &&
        c_statements_read(&r.tokens, &r.statements)) {
        r.is_reached = calloc(r.statements.n + 1, sizeof *r.is_reached);
        if (r.is_reached && reach_named(&r, &name)) {
            for (int k = 0; k < MOST && reach_once(&r); k++) continue;
            lines = reached_lines(&r, n);
        }
    }
    free(r.is_reached);
    c_statements_free(&r.statements);
    c_tokens_free(&r.tokens);
    return lines;
}
