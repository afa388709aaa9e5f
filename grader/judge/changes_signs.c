/* SPDX-License-Identifier: MIT
 *
 * changes_signs.c: changes at a comparison, a number, a sum, && and ||, and a
 * condition.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "changes_parts.h"

static const struct c_token *sign_token(const struct change_at *at, size_t k) {
    return &at->c->tokens.list[k];
}

/* A change that puts something before the token behind k. */
static void put_behind(const struct change_at *at, enum change_kind kind,
                       size_t k, const char *before, char *now) {
    struct candidate_change *new = change_new(at, k, kind);
    change_say(at, new, k, k + 1, now);
    change_wrap(at, new, change_begin(at->c, k + 1), NULL,
                text_format("%s", before), NULL);
}

static void put_around(const struct change_at *at, enum change_kind kind,
                       size_t first, size_t end, const char *before,
                       const char *after, char *now) {
    struct candidate_change *new = change_new(at, first, kind);
    change_say(at, new, first, end, now);
    change_wrap(at, new, change_begin(at->c, first), change_end(at->c, end),
                text_format("%s", before), text_format("%s", after));
}

/* Does an operand stand before the sign, so that it has two? */
static bool has_left(const struct change_at *at, size_t k) {
    const struct changing *c = at->c;
    if (k <= at->first) return false;
    const struct c_token *t = sign_token(at, k - 1);
    return (t->kind != C_SIGN && !change_is(c, k - 1, "return") &&
            !change_is(c, k - 1, "case")) ||
           change_is(c, k - 1, ")") || change_is(c, k - 1, "]");
}

/* Behind the operand that begins here: x, f(x), a.b[c], (x + y). */
static size_t behind_operand(const struct change_at *at, size_t k) {
    const struct changing *c = at->c;
    k = change_is(c, k, "(") ? change_behind(c, k) : k + 1;
    while (k < at->end) {
        if (change_is(c, k, "(") || change_is(c, k, "["))
            k = change_behind(c, k);
        else if (change_is(c, k, ".") || change_is(c, k, "->") ||
                 change_is(c, k, "::"))
            k += 2;
        else
            break;
    }
    return k;
}

/* A quotient that is rounded up, half of it, twice of it. */
static void look_at_quotient(const struct change_at *at, size_t k) {
    static const struct {
        const char *words, *after;
    } ways[] = {{" / 2", "/(1+SLM(@))"},
                {" * 2", "*(1+SLM(@))"},
                {" + 1", "+SLM(@)"}}; /* in this order */
    const struct changing *c = at->c;
    size_t behind = behind_operand(at, k + 1);
    if (behind > at->end) return;
    char *own = change_text(c, k - 1, behind);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct candidate_change *new = change_new(at, k, CHANGE_NUMBER);
        struct text now = {0};
        text_add(&now, "%s%s", own ? own : "", ways[i].words);
        change_say(at, new, k - 1, behind, now.bytes);
        change_wrap(at, new, change_end(c, behind), NULL,
                    text_format("%s", ways[i].after), NULL);
    }
    free(own);
}

static void look_at_sign(const struct change_at *at, size_t k) {
    const struct changing *c = at->c;
    bool plus = change_is(c, k, "+"), minus = change_is(c, k, "-");
    /* >> are two tokens */
    if (!has_left(at, k) || change_is(c, k + 1, ">") ||
        (change_is(c, k, ">") && change_is(c, k - 1, ">")))
        return;
    if (change_is(c, k, "<"))
        put_behind(at, CHANGE_EDGE, k, "SLM(@)+", text_format("<="));
    if (change_is(c, k, ">="))
        put_behind(at, CHANGE_EDGE, k, "SLM(@)+", text_format(">"));
    if (change_is(c, k, "<="))
        put_behind(at, CHANGE_EDGE, k, "-SLM(@)+", text_format("<"));
    if (change_is(c, k, ">"))
        put_behind(at, CHANGE_EDGE, k, "-SLM(@)+", text_format(">="));
    if (change_is(c, k, "/")) look_at_quotient(at, k);
    if (plus || minus) {
        put_behind(at, CHANGE_SIGN, k, "(1-2*SLM(@))*",
                   text_format(plus ? "-" : "+"));
        struct candidate_change *new = change_new(at, k, CHANGE_SIGN);
        size_t behind = k + 2;
        if (change_is(c, k + 1, "(")) behind = change_behind(c, k + 1);
        change_say(at, new, k, behind < at->end ? behind : at->end,
                   text_format("%s", ""));
        change_wrap(at, new, change_begin(c, k + 1), NULL,
                    text_format("%s", "(1-SLM(@))*"), NULL);
    }
}

/* A 0 that is handed to the runtime may be a pointer or a stream. */
static bool may_be_null(const struct change_at *at, size_t k) {
    const struct changing *c = at->c;
    if (!change_is(c, k, "0") && !change_is(c, k, "1")) return false;
    if (!(change_is(c, k + 1, ",") || change_is(c, k + 1, ")") ||
          change_is(c, k + 1, ">>>")))
        return false;
    int open = 0;
    for (; k > at->first; k--) {
        open += change_is(c, k, ")") - change_is(c, k, "(");
        if (change_is(c, k, "<<<")) return true;
        if (open < 0) break;
    }
    const struct c_token *called = &c->tokens.list[k - (k > 0)];
    return called->size > 4 && memcmp(called->at, "cuda", 4) == 0;
}

