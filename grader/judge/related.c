/* SPDX-License-Identifier: MIT
 *
 * related.c: see related.h.
 */
#include "related.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "related_parts.h"

static void related_add(struct looking *l, enum related_kind kind,
                        unsigned line) {
    if (!line || line == l->line || l->n == RELATED_MOST) return;
    for (size_t i = 0; i < l->n; i++)
        if (l->to[i].line == line) return;
    l->to[l->n++] = (struct related){kind, line};
}

static unsigned related_line_of(const struct looking *l,
                                const struct c_statement *s) {
    return related_token(l, s->first)->line;
}

/* The token with the name of the class or structure around a function whose
 * head begins at token `first`; `name`, if no class is around it. */
static size_t name_of_class(const struct looking *l, size_t first,
                            size_t name) {
    enum { FAR = 20000 };
    size_t open = first;
    for (int depth = 0; open && first - open < FAR; open--) {
        depth += related_is(l, open - 1, "{") - related_is(l, open - 1, "}");
        if (depth > 0) break;
    }
    for (size_t k = open; k && k + 16 > open; k--) {
        if (related_is(l, k - 1, ";") || related_is(l, k - 1, "}")) break;
        if (related_is(l, k - 1, "struct") || related_is(l, k - 1, "class"))
            return related_token(l, k)->kind == C_NAME ? k : name;
    }
    return name;
}

/* A function's name is the token before its parameters; an operator() is known
 * by that of its class. */
static void index_function(struct related_file *f, int32_t statement) {
    const struct looking l = {.file = f};
    const struct c_statement *s = &f->statements.list[statement];
    for (size_t k = s->first; k + 1 < s->end; k++)
        if (related_token(&l, k)->kind == C_NAME &&
            related_is(&l, k + 1, "(") &&
            !related_is(&l, k, "__launch_bounds__") &&
            !related_is(&l, k, "__align__") &&
            !related_is(&l, k, "__attribute__") &&
            !related_is(&l, k, "alignas")) {
            if (related_is(&l, k, "operator"))
                k = name_of_class(&l, s->first, k);
            f->functions[f->n_functions++] =
                (struct related_function){statement, k};
            return;
        }
}

bool related_open(const char *text, struct related_file *f) {
    *f = (struct related_file){0};
    bool ok = c_tokens_read(text, &f->tokens) &&
              c_statements_read(&f->tokens, &f->statements);
    if (!ok) related_close(f);
    for (size_t i = 0; ok && i < f->statements.n; i++)
        if (f->statements.list[i].kind == C_FUNCTION &&
            f->n_functions < RELATED_FUNCTIONS)
            index_function(f, (int32_t)i);
    return ok;
}

void related_close(struct related_file *f) {
    c_tokens_free(&f->tokens);
    c_statements_free(&f->statements);
}

/* ---- the lines ---- */

bool related_mentions(const struct looking *l, const struct c_statement *s,
                      const struct c_token *name) {
    for (size_t k = s->first; k < s->end; k++)
        if (related_token(l, k)->kind == C_NAME &&
            c_token_same(related_token(l, k), name))
            return true;
    return false;
}

static const struct c_statement *at(const struct looking *l, int32_t k) {
    return &l->file->statements.list[k];
}

/* Does statement k stand in what `of` stands in, so that it runs before? */
static bool surely_runs(const struct looking *l, int32_t k, int32_t of) {
    int32_t around = at(l, k)->parent;
    if (around < 0 || at(l, around)->kind != C_IF) return true;
    for (int32_t i = of; i >= 0; i = at(l, i)->parent)
        if (at(l, i)->parent == around) return true;
    return false;
}

/* The last of the function before statement `of`, and of those that may not
 * have run one more; or else the first behind it: a loop brings it round. */
static void add_giver(struct looking *l, int32_t function, int32_t of,
                      const struct c_token *name) {
    enum { MOST = 3 };
    const struct c_statements *s = &l->file->statements;
    int n = 0;
    for (int32_t k = of - 1; k > function && n < MOST; k--)
        if (related_gives(l, at(l, k), name)) {
            related_add(l, RELATED_VALUE, related_line_of(l, at(l, k)));
            n++;
            if (surely_runs(l, k, of)) return;
        }
    for (int32_t k = of + 1; !n && (size_t)k < s->n; k++) {
        if (c_function_of(s, k) != function) break;
        if (!related_gives(l, at(l, k), name)) continue;
        related_add(l, RELATED_VALUE, related_line_of(l, at(l, k)));
        return;
    }
}

