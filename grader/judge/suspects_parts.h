/* SPDX-License-Identifier: MIT
 *
 * suspects_parts.h: what the files of suspects.h share: the walk, as far as it
 * came, and how suspicious a statement is.
 */
#pragma once

#include "related_parts.h"
#include "suspects.h"

struct suspects_one {
    double weight; /* the nearer the walk's beginning, the more */
    enum related_kind kind;
    bool done;
};

/* What it has to do with the names that the named statements have. */
struct suspects_link {
    bool gives;      /* sets one, in the same function */
    bool gives_here; /* of the first statement that is named */
    bool far;        /* sets an array or a member, in another function */
    bool declares, uses;
    bool names; /* an array or a member, in any function */
};

enum { SUSPECTS_GRID = 64 };
struct suspects_walk {
    const struct suspects_ask *ask;
    struct looking l;
    struct suspects_one *list; /* of each statement */
    int *depth;     /* of each function's head: as it is reached, from 1 */
    bool *trusted;  /* of each head */
    double *fresh;  /* of each head: part of its lines that ran here alone */
    int32_t *seeds; /* their statements; -1: none */
    struct suspects_link *links;
    bool *of_grid; /* makes what stands between <<< and >>> */
    bool *of_args; /* makes, in another function, what a launch is handed */
    size_t handed[SUSPECTS_GRID]; /* likewise, behind >>> */
    size_t n_handed;
    bool *listens; /* of each statement: it has a volatile or atomic access, or
                      calls a function that has one */
    bool *sends;   /* of each head: stores by volatile or atomic accesses */
};

const struct c_statement *suspects_at(const struct suspects_walk *, size_t k);
int32_t suspects_head(const struct suspects_walk *, size_t k);
unsigned suspects_first(const struct suspects_walk *, size_t k); /* line */
unsigned suspects_last(const struct suspects_walk *, size_t k);
/* Of the statement's lines; RAN_DID, RAN_COULD. */
unsigned suspects_ran(const struct suspects_walk *, size_t k);
/* In how many cases it ran that passed. */
unsigned suspects_passed(const struct suspects_walk *, size_t k);
/* Fills what launches are given, and what makes their grids. */
void suspects_find_grid(struct suspects_walk *);
void suspects_find_links(struct suspects_walk *);
/* Does it give a variable a value, or call something for that? */
bool suspects_sets(const struct suspects_walk *, const struct c_statement *);
/* A sum that compares with that of others. */
double suspects_weigh(const struct suspects_walk *, size_t k);
