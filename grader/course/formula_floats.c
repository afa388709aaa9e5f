/* SPDX-License-Identifier: MIT
 *
 * formula_floats.c: rules for floats, computed in doubles. Beside each value
 * goes the sum of the absolute values that it was added up from: how far
 * another order of additions may be off is a part of that.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formula_steps.h"

enum { IN = FORMULA_N_IN_BOUNDS + 1 }; /* behind i */

struct formula_float formula_float_of(double value) {
    return (struct formula_float){value, fabs(value)};
}

static struct formula_float variable(const struct formula_floats *env,
                                     size_t row) {
    struct formula_float value;
    if (row < IN)
        return formula_float_of((double)formula_variable_value(&env->env, row));
    memcpy(&value,
           (const char *)env + offsetof(struct formula_floats, in) +
               (row - IN) * sizeof value,
           sizeof value);
    return value;
}

/* What the operation makes of its arguments a[]. */
static struct formula_float compute(enum formula_operation operation,
                                    const struct formula_float *a) {
    double sizes = a[0].size + a[1].size;
    switch (operation) {
    case OP_ADD: return (struct formula_float){a[0].value + a[1].value, sizes};
    case OP_SUBTRACT:
        return (struct formula_float){a[0].value - a[1].value, sizes};
    case OP_MULTIPLY:
        return (struct formula_float){a[0].value * a[1].value,
                                      a[0].size * a[1].size};
    case OP_DIVIDE:
        return (struct formula_float){a[0].value / a[1].value,
                                      a[0].size / a[1].size};
    case OP_NEGATE: return (struct formula_float){-a[0].value, a[0].size};
    case OP_min:
        return (struct formula_float){fmin(a[0].value, a[1].value),
                                      fmax(a[0].size, a[1].size)};
    case OP_max:
        return (struct formula_float){fmax(a[0].value, a[1].value),
                                      fmax(a[0].size, a[1].size)};
    case OP_less: return formula_float_of(a[0].value < a[1].value);
    case OP_equal: return formula_float_of(a[0].value == a[1].value);
    default: return a[0].value != 0 ? a[1] : a[2]; /* if */
    }
}

struct formula_float formula_eval_floats(const struct formula *rule,
                                         const struct formula_floats *env) {
    struct formula_float stack[FORMULA_MAX_STEPS + 2] = {{0}};
    size_t top = 0;
    for (size_t i = 0; i < rule->n_steps; i++) {
        const struct formula_step *step = &rule->steps[i];
        if (step->operation == OP_CONSTANT) {
            stack[top++] = formula_float_of((double)step->operand);
        } else if (step->operation == OP_VARIABLE) {
            stack[top++] = variable(env, (size_t)step->operand);
        } else {
            top -= (size_t)formula_operation_arity(step->operation);
            stack[top] = compute(step->operation, stack + top);
            top++;
        }
    }
    return stack[0];
}

/* ---- what has no result ---- */

static bool is_of_floats(enum formula_operation operation) {
    switch (operation) {
    case OP_CONSTANT:
    case OP_VARIABLE:
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_NEGATE:
    case OP_min:
    case OP_max:
    case OP_less:
    case OP_equal:
    case OP_if: return true;
    default: return false;
    }
}

/* Of which arguments what is computed hangs on by yes or no. */
static int floats_decide(enum formula_operation operation) {
    return operation == OP_less || operation == OP_equal ? 2
           : operation == OP_if                          ? 1
                                                         : 0;
}

static bool floats_before(int64_t row) {
    const char *name = formula_variable_name((size_t)row);
    return strcmp(name, "before") == 0 || strcmp(name, "before2") == 0;
}

bool formula_rule_of_floats(const struct formula *rule,
                            char error[FORMULA_ERROR]) {
    bool rounded[FORMULA_MAX_STEPS + 2] = {false};
    size_t top = 0;
    for (size_t i = 0; i < rule->n_steps; i++) {
        const struct formula_step *step = &rule->steps[i];
        const char *name = formula_operation_name(step->operation);
        size_t arity = (size_t)formula_operation_arity(step->operation);
        bool any =
            step->operation == OP_VARIABLE && floats_before(step->operand);
        if (!is_of_floats(step->operation)) {
            snprintf(error, FORMULA_ERROR, "%s is not for floats", name);
            return false;
        }
        top -= arity;
        for (size_t a = 0; a < arity; a++) {
            any = any || rounded[top + a];
            if (!rounded[top + a] || (int)a >= floats_decide(step->operation))
                continue;
            snprintf(error, FORMULA_ERROR,
                     "of floats, %s would hang on how `before` was rounded",
                     name);
            return false;
        }
        rounded[top++] = any;
    }
    return true;
}