/* Conditions before it under which the function, or the turn of a loop, ends.
 */
static void add_leaving(struct looking *l, int32_t function, int32_t of) {
    for (int32_t k = of - 1; k > function; k--) {
        int32_t around = at(l, k)->parent;
        bool leaves = related_is(l, at(l, k)->first, "return") ||
                      related_is(l, at(l, k)->first, "continue") ||
                      related_is(l, at(l, k)->first, "break");
        if (leaves && around >= 0 && at(l, around)->kind == C_IF)
            related_add(l, RELATED_CONDITION,
                        related_line_of(l, at(l, around)));
    }
}

/* Of the names of a statement, so many are looked at. */
static size_t end_of(const struct c_statement *s) {
    return s->end - s->first > RELATED_NAMES ? s->first + RELATED_NAMES
                                             : s->end;
}

static void add_givers(struct looking *l, int32_t function, int32_t of,
                       const struct c_statement *s) {
    for (size_t k = s->first; k < end_of(s); k++)
        if (related_token(l, k)->kind == C_NAME && !related_is(l, k + 1, "("))
            add_giver(l, function, of, related_token(l, k));
}

static void add_constants(struct looking *l, const struct c_statement *of) {
    const struct c_statements *s = &l->file->statements;
    for (size_t k = of->first; k < end_of(of); k++)
        for (size_t i = 0; i < s->n && related_token(l, k)->kind == C_NAME; i++)
            if (s->list[i].kind == C_OUTSIDE &&
                related_mentions(l, &s->list[i], related_token(l, k)))
                related_add(l, RELATED_CONSTANT,
                            related_line_of(l, &s->list[i]));
}

static void add_calls(struct looking *l, int32_t function) {
    const struct c_statements *s = &l->file->statements;
    const struct c_token *name = NULL;
    for (size_t i = 0; i < l->file->n_functions; i++)
        if (l->file->functions[i].statement == function)
            name = related_token(l, l->file->functions[i].name);
    for (size_t i = 0; name && i < s->n; i++)
        if (s->list[i].kind != C_FUNCTION && s->list[i].kind != C_OUTSIDE &&
            c_function_of(s, (int32_t)i) != function &&
            related_mentions(l, &s->list[i], name))
            related_add(l, RELATED_CALL, related_line_of(l, &s->list[i]));
}

/* What a function gives back, or its last statement. */
static void add_result(struct looking *l, int32_t function) {
    const struct c_statements *s = &l->file->statements;
    size_t last = 0;
    for (size_t i = (size_t)function + 1; i < s->n; i++) {
        if (c_function_of(s, (int32_t)i) != function) break;
        if (related_is(l, s->list[i].first, "return") &&
            s->list[i].end > s->list[i].first + 1)
            last = i;
        else if (!last || !related_is(l, s->list[last].first, "return"))
            last = i;
    }
    if (last)
        related_add(l, RELATED_RESULT, related_line_of(l, &s->list[last]));
}

static void add_results(struct looking *l, const struct c_statement *of) {
    for (size_t k = of->first; k < end_of(of); k++) {
        int32_t function =
            related_token(l, k)->kind == C_NAME && related_is(l, k + 1, "(")
                ? related_definition(l, related_token(l, k))
                : -1;
        if (function >= 0) add_result(l, function);
    }
}

size_t related_lines(const struct related_file *f, unsigned line,
                     struct related to[RELATED_MOST]) {
    struct looking l = {f, line, to, 0};
    int32_t of = c_statement_at(&f->tokens, &f->statements, line);
    int32_t function = of < 0 ? -1 : c_function_of(&f->statements, of);
    if (function < 0 || of == function) return 0;
    int32_t around = at(&l, of)->parent;
    if (around >= 0 && around != function)
        related_add(&l, RELATED_CONDITION, related_line_of(&l, at(&l, around)));
    add_results(&l, at(&l, of));
    add_givers(&l, function, of, at(&l, of));
    if (around >= 0 && around != function)
        add_givers(&l, function, around, at(&l, around));
    for (int32_t k = around; k >= 0 && k != function; k = at(&l, k)->parent)
        related_add(&l, RELATED_CONDITION, related_line_of(&l, at(&l, k)));
    add_leaving(&l, function, of);
    add_calls(&l, function);
    add_constants(&l, at(&l, of));
    return l.n;
}

