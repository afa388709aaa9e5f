/* SPDX-License-Identifier: MIT
 *
 * changes_names.c: the variables of a source's functions, as far as one sees
 * them without a compiler, and a name put in place of another of its type.
 */
#include <stdio.h>
#include <string.h>

#include "changes_parts.h"

static bool is_name_token(const struct changing *c, size_t k) {
    return k < c->tokens.n && c->tokens.list[k].kind == C_NAME;
}

static bool is_of(const struct changing *c, size_t k,
                  const char *const *words) {
    for (; *words; words++)
        if (change_is(c, k, *words)) return true;
    return false;
}

static const char *const integers[] = {
    "int",     "unsigned", "signed",   "long",      "short",   "char",
    "size_t",  "int32_t",  "uint32_t", "ptrdiff_t", "int64_t", "uint64_t",
    "uint8_t", "int8_t",   "uint16_t", "int16_t",   NULL};
static const char *const no_types[] = {
    "return", "delete", "else",  "goto", "new",      "throw",  "case", "do",
    "break",  "if",     "while", "for",  "continue", "sizeof", NULL};
static const char *const before_types[] = {
    "const", "volatile", "register", "unsigned", "signed",
    "long",  "short",    "std",      "struct",   NULL};

/* Behind the type that begins here; k: none does. */
static size_t behind_type(const struct changing *c, size_t k, size_t end) {
    size_t first = k;
    if (!is_name_token(c, k) || is_of(c, k, no_types)) return first;
    while (k < end && (is_of(c, k, before_types) || change_is(c, k, "::"))) k++;
    bool qualified = k > first;
    if (k < end && is_name_token(c, k) &&
        (!qualified || is_of(c, k, integers) ||
         (k + 1 < end && (is_name_token(c, k + 1) || change_is(c, k + 1, "*") ||
                          change_is(c, k + 1, "&")))))
        k++;
    while (k > first && k < end && c->is_type[k]) k++; /* board<T> b */
    while (k < end &&
           (change_is(c, k, "*") || change_is(c, k, "&") ||
            change_is(c, k, "const") || change_is(c, k, "__restrict__") ||
            change_is(c, k, "volatile") || change_is(c, k, "restrict")))
        k++;
    return k;
}

/* int x = ..., T *p, ...: where the first name stands; 0: no declaration. */
static size_t declared_at(const struct changing *c, size_t first, size_t end) {
    size_t k = behind_type(c, first, end);
    bool follows = k + 1 >= end || change_is(c, k + 1, "=") ||
                   change_is(c, k + 1, ",") || change_is(c, k + 1, ";") ||
                   change_is(c, k + 1, "[") || change_is(c, k + 1, ")") ||
                   change_is(c, k + 1, "{") || change_is(c, k + 1, ":") ||
                   change_is(c, k + 1, "(");
    /* const T (&x)[4]: not seen */
    bool calls =
        change_is(c, k + 1, "(") && is_of(c, k - (k > 0), before_types);
    return k > first && k < end && is_name_token(c, k) && follows && !calls ? k
                                                                            : 0;
}

bool change_declares(const struct changing *c, size_t first, size_t end) {
    return declared_at(c, first, end) > 0;
}

/* ---- finding them ---- */

static void name_type(const struct changing *c, size_t first, size_t end,
                      struct change_name *to) {
    struct text t = {0};
    bool is_integer = true, of_integers = true, points = false;
    for (size_t k = first; k < end; k++) points |= change_is(c, k, "*");
    for (size_t k = first; k < end; k++) {
        if ((change_is(c, k, "const") && !points) ||
            change_is(c, k, "__restrict__") || change_is(c, k, "restrict") ||
            change_is(c, k, "&"))
            continue;
        is_integer &= is_of(c, k, integers) || change_is(c, k, "std") ||
                      change_is(c, k, "::");
        of_integers &= is_of(c, k, integers) || change_is(c, k, "std") ||
                       change_is(c, k, "::") || change_is(c, k, "*") ||
                       change_is(c, k, "const") || change_is(c, k, "T");
        text_add(&t, "%.*s ", (int)c->tokens.list[k].size,
                 c->tokens.list[k].at);
    }
    snprintf(to->type, sizeof to->type, "%s", text_string(&t));
    to->is_integer = is_integer && t.size;
    to->of_integers = of_integers && t.size;
    text_free(&t);
}

