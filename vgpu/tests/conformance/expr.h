/* SPDX-License-Identifier: MIT
 *
 * expr.h: the formulas of a conformance program's comments.
 *
 * C's operators on 64-bit integers, doubles where a literal has a point or a
 * name is a float. Names: i (the element), scalar parameters, buffers with an
 * index (`in[i+1]`, their contents before the run). Functions: min, max, abs,
 * popc, clz, sqrt.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value {
    bool is_float;
    int64_t i;
    double f;
};

/* False: no such name, or index out of range. */
typedef bool expr_lookup(void *user, const char *name, size_t bytes,
                         bool indexed, int64_t index, struct value *);

/* NULL, or what is wrong with the text. When `end` is not NULL, one item of a
 * list is read (a value, or a formula in parentheses: a blank ends it, so that
 * "1 -2" is two) and *end is what follows it. */
const char *expr_evaluate(const char *text, expr_lookup *, void *user,
                          struct value *, const char **end);
