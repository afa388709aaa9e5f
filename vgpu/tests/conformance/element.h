/* SPDX-License-Identifier: MIT
 *
 * element.h: elements of the buffers of a conformance program.
 */
#pragma once

#include "case.h"
#include "expr.h"

/* Of the text's first word, with a blank behind it; NULL: no such type. */
const struct case_type *element_type(const char *text);
struct value element_load(const struct case_type *, const uint8_t *at);
void element_store(const struct case_type *, uint8_t *at, struct value);
/* Any NaN is every NaN. */
bool element_same(const struct case_type *, const uint8_t *, const uint8_t *);
void element_print(const struct case_type *, const uint8_t *at); /* stderr */
