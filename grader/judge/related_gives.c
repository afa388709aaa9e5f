/* SPDX-License-Identifier: MIT
 *
 * related_gives.c: see related_parts.h.
 */
#include <string.h>

#include "related_parts.h"

const struct c_token *related_token(const struct looking *l, size_t k) {
    return &l->file->tokens.list[k];
}

bool related_is(const struct looking *l, size_t k, const char *text) {
    return k < l->file->tokens.n && c_token_is(related_token(l, k), text);
}

/* The definition of the function that a token names; -1: none here. */
int32_t related_definition(const struct looking *l,
                           const struct c_token *name) {
    const struct related_file *f = l->file;
    for (size_t i = 0; i < f->n_functions; i++)
        if (c_token_same(related_token(l, f->functions[i].name), name))
            return f->functions[i].statement;
    return -1;
}

bool related_assigns(const struct looking *l, size_t k) {
    static const char *const signs[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (related_is(l, k, signs[i])) return true;
    return false;
}

static size_t behind_one_index(const struct looking *l, size_t k, size_t end) {
    int open = 0;
    for (; k < end; k++) {
        open += related_is(l, k, "[") - related_is(l, k, "]");
        if (!open) return k + 1;
    }
    return end;
}

/* x[row][k], x[row].item[k] */
size_t related_behind_index(const struct looking *l, size_t k, size_t end) {
    while (k < end && related_is(l, k, "[")) {
        k = behind_one_index(l, k, end);
        while (k + 1 < end && (related_is(l, k, ".") || related_is(l, k, "->")))
            k += 2;
    }
    return k;
}

/* Does the name at k get a value there? Its address, too, is handed on for
 * that. */
static bool is_given(const struct looking *l, size_t k, size_t end) {
    size_t behind = related_behind_index(l, k + 1, end);
    bool taken = k > 1 && related_is(l, k - 1, "&") &&
                 (related_is(l, k - 2, "(") || related_is(l, k - 2, ",") ||
                  related_is(l, k - 2, ")"));
    return related_assigns(l, behind) || related_is(l, behind, "++") ||
           related_is(l, behind, "--") ||
           (k && (related_is(l, k - 1, "++") || related_is(l, k - 1, "--"))) ||
           taken;
}

bool related_begins(const struct c_token *t, const char *word) {
    return t->kind == C_NAME && t->size >= strlen(word) &&
           memcmp(t->at, word, strlen(word)) == 0;
}

/* What a call of the runtime returns decides about no value. */
static bool is_status(const struct looking *l, size_t k) {
    return related_is(l, k + 1, "=") && k + 2 < l->file->tokens.n &&
           related_begins(related_token(l, k + 2), "cuda");
}

/* A call whose result nobody takes is there for what it does: it may set what
 * it is given. So does a launch, and a copy. */
static bool is_for_effect(const struct looking *l,
                          const struct c_statement *s) {
    static const char *const copies[] = {"cudaMemcpy", "cudaMemset"};
    bool called = s->kind == C_PLAIN &&
                  related_token(l, s->first)->kind == C_NAME &&
                  (related_is(l, s->first + 1, "(") ||
                   related_is(l, s->first + 1, "<<<") ||
                   related_is(l, s->first + 1, "<"));
    for (size_t k = s->first; k < s->end && !called; k++)
        for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
            called |= related_begins(related_token(l, k), copies[i]);
    return called;
}

static bool hands_on(const struct looking *l, const struct c_statement *s,
                     const struct c_token *name) {
    if (!is_for_effect(l, s)) return false;
    for (size_t k = s->first + 1; k + 1 < s->end; k++)
        if (related_token(l, k)->kind == C_NAME &&
            c_token_same(related_token(l, k), name) &&
            (related_is(l, k - 1, "(") || related_is(l, k - 1, ",") ||
             related_is(l, k - 1, "&")) &&
            (related_is(l, k + 1, ",") || related_is(l, k + 1, ")") ||
             related_is(l, k + 1, "+")))
            return true;
    return false;
}

bool related_gives(const struct looking *l, const struct c_statement *s,
                   const struct c_token *name) {
    if (hands_on(l, s, name)) return true;
    for (size_t k = s->first; k < s->end; k++)
        if (related_token(l, k)->kind == C_NAME &&
            c_token_same(related_token(l, k), name) &&
            !related_is(l, k + 1, "(") && is_given(l, k, s->end) &&
            !is_status(l, k))
            return true;
    return false;
}
