/* SPDX-License-Identifier: MIT
 *
 * formula.c: from text to the steps of a formula, by recursive descent, and
 * back to text. Depth and length have fixed limits, so that no text can exhaust
 * the stack.
 */
#include "formula_steps.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parser ---- */
struct parser {
    const char *start, *at;
    struct formula *formula;
    char *error;
    int depth;
    bool failed, is_rule;
};

__attribute__((format(printf, 2, 3))) static bool
fail(struct parser *p, const char *format, ...) {
    if (p->failed) return false;
    p->failed = true;
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(p->error, FORMULA_ERROR, format, arguments);
    va_end(arguments);
    if (used >= 0 && used < FORMULA_ERROR)
        snprintf(p->error + used, (size_t)(FORMULA_ERROR - used),
                 " (column %td of '%.60s')", p->at - p->start + 1, p->start);
    return false;
}

static void skip_blanks(struct parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool formula_take(struct parser *p, char c) {
    skip_blanks(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static bool emit(struct parser *p, enum formula_operation operation,
                 int64_t operand) {
    if (p->formula->n_steps == FORMULA_MAX_STEPS)
        return fail(p, "the formula is too long");
    p->formula->steps[p->formula->n_steps++] =
        (struct formula_step){operation, operand};
    return true;
}

static bool parse_sum(struct parser *p);

static bool parse_number(struct parser *p) {
    int64_t value = 0;
    for (; isdigit((unsigned char)*p->at); p->at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p->at - '0', &value))
            return fail(p, "the number is too large");
    }
    return emit(p, OP_CONSTANT, value);
}

static bool parse_call(struct parser *p, enum formula_operation operation) {
    int arity = formula_operation_arity(operation);
    for (int i = 0; i < arity; i++) {
        if (i > 0 && !formula_take(p, ','))
            return fail(p, "%s takes %d arguments",
                        formula_operation_name(operation), arity);
        if (!parse_sum(p)) return false;
    }
    if (!formula_take(p, ')'))
        return fail(p, "')' expected after %d argument%s of %s", arity,
                    arity == 1 ? "" : "s", formula_operation_name(operation));
    return emit(p, operation, 0);
}

static bool always_has_a_result(struct parser *p) {
    const struct formula *f = p->formula;
    for (size_t i = 0; i < f->n_steps; i++) {
        enum formula_operation operation = f->steps[i].operation;
        const struct formula_step *last = i ? &f->steps[i - 1] : NULL;
        const char *name = formula_operation_name(operation);
        if (formula_operation_fails(operation))
            return fail(p,
                        "%s has no result for numbers below 0, and a rule "
                        "must have one",
                        name);
        if (formula_operation_divides(operation) &&
            (last->operation != OP_CONSTANT || last->operand == 0))
            return fail(p, "in a rule %s divides by a number, and not by 0",
                        name);
    }
    return true;
}

static bool same(const char *known, const char *name, size_t length) {
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

static bool parse_name(struct parser *p) {
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') p->at++;
    size_t length = (size_t)(p->at - name);
    skip_blanks(p);
    bool call = *p->at == '(';
    for (size_t i = 0; !call && i < FORMULA_N_VARIABLES; i++)
        if (formula_variable_fits(i, p->is_rule) &&
            same(formula_variable_name(i), name, length))
            return emit(p, OP_VARIABLE, (int64_t)i);
    for (size_t i = OP_NEGATE + 1; call && i < N_OPERATIONS; i++)
        if (same(formula_operation_name((enum formula_operation)i), name,
                 length)) {
            p->at++;
            return parse_call(p, (enum formula_operation)i);
        }
    p->at = name;
    return fail(p, "unknown %s '%.*s'", call ? "function" : "variable",
                length > 40 ? 40 : (int)length, name);
}

static bool parse_primary(struct parser *p) {
    if (formula_take(p, '(')) {
        if (!parse_sum(p)) return false;
        return formula_take(p, ')') || fail(p, "')' expected");
    }
    if (formula_take(p, '-')) {
        if (p->depth >= FORMULA_MAX_DEPTH) return fail(p, "nested too deeply");
        p->depth++;
        bool good = parse_primary(p) && emit(p, OP_NEGATE, 0);
        p->depth--;
        return good;
    }
    skip_blanks(p);
    if (isdigit((unsigned char)*p->at)) return parse_number(p);
    if (isalpha((unsigned char)*p->at)) return parse_name(p);
    return fail(p, "a number, a name or '(' expected");
}

static bool parse_product(struct parser *p) {
    if (!parse_primary(p)) return false;
    for (;;) {
        enum formula_operation operation = formula_take(p, '*')   ? OP_MULTIPLY
                                           : formula_take(p, '/') ? OP_DIVIDE
                                           : formula_take(p, '%') ? OP_MODULO
                                                                  : OP_CONSTANT;
        if (operation == OP_CONSTANT) return true;
        if (!parse_primary(p) || !emit(p, operation, 0)) return false;
    }
}

static bool parse_sum(struct parser *p) {
    if (p->depth >= FORMULA_MAX_DEPTH) return fail(p, "nested too deeply");
    p->depth++;
    bool good = parse_product(p);
    while (good) {
        enum formula_operation operation = formula_take(p, '+')   ? OP_ADD
                                           : formula_take(p, '-') ? OP_SUBTRACT
                                                                  : OP_CONSTANT;
        if (operation == OP_CONSTANT) break;
        good = parse_product(p) && emit(p, operation, 0);
    }
    p->depth--;
    return good;
}

/* ---- public ---- */
static char *trimmed_copy(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    return strndup(text, length);
}

static struct formula *formula_parse_as(const char *text, bool is_rule,
                                        char error[FORMULA_ERROR]) {
    struct formula *formula = calloc(1, sizeof *formula);
    if (formula) formula->text = trimmed_copy(text);
    if (!formula || !formula->text) {
        snprintf(error, FORMULA_ERROR, "out of memory");
        formula_free(formula);
        return NULL;
    }
    struct parser parser = {.start = formula->text,
                            .at = formula->text,
                            .formula = formula,
                            .error = error,
                            .is_rule = is_rule};
    if (parse_sum(&parser)) {
        skip_blanks(&parser);
        if (*parser.at != '\0')
            fail(&parser, "'%c' not expected here", *parser.at);
        else if (!is_rule || always_has_a_result(&parser))
            return formula;
    }
    formula_free(formula);
    return NULL;
}

struct formula *formula_parse(const char *text, char error[FORMULA_ERROR]) {
    return formula_parse_as(text, false, error);
}

struct formula *formula_parse_rule(const char *text,
                                   char error[FORMULA_ERROR]) {
    return formula_parse_as(text, true, error);
}

void formula_free(struct formula *formula) {
    if (!formula) return;
    free(formula->text);
    free(formula);
}

const char *formula_text(const struct formula *formula) {
    return formula->text;
}

static const char *const signs[FORMULA_N_COMPARES] = {
#define X(name, sign, holds) [FORMULA_##name] = sign,
#include "formula_compares.def"
#undef X
};

const char *formula_compare_sign(enum formula_compare compare) {
    return signs[compare];
}

bool formula_split(const char *text, char *name, size_t size,
                   enum formula_compare *compare, const char **rest,
                   char error[FORMULA_ERROR]) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strcspn(text, "<>= \t\n");
    const char *at = text + length;
    while (isspace((unsigned char)*at)) at++;
    for (int i = 0; i < FORMULA_N_COMPARES; i++) {
        size_t sign_length = strlen(signs[i]);
        if (strncmp(at, signs[i], sign_length) != 0) continue;
        if (length == 0 || length >= size) break;
        memcpy(name, text, length);
        name[length] = '\0';
        *compare = (enum formula_compare)i;
        *rest = at + sign_length;
        return true;
    }
    snprintf(error, FORMULA_ERROR,
             "'%.60s' is not 'name <= expression' (or >=, ==, <, >)", text);
    return false;
}

size_t formula_n_variables(void) {
    return FORMULA_N_IN_BOUNDS;
}

bool formula_uses(const struct formula *formula, size_t row) {
    for (size_t i = 0; i < formula->n_steps; i++)
        if (formula->steps[i].operation == OP_VARIABLE &&
            formula->steps[i].operand == (int64_t)row)
            return true;
    return false;
}

void formula_describe(const struct formula *formula,
                      const struct formula_env *env, char text[FORMULA_TEXT]) {
    int64_t value;
    char error[FORMULA_ERROR], number[FORMULA_ERROR + 2];
    if (formula_eval(formula, env, &value, error))
        snprintf(number, sizeof number, "%" PRId64, value);
    else
        snprintf(number, sizeof number, "(%s)", error);
    char at[96] = "";
    for (size_t v = 0; v < FORMULA_N_IN_BOUNDS; v++) {
        if (!formula_uses(formula, v)) continue;
        size_t used = strlen(at);
        snprintf(at + used, sizeof at - used, "%s%s = %" PRId64,
                 used ? ", " : " at ", formula_variable_name(v),
                 formula_variable_value(env, v));
    }
    if (formula->n_steps == 1 && !*at)
        snprintf(text, FORMULA_TEXT, "%s", number);
    else
        snprintf(text, FORMULA_TEXT, "%.120s = %s%s", formula->text, number,
                 at);
}