size_t related_next(const struct related_file *f, unsigned line, size_t most,
                    struct related to[RELATED_MOST]) {
    struct looking l = {f, line, to, 0};
    int32_t of = c_statement_at(&f->tokens, &f->statements, line);
    int32_t function = of < 0 ? -1 : c_function_of(&f->statements, of);
    for (int32_t k = of + 1; function >= 0 && l.n < most; k++) {
        if ((size_t)k >= f->statements.n ||
            c_function_of(&f->statements, k) != function)
            break;
        related_add(&l, RELATED_CONDITION, related_line_of(&l, at(&l, k)));
    }
    return l.n;
}

/* ---- what a function does ---- */

enum { FUNCTIONS_MOST = 64, WORDS = 12 };

struct reached {
    int32_t functions[FUNCTIONS_MOST];
    size_t n;
};

static void reach(struct reached *r, int32_t function) {
    for (size_t i = 0; i < r->n; i++)
        if (r->functions[i] == function) return;
    if (function >= 0 && r->n < FUNCTIONS_MOST) r->functions[r->n++] = function;
}

/* Several functions may have one name: overloads, members of a class. */
static void reach_definitions(const struct looking *l, struct reached *r,
                              const struct c_token *name) {
    const struct related_file *f = l->file;
    for (size_t i = 0; i < f->n_functions; i++)
        if (c_token_same(related_token(l, f->functions[i].name), name))
            reach(r, f->functions[i].statement);
}

static void reach_named(const struct looking *l, struct reached *r,
                        int32_t from) {
    const struct c_statements *s = &l->file->statements;
    size_t names = 0;
    for (size_t i = (size_t)from + 1; i < s->n; i++) {
        if (c_function_of(s, (int32_t)i) != from) return;
        for (size_t k = s->list[i].first; k < s->list[i].end; k++)
            if (related_token(l, k)->kind == C_NAME &&
                names++ < RELATED_NAMES_IN_ALL)
                reach_definitions(l, r, related_token(l, k));
    }
}

static bool stores(const struct looking *l, const struct c_statement *s) {
    for (size_t k = s->first; k + 1 < s->end; k++) {
        bool element =
            related_token(l, k)->kind == C_NAME && related_is(l, k + 1, "[");
        bool target = related_is(l, k, "*") && k == s->first;
        if ((element &&
             related_assigns(l, related_behind_index(l, k + 1, s->end))) ||
            target)
            return s->kind == C_PLAIN;
    }
    return false;
}

static bool does(const struct looking *l, const struct c_statement *s,
                 enum related_deed deed) {
    static const char *const words[N_RELATED_DEEDS][WORDS] = {
        [RELATED_LAUNCHES] = {"<<<", "cudaLaunch"},
        [RELATED_ALLOCATES] = {"malloc", "calloc", "realloc", "cudaMalloc"},
        [RELATED_COPIES] = {"cudaMemcpy", "cudaMemset"},
        [RELATED_VARIABLES] = {"__device__"},
        [RELATED_ORDER] = {"volatile", "atomic", "__threadfence",
                           "memory_order", "asm", "__ldcg", "__stcg", "fence",
                           "__nv_atomic", "__ATOMIC"},
        [RELATED_TODO] = {"SCANLAB_TODO"}};
    if (deed == RELATED_STORES) return stores(l, s);
    for (size_t k = s->first; deed == RELATED_CALLS && k < end_of(s); k++)
        if (related_token(l, k)->kind == C_NAME && related_is(l, k + 1, "(") &&
            related_definition(l, related_token(l, k)) >= 0)
            return true;
    for (size_t k = s->first; k < s->end; k++)
        for (size_t w = 0; w < WORDS && words[deed][w]; w++)
            if (related_is(l, k, words[deed][w]) ||
                related_begins(related_token(l, k), words[deed][w]))
                return true;
    return false;
}

bool related_does(const struct related_file *f, const struct c_statement *s,
                  enum related_deed deed) {
    const struct looking l = {.file = f};
    return does(&l, s, deed);
}

