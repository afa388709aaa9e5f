/* SPDX-License-Identifier: MIT
 *
 * c_statements.h: the statements of a C or CUDA file, as far as one sees them
 * without types: which tokens each has, and which `if`, loop or function it
 * stands in.
 */
#pragma once

#include <stdint.h>

#include "c_tokens.h"

enum c_statement_kind {
    C_PLAIN,    /* up to its semicolon */
    C_IF,       /* the words and the condition; of `switch`, too */
    C_LOOP,     /* the head of for, while, do */
    C_FUNCTION, /* from its type to its parameters' end */
    C_OUTSIDE   /* of functions: variables, constants, types */
};
struct c_statement {
    enum c_statement_kind kind;
    size_t first, end; /* tokens */
    int32_t parent;    /* what it stands in; -1: nothing */
};

struct c_statements {
    struct c_statement *list; /* as they begin in the file */
    size_t n;
};

bool c_statements_read(const struct c_tokens *, struct c_statements *);
void c_statements_free(struct c_statements *);
/* The one that the line belongs to, the innermost; -1: none. */
int32_t c_statement_at(const struct c_tokens *, const struct c_statements *,
                       unsigned line);
/* The function that it stands in, or is; -1: none. */
int32_t c_function_of(const struct c_statements *, int32_t statement);
