/* SPDX-License-Identifier: MIT
 *
 * related_launches.c: see related.h: where a kernel is launched, which loop
 * that stands in, and what a kernel asks first.
 */
#include <string.h>

#include "related_parts.h"

/* The name in "void a::scan<int>(int *)". */
static struct c_token bare_name(const char *kernel) {
    size_t end = strcspn(kernel, "<("), first = end;
    while (first && kernel[first - 1] != ' ' && kernel[first - 1] != ':')
        first--;
    return (struct c_token){
        .at = kernel + first, .size = (unsigned)(end - first), .kind = C_NAME};
}

static void launches_add(struct looking *l, enum related_kind kind,
                         unsigned line) {
    for (size_t i = 0; i < l->n; i++)
        if (l->to[i].line == line) return;
    if (line && l->n < RELATED_MOST)
        l->to[l->n++] = (struct related){kind, line};
}

/* The name before <<<, behind which the arguments of a template may stand;
 * SIZE_MAX: none. */
static size_t launched_name(const struct looking *l, size_t sign) {
    enum { FAR = 16 };
    int open = 0;
    for (size_t k = sign; k > 0 && k + FAR > sign; k--) {
        const struct c_token *t = related_token(l, k - 1);
        open += c_token_is(t, ">") - c_token_is(t, "<");
        if (open == 0 && !c_token_is(t, "<"))
            return t->kind == C_NAME ? k - 1 : SIZE_MAX;
    }
    return SIZE_MAX;
}

static int32_t statement_of(const struct looking *l, size_t token) {
    return c_statement_at(&l->file->tokens, &l->file->statements,
                          related_token(l, token)->line);
}

static void add_loop(struct looking *l, int32_t of) {
    const struct c_statements *s = &l->file->statements;
    for (int32_t k = of; k >= 0; k = s->list[k].parent)
        if (s->list[k].kind == C_LOOP) {
            launches_add(l, RELATED_CONDITION,
                         related_token(l, s->list[k].first)->line);
            return;
        }
}

/* It is handed on to a function that launches what it is given: who does. */
static void add_handing(struct looking *l, const struct c_token *kernel) {
    const struct c_statements *s = &l->file->statements;
    for (size_t i = 0; i < s->n; i++) {
        const struct c_statement *one = &s->list[i];
        bool calls = false;
        if (one->kind == C_FUNCTION || one->kind == C_OUTSIDE) continue;
        for (size_t k = one->first; k + 1 < one->end; k++)
            calls |= related_token(l, k)->kind == C_NAME &&
                     related_is(l, k + 1, "(");
        if (calls && related_mentions(l, one, kernel))
            launches_add(l, RELATED_CALL, related_token(l, one->first)->line);
    }
}

size_t related_launches(const struct related_file *f, const char *kernel,
                        bool loops, struct related to[RELATED_MOST]) {
    struct looking l = {f, 0, to, 0};
    const struct c_token name = bare_name(kernel);
    size_t other = SIZE_MAX;
    for (size_t k = 1; k < f->tokens.n; k++) {
        bool sign = c_token_is(&f->tokens.list[k], "<<<");
        size_t at = sign ? launched_name(&l, k) : SIZE_MAX;
        if (at == SIZE_MAX) continue;
        if (!c_token_same(related_token(&l, at), &name)) {
            if (related_definition(&l, related_token(&l, at)) < 0) other = at;
            continue;
        }
        launches_add(&l, RELATED_DOES, related_token(&l, at)->line);
        if (loops) add_loop(&l, statement_of(&l, at));
    }
    if (l.n) return l.n;
    if (other != SIZE_MAX) { /* of a parameter */
        launches_add(&l, RELATED_DOES, related_token(&l, other)->line);
        if (loops) add_loop(&l, statement_of(&l, other));
    }
    add_handing(&l, &name);
    return l.n;
}

size_t related_first_ifs(const struct related_file *f, const char *kernel,
                         size_t most, unsigned lines[]) {
    const struct looking l = {.file = f};
    const struct c_token name = bare_name(kernel);
    const struct c_statements *s = &f->statements;
    int32_t function = related_definition(&l, &name);
    size_t n = 0;
    for (size_t i = function < 0 ? s->n : (size_t)function + 1;
         i < s->n && n < most; i++) {
        if (c_function_of(s, (int32_t)i) != function) break;
        if (s->list[i].kind == C_IF && s->list[i].parent == function)
            lines[n++] = related_token(&l, s->list[i].first)->line;
    }
    return n;
}

unsigned related_loop(const struct related_file *f, unsigned line) {
    const struct c_statements *s = &f->statements;
    int32_t k = c_statement_at(&f->tokens, s, line);
    const struct looking l = {.file = f};
    for (; k >= 0; k = s->list[k].parent)
        if (s->list[k].kind == C_LOOP)
            return related_token(&l, s->list[k].first)->line;
    return 0;
}

unsigned related_if(const struct related_file *f, unsigned line) {
    const struct c_statements *s = &f->statements;
    int32_t k = c_statement_at(&f->tokens, s, line);
    int32_t around = k < 0 ? -1 : s->list[k].parent;
    const struct looking l = {.file = f};
    return around >= 0 && s->list[around].kind == C_IF
               ? related_token(&l, s->list[around].first)->line
               : 0;
}

size_t related_own_deeds(const struct related_file *f, const char *function,
                         enum related_deed deed,
                         struct related to[RELATED_MOST]) {
    struct looking l = {f, 0, to, 0};
    const struct c_token name = bare_name(function);
    const struct c_statements *s = &f->statements;
    int32_t head = related_definition(&l, &name);
    for (size_t i = head < 0 ? s->n : (size_t)head + 1; i < s->n; i++) {
        if (c_function_of(s, (int32_t)i) != head) break;
        if (related_does(f, &s->list[i], deed))
            launches_add(&l, RELATED_DOES,
                         related_token(&l, s->list[i].first)->line);
    }
    return l.n;
}
