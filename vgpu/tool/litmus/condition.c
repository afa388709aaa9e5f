/* SPDX-License-Identifier: MIT
 *
 * condition.c: conditions on what a litmus test ends with, and lists of such
 * ends.
 *
 * How to read this: terms refer to other terms by number. Parentheses and
 * negations nest at most MAX_DEPTH deep.
 */
#include <ctype.h>
#include <string.h>

#include "litmus.h"

enum { MAX_DEPTH = 64 };

struct reader {
    struct litmus_cursor *c;
    struct litmus *t;
    struct litmus_condition *to;
    int depth;
};

static bool observe(struct litmus_cursor *c, struct litmus *t,
                    struct litmus_place place, uint32_t *observed) {
    for (*observed = 0; *observed < t->n_observed; ++*observed) {
        const struct litmus_place *o = &t->observed[*observed];
        if (o->is_register == place.is_register && o->thread == place.thread &&
            o->reg == place.reg && o->word == place.word)
            return true;
    }
    if (t->n_observed == LITMUS_OBSERVED)
        return litmus_fail(c, "more than %d places are looked at",
                           LITMUS_OBSERVED);
    t->observed[t->n_observed++] = place;
    return true;
}

bool litmus_read_place(struct litmus_cursor *c, struct litmus *t,
                       uint32_t *observed) {
    char name[LITMUS_NAME];
    struct litmus_place place = {0};
    bool brackets = litmus_take(c, "[");
    place.is_register = !brackets && litmus_thread_colon(c, t, &place.thread);
    if (place.is_register) litmus_take(c, "%");
    if (c->why->size || !litmus_word(c, name)) return false;
    if (brackets && !litmus_take(c, "]"))
        return litmus_fail(c, "a ] is expected");
    if (place.is_register
            ? !litmus_register(c, &t->threads[place.thread], name, &place.reg)
            : !litmus_location(c, t, name, &place.word))
        return false;
    return observe(c, t, place, observed);
}

/* ---- terms ---- */

static bool new_term(struct reader *r, struct litmus_term term, uint32_t *at) {
    if (r->to->n == LITMUS_TERMS)
        return litmus_fail(r->c, "the condition has more than %d terms",
                           LITMUS_TERMS);
    *at = r->to->n++;
    r->to->terms[*at] = term;
    return true;
}

static bool read_side(struct reader *r, struct litmus_side *s) {
    struct litmus_cursor *c = r->c;
    litmus_skip(c);
    const char *p = c->at;
    while (p < c->end && isdigit((unsigned char)*p)) p++;
    bool digits = p > c->at;
    while (p < c->end && *p == ' ') p++;
    s->is_number = (digits && (p == c->end || *p != ':')) ||
                   (c->at < c->end && *c->at == '-');
    return s->is_number ? litmus_number(c, &s->number)
                        : litmus_read_place(c, r->t, &s->observed);
}

static bool read_compare(struct reader *r, uint32_t *at) {
    static const char *const ops[] = {"==", "!=", "<=", ">=", "=", "<", ">"};
    struct litmus_term term = {.kind = LITMUS_COMPARE};
    if (!read_side(r, &term.a)) return false;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (litmus_take(r->c, ops[k])) {
            strcpy(term.op, strcmp(ops[k], "=") ? ops[k] : "==");
            return read_side(r, &term.b) && new_term(r, term, at);
        }
    return litmus_fail(r->c, "= is expected");
}

static bool read_or(struct reader *r, uint32_t *at);

static bool read_one(struct reader *r, uint32_t *at) {
    if (++r->depth > MAX_DEPTH)
        return litmus_fail(r->c, "the condition nests too deep");
    bool good;
    struct litmus_term term = {.kind = LITMUS_NOT};
    if (litmus_take(r->c, "~") || litmus_take(r->c, "not"))
        good = read_one(r, &term.left) && new_term(r, term, at);
    else if (litmus_take(r->c, "true"))
        good = new_term(r, (struct litmus_term){.kind = LITMUS_TRUE}, at);
    else if (litmus_take(r->c, "("))
        good = read_or(r, at) &&
               (litmus_take(r->c, ")") || litmus_fail(r->c, "a ) is expected"));
    else
        good = read_compare(r, at);
    r->depth--;
    return good;
}

static bool read_and(struct reader *r, uint32_t *at) {
    if (!read_one(r, at)) return false;
    while (litmus_take(r->c, "/\\") || litmus_take(r->c, "&&")) {
        struct litmus_term term = {.kind = LITMUS_AND, .left = *at};
        if (!read_one(r, &term.right) || !new_term(r, term, at)) return false;
    }
    return true;
}

static bool read_or(struct reader *r, uint32_t *at) {
    if (!read_and(r, at)) return false;
    while (litmus_take(r->c, "\\/") || litmus_take(r->c, "||")) {
        struct litmus_term term = {.kind = LITMUS_OR, .left = *at};
        if (!read_and(r, &term.right) || !new_term(r, term, at)) return false;
    }
    return true;
}

bool litmus_read_condition(struct litmus_cursor *c, struct litmus *t,
                           struct litmus_condition *to) {
    struct reader r = {.c = c, .t = t, .to = to};
    to->n = 0;
    return read_or(&r, &to->root);
}

static int32_t side(const struct litmus_side *s, const int32_t *values) {
    return s->is_number ? s->number : values[s->observed];
}

static bool compares(const struct litmus_term *t, const int32_t *values) {
    int32_t a = side(&t->a, values), b = side(&t->b, values);
    bool or_equal = t->op[1] == '=' && a == b;
    switch (t->op[0]) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return a < b || or_equal;
    default: return a > b || or_equal;
    }
}

/* Terms stand behind those that they refer to. */
bool litmus_holds(const struct litmus_condition *c, const int32_t *values) {
    bool holds[LITMUS_TERMS];
    for (uint32_t k = 0; k < c->n; k++) {
        const struct litmus_term *t = &c->terms[k];
        holds[k] = t->kind == LITMUS_TRUE      ? true
                   : t->kind == LITMUS_COMPARE ? compares(t, values)
                   : t->kind == LITMUS_NOT     ? !holds[t->left]
                   : t->kind == LITMUS_AND ? holds[t->left] && holds[t->right]
                                           : holds[t->left] || holds[t->right];
    }
    return !c->n || holds[c->root];
}

/* ---- lists of outcomes ---- */

/* "P0:r0=1 P1:r1=0; P0:r0=0 P1:r1=0": each names all places in the same order,
 * which the first one sets. Ends with the line. */
bool litmus_read_outcomes(struct litmus_cursor *c, struct litmus *t,
                          struct litmus_outcome *list, uint32_t *n) {
    do {
        if (*n == LITMUS_OUTCOMES)
            return litmus_fail(c, "more than %d outcomes", LITMUS_OUTCOMES);
        struct litmus_outcome *o = &list[(*n)++];
        *o = (struct litmus_outcome){0};
        uint32_t at;
        for (litmus_skip(c); c->at < c->end && *c->at != ';'; litmus_skip(c))
            if (!litmus_read_place(c, t, &at) ||
                !(litmus_take(c, "=") || litmus_fail(c, "= is expected")) ||
                !litmus_number(c, &o->values[at]))
                return false;
    } while (litmus_take(c, ";"));
    return true;
}
