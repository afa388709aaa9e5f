/* SPDX-License-Identifier: MIT
 *
 * json_parts.h: what the reports in JSON share; for them only. As everywhere in
 * jansson, a NULL result means no memory.
 */
#pragma once

#include <jansson.h>

#include "grade.h"
#include "outcome.h"

/* Cleaned; null for NULL. */
json_t *json_text(const char *);

/* Writes the object, if it is not NULL, and frees it; false: errno says why. */
bool json_write(FILE *, json_t *);

/* json.c: verbose: with the detail of checks. */
json_t *json_grade(const struct grade *, bool verbose);
/* null: nothing wrong; nothing measured. */
json_t *json_outcome(const struct outcome *);
/* "difference", "deadlock": what kind of failure it is. */
const char *json_kind_of(const struct outcome *);
json_t *json_measured(const struct measured *);
/* steps_json.c: null: none is known. */
json_t *json_first_wrong_step(const struct steps_view *);
