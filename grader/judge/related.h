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
    RELATED_RESULT,    /* what a function that it calls gives back */
    RELATED_NEVER,     /* a condition that nothing met */
    RELATED_CONSTANT,  /* outside of functions */
    RELATED_DOES       /* part of what the function does that was called */
};
struct related {
    enum related_kind kind;
    unsigned line;
};
enum { RELATED_MOST = 32 };

/* Whoever writes a file decides how much there is to look through: so many
 * names of a statement, and of a function, and so many functions. */
enum {
    RELATED_NAMES = 64,
    RELATED_NAMES_IN_ALL = 4096,
    RELATED_FUNCTIONS = 1024
};
struct related_file {
    struct c_tokens tokens;
    struct c_statements statements;
    struct related_function {
        int32_t statement; /* its head */
        size_t name;       /* token */
    } functions[RELATED_FUNCTIONS];
    size_t n_functions;
};

/* false: no memory. */
bool related_open(const char *text, struct related_file *);
void related_close(struct related_file *);
/* Each line once, not `line` itself; what matters most comes first. Their
 * number. */
size_t related_lines(const struct related_file *, unsigned line,
                     struct related to[RELATED_MOST]);
/* The next statements behind that of a line, in its function. */
size_t related_next(const struct related_file *, unsigned line, size_t most,
                    struct related to[RELATED_MOST]);

/* The lines of what a function and those that it names do. */
enum related_deed {
    RELATED_STORES,    /* gives an element of an array a value */
    RELATED_LAUNCHES,  /* a kernel, */
    RELATED_ALLOCATES, /* memory of the host or the device, */
    RELATED_COPIES,    /* on the device, or sets bytes there, */
    RELATED_VARIABLES, /* outside of functions: variables of the device */
    RELATED_CALLS,     /* functions of the file, */
    RELATED_ORDER,     /* fences, volatile and atomic accesses */
    RELATED_TODO,      /* SCANLAB_TODO */
    N_RELATED_DEEDS
};
/* Functions come as they are named, the nearest first; none of those that the
 * `trusted` ones are or name. */
struct related_names {
    const char *const *names;
    size_t n;
};
/* The function of floating point that the statement of a line calls; its name's
 * bytes, at most `size` - 1. false: none. */
bool related_floating(const struct related_file *, unsigned line, char *name,
                      size_t size);
size_t related_deeds(const struct related_file *, const char *function,
                     struct related_names trusted, enum related_deed,
                     struct related to[RELATED_MOST]);
/* Of the function itself alone. */
size_t related_own_deeds(const struct related_file *, const char *function,
                         enum related_deed, struct related to[RELATED_MOST]);
bool related_does(const struct related_file *, const struct c_statement *,
                  enum related_deed);
/* The heads of a function and of those that it names, and they: the nearest
 * first. Their number, at most `most`. */
size_t related_reached(const struct related_file *, const char *function,
                       int32_t *heads, size_t most);
/* Conditions and loops that ran, and nothing of what stands in them; marks: of
 * each line RAN_COULD, RAN_DID (outcome.h). */
size_t related_never(const struct related_file *, const uint8_t *marks,
                     size_t n_lines, struct related to[RELATED_MOST]);
/* Where a kernel is launched, or handed on for that; loops: and the loops
 * around. Their number. */
size_t related_launches(const struct related_file *, const char *kernel,
                        bool loops, struct related to[RELATED_MOST]);
/* The first `if` of a kernel that stand in no other statement. Their number. */
size_t related_first_ifs(const struct related_file *, const char *kernel,
                         size_t most, unsigned lines[]);
/* The `if` in which a line stands directly; 0: none. */
unsigned related_if(const struct related_file *, unsigned line);
/* The innermost loop around a line; 0: none. */
unsigned related_loop(const struct related_file *, unsigned line);
