/* SPDX-License-Identifier: MIT
 *
 * names.h: every identifier, directive and instruction form of a module, once.
 *
 * How to read this: each text has one struct ptx_name. So names are compared by
 * their pointers, and what a name means (keyword, local binding, symbol of the
 * module) is found in its fields, without a second search. Directives are
 * stored with their dot.
 */
#pragma once

#include "ptx.h"
#include "arena.h"

enum ptx_keyword {
    PTX_KEY_NONE,
#define X(word, kind, value) PTX_KEY_##kind,
#define FIRST_OF_A_KIND
#include "keywords.def"
#undef X
    PTX_N_KEYWORDS
};

struct ptx_binding;
struct ptx_name {
    const char *text; /* ends in NUL */
    uint32_t length;
    uint32_t keyword;          /* enum ptx_keyword */
    uint32_t value;            /* of the keyword: a type, a space, a count */
    uint32_t function;         /* index in the module + 1; 0: none */
    uint32_t variable;         /* likewise */
    uint32_t debug_string;     /* offset in .debug_str + 1; 0: none */
    uint32_t owner;            /* serial of the last body that used it as is */
    uint32_t special;          /* enum ptx_sreg */
    bool is_special;           /* special register, or the "%tid" of one */
    bool is_table;             /* names a prototype or a target list */
    struct ptx_form *form;     /* once seen as an instruction */
    struct ptx_binding *local; /* innermost, while a body is parsed */
    uint64_t hash;
};

struct ptx_names {
    struct ptx_name **slots;
    size_t n, capacity; /* capacity: a power of two */
    uint64_t seed;
};

/* What ptx_module.arena points to; itself in the arena. */
struct ptx_storage {
    struct ptx_arena arena;
    struct ptx_names names;
};

/* NULL: no memory. */
struct ptx_name *ptx_name_intern(struct ptx_storage *, const char *text,
                                 size_t length);
/* NULL: never seen. */
struct ptx_name *ptx_name_find(const struct ptx_names *, const char *text,
                               size_t length);
/* Adds keywords and special registers; false: no memory. */
bool ptx_names_init(struct ptx_storage *);
void ptx_names_free(struct ptx_names *);
