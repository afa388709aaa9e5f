/* SPDX-License-Identifier: MIT
 *
 * fact_words.h: a fact as a sentence, in the language that is spoken, from
 * contract/facts.def and refusals.def. The sentence may hold bytes of a
 * submission: a format cleans it (clean_text.h) when it prints.
 */
#pragma once

#include "fact.h"
#include "text.h"

void fact_words(struct text *, const struct fact *);
/* The usual cause, a sentence; nothing where the row has none. */
void fact_cause(struct text *, const struct fact *);
/* The names of a row's values, in the order in which a fact holds them. */
struct fact_name {
    const char *text;
    int length;
};
size_t fact_names(enum fact_row, struct fact_name names[FACT_VALUES]);
const char *refusal_words(size_t row); /* "start another process (fork)" */