static void add_name(struct changing *c, size_t first, size_t at,
                     int32_t statement, bool is_loop) {
    if (c->n_names == CHANGE_NAMES) return;
    struct change_name *new = &c->names[c->n_names++];
    *new = (struct change_name){.at = at,
                                .function =
                                    c_function_of(&c->statements, statement),
                                .loop = is_loop ? statement : -1,
                                .is_array = change_is(c, at + 1, "[")};
    name_type(c, first, at, new);
    /* int a[2][3] is like no other */
    if (new->is_array && change_is(c, change_behind(c, at + 1), "["))
        snprintf(new->type, sizeof new->type, "[%zu]", at);
}

/* int a = 1, b = 2: the further names. */
static void add_further(struct changing *c, size_t first, size_t at, size_t end,
                        int32_t statement, bool is_loop) {
    int open = 0;
    for (size_t k = at + 1; k + 1 < end && !change_is(c, k, ";"); k++) {
        open += change_is(c, k, "(") || change_is(c, k, "[") ||
                change_is(c, k, "{");
        open -= change_is(c, k, ")") || change_is(c, k, "]") ||
                change_is(c, k, "}");
        if (open || c->is_type[k] || !change_is(c, k, ",")) continue;
        bool pointer = change_is(c, k + 1, "*");
        if (is_name_token(c, k + 1 + pointer)) {
            add_name(c, first, k + 1 + pointer, statement, is_loop);
            struct change_name *new = &c->names[c->n_names - 1];
            if (pointer) new->is_integer = false;
            if (!pointer)
                memcpy(new->type, c->names[c->n_names - 2].type,
                       sizeof new->type);
            if (!pointer) new->is_integer = c->names[c->n_names - 2].is_integer;
            new->of_integers = c->names[c->n_names - 2].of_integers;
        }
    }
}

static void add_parameters(struct changing *c, const struct c_statement *s,
                           int32_t statement) {
    size_t k = s->first;
    while (k < s->end && !change_is(c, k, "(")) k++;
    for (size_t from = k + 1; from < s->end; from = k + 1) {
        int open = 0;
        for (k = from; k < s->end; k++) {
            open += change_is(c, k, "(") - change_is(c, k, ")");
            if (open < 0 || (!open && change_is(c, k, ","))) break;
        }
        size_t at = declared_at(c, from, k);
        if (at) add_name(c, from, at, statement, false);
    }
}

void change_find_names(struct changing *c) {
    for (size_t i = 0; i < c->statements.n; i++) {
        const struct c_statement *s = &c->statements.list[i];
        size_t first = s->first;
        if (s->kind == C_FUNCTION) add_parameters(c, s, (int32_t)i);
        if (s->kind == C_LOOP) first += 2; /* for ( */
        if (s->kind != C_PLAIN && s->kind != C_LOOP) continue;
        while (change_is(c, first, "__shared__") ||
               change_is(c, first, "extern") || change_is(c, first, "static"))
            first++;
        size_t at = first < s->end ? declared_at(c, first, s->end) : 0;
        if (!at) continue;
        add_name(c, first, at, (int32_t)i, s->kind == C_LOOP);
        add_further(c, first, at, s->end, (int32_t)i, s->kind == C_LOOP);
    }
}

/* ---- asking for them ---- */

static bool is_within(const struct changing *c, int32_t statement,
                      int32_t loop) {
    while (statement >= 0 && statement != loop)
        statement = c->statements.list[statement].parent;
    return statement == loop;
}