static void look_at_number(const struct change_at *at, size_t k) {
    const struct c_token *t = sign_token(at, k);
    char *end;
    unsigned long long value = strtoull(t->at, &end, 10);
    const char *ending = end;
    while (ending < t->at + t->size && strchr("uUlL", *ending)) ending++;
    if (ending != t->at + t->size || *ending == '.' ||
        (t->size > 1 && *t->at == '0') || value > 1u << 20 ||
        may_be_null(at, k))
        return;
    int tail = (int)(t->at + t->size - end);
    put_around(at, CHANGE_NUMBER, k, k + 1, "(", "+SLM(@))",
               text_format("%llu%.*s", value + 1, tail, end));
    if (value)
        put_around(at, CHANGE_NUMBER, k, k + 1, "(", "-SLM(@))",
                   text_format("%llu%.*s", value - 1, tail, end));
    if (value > 1)
        put_around(at, CHANGE_NUMBER, k, k + 1, "(", "*(1+SLM(@)))",
                   text_format("%llu%.*s", 2 * value, tail, end));
    if (value > 3)
        put_around(at, CHANGE_NUMBER, k, k + 1, "(", "/(1+SLM(@)))",
                   text_format("%llu%.*s", value / 2, tail, end));
    if (value == 2 && change_is(at->c, k - 1, "/"))
        put_around(at, CHANGE_NUMBER, k, k + 1, "(", "-SLM(@))",
                   text_format("1%.*s", tail, end));
}

void changes_of_signs(const struct change_at *at) {
    for (size_t k = at->first; k < at->end; k++) {
        bool truth = change_is(at->c, k, "true");
        if (sign_token(at, k)->kind == C_SIGN && k + 1 < at->end)
            look_at_sign(at, k);
        else if (sign_token(at, k)->kind == C_NUMBER)
            look_at_number(at, k);
        else if (truth || change_is(at->c, k, "false"))
            put_around(at, CHANGE_TRUTH, k, k + 1, "(", "!=SLM(@))",
                       text_format(truth ? "false" : "true"));
    }
}

/* ---- conditions ---- */

static bool ends_operand(const struct changing *c, size_t k, bool of_or) {
    return change_is(c, k, "||") || change_is(c, k, "?") ||
           change_is(c, k, ":") || change_is(c, k, "=") ||
           change_is(c, k, ",") || change_is(c, k, ";") ||
           change_is(c, k, "return") || (!of_or && change_is(c, k, "&&"));
}

/* The operands of the && or || at k: [*first, k), [k + 1, *end). */
static void operands_of(const struct change_at *at, size_t k, size_t *first,
                        size_t *end) {
    const struct changing *c = at->c;
    bool of_or = change_is(c, k, "||");
    *first = k;
    *end = k + 1;
    while (*first > at->first) {
        size_t before = *first - 1;
        if (change_is(c, before, ")") || change_is(c, before, "]"))
            before = change_before(c, before);
        else if (change_is(c, before, "(") || change_is(c, before, "[") ||
                 change_is(c, before, "{") || ends_operand(c, before, of_or))
            break;
        *first = before;
    }
    while (*end < at->end && !ends_operand(c, *end, of_or) &&
           !change_is(c, *end, ")") && !change_is(c, *end, "]") &&
           !change_is(c, *end, "}"))
        *end = change_is(c, *end, "(") || change_is(c, *end, "[")
                   ? change_behind(c, *end)
                   : *end + 1;
}

/* Without one of its operands. */
static void look_at_both(const struct change_at *at, size_t k) {
    const struct changing *c = at->c;
    bool of_and = change_is(c, k, "&&");
    const char *after = of_and ? ")||SLM(@))" : ")&&!SLM(@))";
    size_t first, end;
    operands_of(at, k, &first, &end);
    if (first == k || end == k + 1 || end > at->end) return;
    for (int left = 0; left < 2; left++) {
        size_t from = left ? first : k + 1, to = left ? k : end;
        struct candidate_change *new = change_new(at, from, CHANGE_OPERAND);
        change_say(at, new, first, end,
                   left ? change_text(c, k + 1, end)
                        : change_text(c, first, k));
        change_wrap(at, new, change_begin(c, from), change_end(c, to),
                    text_format("%s", "(("), text_format("%s", after));
    }
}

/* An error that is asked for is not what makes an answer wrong. */
static bool asks_for_error(const struct changing *c, size_t first, size_t end) {
    for (size_t k = first; k < end; k++) {
        char *word = change_text(c, k, k + 1);
        bool error =
            word && (strstr(word, "rror") || strstr(word, "uccess") ||
                     strcmp(word, "=") == 0 || strcmp(word, "err") == 0);
        free(word);
        if (error) return true;
    }
    return false;
}

void changes_of_conditions(const struct change_at *at) {
    const struct changing *c = at->c;
    for (size_t k = at->first + 1; k + 1 < at->end; k++)
        if (change_is(c, k, "&&") || change_is(c, k, "||")) look_at_both(at, k);
    size_t first = at->first + 2, end = at->end - 1;
    if (at->kind != C_IF || first >= end || !change_is(c, at->first + 1, "(") ||
        asks_for_error(c, first, end))
        return;
    char *all = change_text(c, first, end);
    put_around(at, CHANGE_NEGATE, first, end, "(!!(", ")!=SLM(@))",
               text_format("!(%s)", all ? all : ""));
    put_around(at, CHANGE_NEGATE, first, end, "((", ")||SLM(@))",
               text_format("true"));
    free(all);
}
