/* SPDX-License-Identifier: MIT
 *
 * formula_steps.h: what formula.c (text to steps) and formula_eval.c (steps to
 * numbers) share: a formula is a flat array of steps of a stack machine, in
 * postfix order. For these two files only.
 */
#pragma once

#include "formula.h"

enum {
    FORMULA_MAX_STEPS = 128,
    FORMULA_MAX_DEPTH = 32,
    FORMULA_N_VARIABLES = sizeof(struct formula_env) / sizeof(int64_t),
    FORMULA_N_IN_BOUNDS = offsetof(struct formula_env, i) / sizeof(int64_t)
};

enum formula_operation {
    OP_CONSTANT,
    OP_VARIABLE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_NEGATE,
#define X(name, arity, function, divides, text) OP_##name,
#include "formula_functions.def"
#undef X
    N_OPERATIONS
};

struct formula_step {
    enum formula_operation operation;
    int64_t operand; /* constant, or number of a variable */
};

struct formula {
    struct formula_step steps[FORMULA_MAX_STEPS];
    size_t n_steps;
    char *text;
};

/* Which variable may stand in a bound, in a rule. */
bool formula_variable_fits(size_t row, bool is_rule);
/* Has the operation no result for some arguments, whatever their size? */
bool formula_operation_fails(enum formula_operation);
bool formula_operation_divides(enum formula_operation);
const char *formula_operation_name(enum formula_operation);
int formula_operation_arity(enum formula_operation);
