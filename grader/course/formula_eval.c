/* SPDX-License-Identifier: MIT
 *
 * formula_eval.c: the arithmetic of formulas. Every step is checked with the
 * compiler's overflow built-ins; the stack cannot be deeper than a formula has
 * steps.
 */
#include "formula_steps.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* ---- functions: false when the result does not exist ---- */
typedef bool (*step_function)(const wide *a, wide *r);

static bool formula_eval_add(const wide *a, wide *r) {
    return !__builtin_add_overflow(a[0], a[1], r);
}

static bool subtract(const wide *a, wide *r) {
    return !__builtin_sub_overflow(a[0], a[1], r);
}

static bool multiply(const wide *a, wide *r) {
    return !__builtin_mul_overflow(a[0], a[1], r);
}

/* Divisors are checked against zero by the evaluator. The quotient overflows
 * only for the smallest value by -1. */
static bool divide(const wide *a, wide *r) {
    if (a[1] == -1) return !__builtin_sub_overflow((wide)0, a[0], r);
    wide quotient = a[0] / a[1];
    if (a[0] % a[1] != 0 && (a[0] < 0) != (a[1] < 0)) quotient--;
    *r = quotient;
    return true;
}

static bool modulo(const wide *a, wide *r) {
    if (a[1] == -1) {
        *r = 0;
        return true;
    }
    wide rest = a[0] % a[1];
    if (rest != 0 && (rest < 0) != (a[1] < 0)) rest += a[1];
    *r = rest;
    return true;
}

static bool negate(const wide *a, wide *r) {
    return !__builtin_sub_overflow((wide)0, a[0], r);
}

static bool log2_down(const wide *a, wide *r) {
    wide x = a[0];
    if (x < 0) return false;
    for (*r = 0; x > 1; x /= 2) ++*r;
    return true;
}

static bool clog2(const wide *a, wide *r) {
    if (a[0] <= 1) {
        *r = 0;
        return a[0] >= 0;
    }
    wide below = a[0] - 1;
    log2_down(&below, r);
    ++*r;
    return true;
}

static bool pow2ceil(const wide *a, wide *r) {
    wide exponent;
    if (!clog2(a, &exponent) || exponent > 126) return false;
    *r = a[0] == 0 ? 0 : (wide)1 << exponent;
    return true;
}

static bool ceildiv(const wide *a, wide *r) {
    wide up[2];
    if (!negate(a, &up[0])) return false;
    up[1] = a[1];
    return divide(up, r) && negate(r, r);
}

static bool smaller(const wide *a, wide *r) {
    *r = a[0] < a[1] ? a[0] : a[1];
    return true;
}

static bool larger(const wide *a, wide *r) {
    *r = a[0] > a[1] ? a[0] : a[1];
    return true;
}

static bool is_less(const wide *a, wide *r) {
    *r = a[0] < a[1];
    return true;
}

static bool is_equal(const wide *a, wide *r) {
    *r = a[0] == a[1];
    return true;
}

static bool formula_choose(const wide *a, wide *r) {
    *r = a[0] ? a[1] : a[2];
    return true;
}

static bool bit_and(const wide *a, wide *r) {
    *r = a[0] & a[1];
    return true;
}

static bool bit_or(const wide *a, wide *r) {
    *r = a[0] | a[1];
    return true;
}

static bool bit_xor(const wide *a, wide *r) {
    *r = a[0] ^ a[1];
    return true;
}