bool change_is_visible(const struct change_at *at,
                       const struct change_name *name, size_t token) {
    const struct changing *c = at->c;
    if (name->at >= token ||
        name->function != c_function_of(&c->statements, at->statement))
        return false;
    if (name->loop >= 0 && !is_within(c, at->statement, name->loop))
        return false;
    if (name->loop >= 0 && name->loop == at->statement) {
        size_t k = name->at; /* for (int i = i */
        while (k < token && !change_is(c, k, ";")) k++;
        if (k == token) return false;
    }
    /* being declared: int x = x */
    if (name->loop < 0 && name->at >= at->first && name->at < at->end)
        return false;
    for (size_t k = name->at; k < token; k++)
        if (c->depth[k] < c->depth[name->at]) return false;
    return true;
}

const struct change_name *change_name_at(const struct change_at *at,
                                         size_t token) {
    const struct changing *c = at->c;
    if (!is_name_token(c, token)) return NULL;
    for (size_t i = c->n_names; i-- > 0;)
        if (c_token_same(&c->tokens.list[c->names[i].at],
                         &c->tokens.list[token]) &&
            change_is_visible(at, &c->names[i], token))
            return &c->names[i];
    return NULL;
}

/* Is the name at the token read there, or an array's or pointer's, so that
 * another may stand for it? */
static bool may_be_other(const struct change_at *at, size_t k) {
    static const char *const bad_before[] = {".",  "->", "::", "&",
                                             "++", "--", NULL};
    static const char *const bad_behind[] = {
        "=",  "+=", "-=", "*=", "/=",  "%=",  "&=",  "|=", "^=",
        "++", "--", "(",  "::", "<<=", ">>=", "<<<", NULL};
    return !is_of(at->c, k - 1, bad_before) && !is_of(at->c, k + 1, bad_behind);
}

static void put_other(const struct change_at *at, size_t k, size_t other) {
    struct changing *c = at->c;
    const struct c_token *name = &c->tokens.list[other];
    struct candidate_change *new = change_new(at, k, CHANGE_NAME);
    change_say(at, new, k, k + 1,
               text_format("%.*s", (int)name->size, name->at));
    change_wrap(at, new, change_begin(c, k), change_end(c, k + 1),
                text_format("(SLM(@)?%.*s:", (int)name->size, name->at),
                text_format("%s", ")"));
}

/* Where the one is read, the other may be. */
static bool fits_type(const struct change_name *own,
                      const struct change_name *other) {
    const char *type = own->type;
    if (own->is_array != other->is_array) return false;
    if (strcmp(type, other->type) == 0) return true;
    return strncmp(type, "const ", 6) == 0 &&
           strcmp(type + 6, other->type) == 0;
}

/* A variable in place of a small number, as in shfl_up(x, 1). */
static void look_at_small(const struct change_at *at, size_t k) {
    enum { MOST = 3 };
    struct changing *c = at->c;
    unsigned n = 0;
    if (!change_is(c, k, "1") && !change_is(c, k, "2")) return;
    for (size_t i = c->n_names; i-- > 0 && n < MOST;) {
        const struct change_name *name = &c->names[i];
        if (!name->is_integer || name->is_array ||
            !change_is_visible(at, name, k))
            continue;
        put_other(at, k, name->at);
        n++;
    }
}

void changes_of_names(const struct change_at *at) {
    enum { MOST = 4 };
    struct changing *c = at->c;
    for (size_t k = at->first; k < at->end; k++) look_at_small(at, k);
    for (size_t k = at->first; k < at->end; k++) {
        const struct change_name *own = change_name_at(at, k);
        unsigned n = 0;
        if (!own || !may_be_other(at, k)) continue;
        for (size_t i = c->n_names; i-- > 0 && n < MOST;) {
            const struct change_name *other = &c->names[i];
            if (other == own || !fits_type(own, other) ||
                !change_is_visible(at, other, k) ||
                change_name_at(at, k) == other)
                continue;
            put_other(at, k, other->at);
            n++;
        }
    }
}