static int32_t named(const struct looking *l, const char *name) {
    const struct c_token token = {
        .at = name, .size = (unsigned)strlen(name), .kind = C_NAME};
    return related_definition(l, &token);
}

/* All that these functions name, and what that names. */
static void reach_all(const struct looking *l, struct related_names names,
                      struct reached *r) {
    for (size_t i = 0; i < names.n; i++) reach(r, named(l, names.names[i]));
    for (size_t k = 0; k < r->n; k++) reach_named(l, r, r->functions[k]);
}

size_t related_reached(const struct related_file *f, const char *function,
                       int32_t *heads, size_t most) {
    const struct looking l = {.file = f};
    struct reached r = {.n = 0};
    reach_all(&l, (struct related_names){&function, 1}, &r);
    size_t n = r.n < most ? r.n : most;
    memcpy(heads, r.functions, n * sizeof *heads);
    return n;
}

static bool has(const struct reached *r, int32_t function) {
    for (size_t i = 0; i < r->n; i++)
        if (r->functions[i] == function) return true;
    return false;
}

size_t related_deeds(const struct related_file *f, const char *function,
                     struct related_names trusted, enum related_deed deed,
                     struct related to[RELATED_MOST]) {
    struct looking l = {f, 0, to, 0};
    const struct c_statements *s = &f->statements;
    struct reached r = {.n = 0}, passed = {.n = 0};
    int32_t first = named(&l, function);
    reach_all(&l, trusted, &passed);
    for (size_t i = 0; deed == RELATED_VARIABLES && i < s->n; i++)
        if (s->list[i].kind == C_OUTSIDE && does(&l, &s->list[i], deed))
            related_add(&l, RELATED_CONSTANT, related_line_of(&l, &s->list[i]));
    reach(&r, first);
    for (size_t k = 0; k < r.n; k++) {
        bool told = r.functions[k] != first && has(&passed, r.functions[k]);
        for (size_t i = (size_t)r.functions[k] + 1; i < s->n && !told; i++) {
            if (c_function_of(s, (int32_t)i) != r.functions[k]) break;
            if (does(&l, &s->list[i], deed))
                related_add(&l, RELATED_VALUE,
                            related_line_of(&l, &s->list[i]));
        }
        reach_named(&l, &r, r.functions[k]);
    }
    return l.n;
}

/* ---- what never ran ---- */

static uint8_t marks_of(const struct looking *l, const struct c_statement *s,
                        const uint8_t *marks, size_t n) {
    uint8_t all = 0;
    unsigned first = related_token(l, s->first)->line,
             last = related_token(l, s->end - 1)->line;
    for (unsigned k = first; k <= last && k < n; k++) all |= marks[k];
    return all;
}

size_t related_never(const struct related_file *f, const uint8_t *marks,
                     size_t n_lines, struct related to[RELATED_MOST]) {
    struct looking l = {f, 0, to, 0};
    const struct c_statements *s = &f->statements;
    uint8_t *inside = calloc(s->n + 1, 1);
    for (size_t k = 0; inside && k < s->n; k++)
        if (s->list[k].parent >= 0)
            inside[s->list[k].parent] |=
                marks_of(&l, &s->list[k], marks, n_lines);
    for (size_t i = 0; inside && i < s->n; i++)
        if ((s->list[i].kind == C_IF || s->list[i].kind == C_LOOP) &&
            (marks_of(&l, &s->list[i], marks, n_lines) & RAN_DID) &&
            inside[i] == RAN_COULD)
            related_add(&l, RELATED_NEVER, related_line_of(&l, &s->list[i]));
    free(inside);
    return l.n;
}

bool related_floating(const struct related_file *f, unsigned line, char *name,
                      size_t size) {
    static const char *const names[] = {"pow",  "powf",  "exp2",  "exp2f",
                                        "log2", "log2f", "log",   "logf",
                                        "sqrt", "sqrtf", "log10", "log10f"};
    struct looking l = {.file = f};
    int32_t k = c_statement_at(&f->tokens, &f->statements, line);
    if (k < 0) return false;
    const struct c_statement *s = &f->statements.list[k];
    for (size_t i = s->first; i + 1 < s->end; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            if (related_is(&l, i, names[j]) && related_is(&l, i + 1, "(")) {
                snprintf(name, size, "%s", names[j]);
                return true;
            }
    return false;
}