/* ---- the stack machine ---- */
static const struct operation_row {
    const char *name;
    int arity;
    step_function function;
    bool divides; /* by its second argument */
} operations[N_OPERATIONS] = {
    [OP_CONSTANT] = {"", 0, NULL, false},
    [OP_VARIABLE] = {"", 0, NULL, false},
    [OP_ADD] = {"+", 2, formula_eval_add, false},
    [OP_SUBTRACT] = {"-", 2, subtract, false},
    [OP_MULTIPLY] = {"*", 2, multiply, false},
    [OP_DIVIDE] = {"/", 2, divide, true},
    [OP_MODULO] = {"%", 2, modulo, true},
    [OP_NEGATE] = {"-", 1, negate, false},
#define X(name, arity, function, divides, text)                                \
    [OP_##name] = {#name, arity, function, divides},
#include "formula_functions.def"
#undef X
};

static const struct {
    const char *name;
    size_t offset;
} variables[] = {
    {"n", offsetof(struct formula_env, n)},
    {"kept", offsetof(struct formula_env, kept)},
    {"blocks", offsetof(struct formula_env, blocks)},
    {"messages", offsetof(struct formula_env, messages)},
#define X(name, least, most, usual, values, text)                              \
    {#name, offsetof(struct formula_env, name)},
#include "parameters.def"
#undef X
    {"i", offsetof(struct formula_env, i)},
    {"in", offsetof(struct formula_env, in)},
    {"in2", offsetof(struct formula_env, in2)},
    {"before", offsetof(struct formula_env, before)},
    {"before2", offsetof(struct formula_env, before2)},
    {"in_before", offsetof(struct formula_env, in_before)},
    {"in_next", offsetof(struct formula_env, in_next)},
};

bool formula_variable_fits(size_t row, bool is_rule) {
    const size_t offset = variables[row].offset;
    return is_rule ? offset != offsetof(struct formula_env, kept) &&
                         offset != offsetof(struct formula_env, blocks) &&
                         offset != offsetof(struct formula_env, messages)
                   : row < FORMULA_N_IN_BOUNDS;
}

bool formula_operation_fails(enum formula_operation operation) {
    step_function f = operations[operation].function;
    return f == log2_down || f == clog2 || f == pow2ceil;
}

bool formula_operation_divides(enum formula_operation operation) {
    return operations[operation].divides;
}

int64_t formula_variable_value(const struct formula_env *env, size_t row) {
    int64_t value;
    memcpy(&value, (const char *)env + variables[row].offset, sizeof value);
    return value;
}

const char *formula_variable_name(size_t row) {
    return variables[row].name;
}

const char *formula_operation_name(enum formula_operation operation) {
    return operations[operation].name;
}

int formula_operation_arity(enum formula_operation operation) {
    return operations[operation].arity;
}

static bool apply(const struct operation_row *row, wide *stack, size_t *top,
                  char *error) {
    wide *arguments = stack + *top - (size_t)row->arity;
    if (row->divides && arguments[1] == 0) {
        snprintf(error, FORMULA_ERROR, "%s divides by zero", row->name);
        return false;
    }
    wide result;
    if (!row->function(arguments, &result)) {
        snprintf(error, FORMULA_ERROR,
                 "%s overflows, or its argument is negative", row->name);
        return false;
    }
    *arguments = result;
    *top -= (size_t)row->arity - 1;
    return true;
}

bool formula_eval(const struct formula *formula, const struct formula_env *env,
                  int64_t *result, char error[FORMULA_ERROR]) {
    wide stack[FORMULA_MAX_STEPS];
    size_t top = 0;
    stack[0] = 0;
    for (size_t i = 0; i < formula->n_steps; i++) {
        const struct formula_step *step = &formula->steps[i];
        if (step->operation == OP_CONSTANT)
            stack[top++] = step->operand;
        else if (step->operation == OP_VARIABLE)
            stack[top++] = formula_variable_value(env, (size_t)step->operand);
        else if (!apply(&operations[step->operation], stack, &top, error))
            return false;
    }
    if (stack[0] < INT64_MIN || stack[0] > INT64_MAX) {
        snprintf(error, FORMULA_ERROR, "the result needs more than 64 bits");
        return false;
    }
    *result = (int64_t)stack[0];
    return true;
}

/* Values stay within 64 bits, so that no product of two needs more than 128. */
int64_t formula_eval_rule(const struct formula *rule,
                          const struct formula_env *env) {
    wide stack[FORMULA_MAX_STEPS];
    size_t top = 0;
    char ignored[FORMULA_ERROR];
    stack[0] = 0;
    for (size_t i = 0; i < rule->n_steps; i++) {
        const struct formula_step *step = &rule->steps[i];
        if (step->operation == OP_CONSTANT)
            stack[top++] = step->operand;
        else if (step->operation == OP_VARIABLE)
            stack[top++] = formula_variable_value(env, (size_t)step->operand);
        else if (apply(&operations[step->operation], stack, &top, ignored))
            stack[top - 1] = (int64_t)(uint64_t)stack[top - 1];
        else
            return 0; /* formula_parse_rule has refused what could fail */
    }
    return (int64_t)stack[0];
}

bool formula_holds(enum formula_compare compare, uint64_t left, int64_t right) {
    wide l = left, r = right;
    switch (compare) {
#define X(name, sign, holds)                                                   \
    case FORMULA_##name:                                                       \
        return holds;
#include "formula_compares.def"
#undef X
    case FORMULA_N_COMPARES: break;
    }
    return false;
}
