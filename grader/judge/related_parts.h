/* SPDX-License-Identifier: MIT
 *
 * related_parts.h: what the files of related.h share: tokens, and which
 * statements give a variable a value.
 */
#pragma once

#include "related.h"

struct looking {
    const struct related_file *file;
    unsigned line; /* that is asked about */
    struct related *to;
    size_t n;
};

const struct c_token *related_token(const struct looking *, size_t k);
/* Does the name stand in the statement? */
bool related_mentions(const struct looking *, const struct c_statement *,
                      const struct c_token *name);
bool related_is(const struct looking *, size_t k, const char *text);
bool related_begins(const struct c_token *, const char *word);
bool related_assigns(const struct looking *, size_t k);
/* The token behind the indices at k, and members, if there are any. */
size_t related_behind_index(const struct looking *, size_t k, size_t end);
/* The definition of the function that a token names; -1: none here. */
int32_t related_definition(const struct looking *, const struct c_token *name);
/* Does the statement give the variable a value? */
bool related_gives(const struct looking *, const struct c_statement *,
                   const struct c_token *name);
