/* SPDX-License-Identifier: MIT
 *
 * oracle_rule.c: the answer that the rules in lab.ini say, element by element
 * (formula.h), for labs whose answer no row of oracles.def has.
 */
#include <stdlib.h>

#include "oracle.h"

void rule_free(struct rule *rule) {
    if (!rule) return;
    formula_free(rule->out);
    formula_free(rule->out2);
    formula_free(rule->keep);
    free(rule);
}

static struct formula_env rule_env(const struct oracle_call *c) {
    return (struct formula_env){
#define X(name, least, most, usual, values, text)                              \
    .name = c->parameters[PARAMETER_##name],
#include "parameters.def"
#undef X
        .n = (int64_t)c->n};
}

static int64_t rule_load(enum element e, const void *words, size_t i) {
    if (e == ELEMENT_i64) return ((const int64_t *)words)[i];
    if (e == ELEMENT_u32) return ((const uint32_t *)words)[i];
    return ((const int32_t *)words)[i];
}

static int64_t rule_store(enum element e, void *words, size_t i,
                          int64_t value) {
    if (e == ELEMENT_i64)
        ((int64_t *)words)[i] = value;
    else
        ((uint32_t *)words)[i] = (uint32_t)value;
    return rule_load(e, words, i);
}

/* All buffers of a row have elements of one type. */
static size_t whole_by_rule(const struct oracle_call *c) {
    enum element e = c->element;
    struct formula_env env = rule_env(c);
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        env.i = (int64_t)i;
        env.in = rule_load(e, c->in, i);
        env.in2 = c->in2 ? rule_load(e, c->in2, i) : 0;
        env.in_before = i ? rule_load(e, c->in, i - 1) : 0;
        env.in_next = i + 1 < c->n ? rule_load(e, c->in, i + 1) : 0;
        bool keeps = !c->rule->keep || formula_eval_rule(c->rule->keep, &env);
        int64_t first = formula_eval_rule(c->rule->out, &env), second = 0;
        if (c->out2) second = formula_eval_rule(c->rule->out2, &env);
        /* What is not kept is written over by the next, which asks for it as
         * `before`: by then it is in env. */
        env.before = rule_store(e, c->out, kept, first);
        if (c->out2) env.before2 = rule_store(e, c->out2, kept, second);
        kept += keeps;
    }
    return kept;
}

/* To values[n] and sizes[n]; either may be NULL. */
static void floats_by_rule(const struct oracle_call *c, float *values,
                           float *sizes) {
    const float *in = c->in;
    struct formula_floats env = {.env = rule_env(c)};
    for (size_t i = 0; i < c->n; i++) {
        env.env.i = (int64_t)i;
        env.in = formula_float_of((double)in[i]);
        env.in_next = formula_float_of(i + 1 < c->n ? (double)in[i + 1] : 0);
        env.before = formula_eval_floats(c->rule->out, &env);
        env.in_before = env.in;
        if (values) values[i] = (float)env.before.value;
        if (sizes) sizes[i] = (float)env.before.size;
    }
}

void oracle_rule_sizes(const struct rule *rule, const struct parameters *p,
                       const float *in, size_t n, float *sizes) {
    struct oracle_call call = {
        .in = in, .n = n, .parameters = p->value, .rule = rule};
    floats_by_rule(&call, NULL, sizes);
}

size_t oracle_by_rule(const struct oracle_call *c) {
    if (c->element != ELEMENT_f32) return whole_by_rule(c);
    floats_by_rule(c, c->out, NULL);
    return c->n;
}
