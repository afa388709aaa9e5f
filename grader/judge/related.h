/* SPDX-License-Identifier: MIT
 *
 * related.h: the lines that decide about what a line does: the conditions and
 * loops it stands in, and those that give its variables their values. Read
 * from the text alone, as a person would: no types, nothing expanded.
 */
#pragma once

#include "c_statements.h"

enum related_kind {
    RELATED_CONDITION, /* the `if` or loop around it */
    RELATED_VALUE,     /* gives one of its variables a value */
    RELATED_CALL,      /* calls its function, with what it uses */
    RELATED_CONSTANT   /* outside of functions */
};
struct related {
    enum related_kind kind;
    unsigned line;
};
enum { RELATED_MOST = 16 };

struct related_file {
    struct c_tokens tokens;
    struct c_statements statements;
};

/* false: no memory. */
bool related_open(const char *text, struct related_file *);
void related_close(struct related_file *);
/* Each line once, not `line` itself; what matters most comes first. Their
 * number. */
size_t related_lines(const struct related_file *, unsigned line,
                     struct related to[RELATED_MOST]);
/* The first line of the function's definition whose body a line is of; 0: none.
 */
unsigned related_function(const struct related_file *, unsigned line);
