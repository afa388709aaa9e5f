/* SPDX-License-Identifier: MIT
 *
 * oracle_rule.c: the answer that a rule in lab.ini says, element by element
 * (formula.h), for labs whose answer no row of oracles.def has.
 */
#include "oracle.h"

size_t oracle_by_rule(const struct oracle_call *c) {
    const int32_t *in = c->in, *in2 = c->in2;
    int32_t *out = c->out;
    struct formula_env env = {
#define X(name, least, most, usual, values, text)                              \
    .name = c->parameters[PARAMETER_##name],
#include "parameters.def"
#undef X
        .n = (int64_t)c->n};
    for (size_t i = 0; i < c->n; i++) {
        env.i = (int64_t)i;
        env.in = in[i];
        env.in2 = in2 ? in2[i] : 0;
        env.before = i ? out[i - 1] : 0;
        env.in_before = i ? in[i - 1] : 0;
        out[i] = (int32_t)(uint32_t)formula_eval_rule(c->rule, &env);
    }
    return c->n;
}
