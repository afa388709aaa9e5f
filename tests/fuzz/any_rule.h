/* SPDX-License-Identifier: MIT
 *
 * any_rule.h: a rule for each oracle that wants one, with all its parts.
 */
#pragma once

#include <stdlib.h>

#include "oracle.h"

/* The caller ends with rule_free. */
static inline struct rule *any_rule(int oracle) {
    char why[FORMULA_ERROR];
    bool floats = oracle_element(oracle, BUFFER_IN) == ELEMENT_f32;
    struct rule *rule = calloc(1, sizeof *rule);
    if (!rule) abort();
    rule->out =
        formula_parse_rule(floats ? "in * 2 + if(less(in, 0), 0, before)"
                                  : "in + if(in % 4, before, in_before)",
                           why);
    rule->out2 = formula_parse_rule("before2 + in2", why);
    rule->keep = oracle_shape(oracle) == OUTPUT_COMPACT
                     ? formula_parse_rule("less(in, in_next)", why)
                     : NULL;
    return rule;
}
