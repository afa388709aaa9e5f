/* SPDX-License-Identifier: MIT
 *
 * formula.h: exact integer formulas in n, as bounds in lab.ini write them.
 *
 * An expression has integers, n, kept (number of elements of the answer),
 * blocks (number of blocks that were launched, at least 1), messages
 * (longest_chain, in a check with a clock), the parameters of parameters.def,
 * + - * / % ( ) and the functions of formula_functions.def. A bound is
 * "counter <= expression"; the comparison is one of formula_compares.def.
 *
 * Arithmetic is exact in 128 bits. / rounds towards minus infinity and % is its
 * remainder (never negative for a positive divisor). Overflow and division by
 * zero are errors with a text, never a wrong number. A parsed formula is
 * immutable and may be evaluated by several threads at once.
 *
 * A rule says each element of an answer, from the first to the last: a formula
 * of i, in, in2, before, before2, in_before, in_next, n and the parameters,
 * "in + before" for an inclusive scan. Its arithmetic wraps modulo 2^64, so it
 * has always a result. Of floats it is computed in doubles.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum formula_compare {
#define X(name, sign, holds) FORMULA_##name,
#include "formula_compares.def"
#undef X
    FORMULA_N_COMPARES
};

/* What the variables stand for in one evaluation. */
struct formula_env {
    int64_t n, kept; /* elements of the input, of the answer */
    int64_t blocks, messages;
#define X(name, least, most, usual, values, text) int64_t name;
#include "parameters.def"
#undef X
    /* Of rules only: the element's index and its inputs; both answers' elements
     * before it and the first input's, 0 for i = 0; the first input's element
     * behind it, 0 for the last. */
    int64_t i, in, in2, before, before2, in_before, in_next;
};

/* A float that was computed, and the sum of the absolute values of all that was
 * added up on its way: what rounding may have moved is a part of that. */
struct formula_float {
    double value, size;
};
struct formula_float formula_float_of(double value);
/* What stands in a rule for floats in the places of env's in to in_next. */
struct formula_floats {
    struct formula_env env;
    struct formula_float in, in2, before, before2, in_before, in_next;
};

enum { FORMULA_ERROR = 160, FORMULA_TEXT = 512 };

struct formula;

/* NULL on error; then error says what is wrong and at which column. */
struct formula *formula_parse(const char *text, char error[FORMULA_ERROR]);
void formula_free(struct formula *); /* NULL: nothing to do */

/* false on overflow (also of the 64-bit result) or division by zero; then error
 * says so and *result is untouched. */
bool formula_eval(const struct formula *, const struct formula_env *,
                  int64_t *result, char error[FORMULA_ERROR]);

/* As formula_parse, of a rule. Divisors must be numbers, and functions that
 * want no negative argument are refused. */
struct formula *formula_parse_rule(const char *text, char error[FORMULA_ERROR]);
int64_t formula_eval_rule(const struct formula *, const struct formula_env *);
/* Can the rule be computed with floats? There is no % and no bit of a float,
 * and what is chosen must not hang on how sums were rounded: less, equal and
 * the condition of if ask neither for before nor for before2. */
bool formula_rule_of_floats(const struct formula *, char error[FORMULA_ERROR]);
/* Of such a rule. */
struct formula_float formula_eval_floats(const struct formula *,
                                         const struct formula_floats *);

/* The formula as it was written, trimmed. Lives as long as the formula. */
const char *formula_text(const struct formula *);

/* The variables of bounds: n, kept, blocks, messages, then the rows of
 * parameters.def. */
size_t formula_n_variables(void);
const char *formula_variable_name(size_t row);
int64_t formula_variable_value(const struct formula_env *, size_t row);
bool formula_uses(const struct formula *, size_t row);

/* Splits "name <= expression" in place of a copy: name goes to name[size],
 * *rest points behind the comparison. */
bool formula_split(const char *text, char *name, size_t size,
                   enum formula_compare *, const char **rest,
                   char error[FORMULA_ERROR]);

const char *formula_compare_sign(enum formula_compare); /* "<=" */
bool formula_holds(enum formula_compare, uint64_t left, int64_t right);

/* "clog2(n) = 20 at n = 1048576"; a formula without variables: "20". Never
 * fails: an error stands in the text. */
void formula_describe(const struct formula *, const struct formula_env *,
                      char text[FORMULA_TEXT]);
