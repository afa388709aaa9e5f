/* SPDX-License-Identifier: MIT
 *
 * parser.h: what the files of the parser share; nobody else includes it.
 *
 * How to read this: one token of look-ahead in p->token. Functions named
 * ptx_parse_* begin at the first token of what they parse and leave the first
 * token after it. Any error leaves through ptx_fail, which jumps back into
 * ptx_parse, where everything taken so far is freed; so nothing here returns an
 * error. lexer.c: text to tokens. module.c: directives. declare.c: variables
 * and registers. initialiser.c, expression.c: values. function.c: heads.
 * body.c: statements. scope.c: names of a body. operand.c. loc.c: source lines.
 */
#pragma once

#include "names.h"

#include <setjmp.h>

/* Nesting that a text may ask for: bounds stack and work per name. */
enum { PTX_MAX_SCOPES = 64, PTX_MAX_EXPRESSION_DEPTH = 64, PTX_MAX_DIMS = 8 };
/* No variable is larger: no GPU could hold it. */
#define PTX_MAX_VARIABLE_BYTES ((uint64_t)1 << 40)

enum ptx_token_kind { /* punctuation is its own character */
                      PTX_TOKEN_END = 0,
                      PTX_TOKEN_WORD = 256, /* name; also "%r1" */
                      PTX_TOKEN_DOT_WORD,   /* name with its dot: ".reg" */
                      PTX_TOKEN_INTEGER,    /* bits */
                      PTX_TOKEN_FLOAT32,    /* bits, of 0fXXXXXXXX */
                      PTX_TOKEN_FLOAT64,    /* bits, of 0dX... or a decimal */
                      PTX_TOKEN_STRING, /* start, length include the quotes */
                      PTX_TOKEN_SHIFT_LEFT,
                      PTX_TOKEN_SHIFT_RIGHT,
                      PTX_TOKEN_LESS_EQUAL,
                      PTX_TOKEN_GREATER_EQUAL,
                      PTX_TOKEN_EQUAL,
                      PTX_TOKEN_NOT_EQUAL,
                      PTX_TOKEN_AND,
                      PTX_TOKEN_OR
};

struct ptx_token {
    int kind;
    const char *start;
    uint32_t length;
    uint32_t line;
    struct ptx_name *name;
    uint64_t bits;
    bool is_unsigned; /* INTEGER: suffix U, or too large for .s64 */
};

/* A growing array that is given back when parsing ends. */
struct ptx_list {
    void *items;
    size_t n, capacity;
};

enum ptx_binding_kind {
    PTX_BIND_REGISTER, /* index */
    PTX_BIND_RANGE,    /* "%r<9>": 0..index-1, numbered when first used */
    PTX_BIND_VARIABLE, /* symbol */
    PTX_BIND_LABEL,    /* index: instruction */
    PTX_BIND_TABLE     /* symbol: a prototype or a target list */
};
struct ptx_binding { /* what a name means in a scope of the body */
    struct ptx_name *name;
    struct ptx_binding *outer;   /* the same name further out */
    struct ptx_binding *sibling; /* another name of the same scope */
    enum ptx_binding_kind kind;
    uint32_t scope;
    uint32_t index;
    enum ptx_type type;
    const char *symbol;
};

/* A name used before it is known to be a label, or known at all. */
struct ptx_pending {
    struct ptx_name *name;
    const char *at;
    enum { PTX_PENDING_OPERAND, PTX_PENDING_TARGET } kind;
    bool must_be_label;
    uint32_t major, minor; /* instruction, operand; or list, target */
};

struct ptx_scope {
    struct ptx_binding *bindings;
    size_t first_pending;
};

struct ptx_body {
    uint32_t serial; /* counts bodies from 1 */
    uint32_t n_scopes, n_renamed, n_inner_ranges;
    struct ptx_scope scopes[PTX_MAX_SCOPES];
    struct ptx_list insns, registers, variables, pending;
    struct ptx_binding *spare; /* bindings to use again */
    int32_t loc;
};

struct ptx_parser {
    jmp_buf failed;
    struct ptx_error *error;
    const char *text, *at; /* at: after the token; text ends in NUL */
    uint32_t line;
    struct ptx_token token;
    struct ptx_storage *storage;
    struct ptx_module *module;
    struct ptx_body body;
    struct ptx_list variables, functions, prototypes, target_lists, locs;
    struct ptx_list forward;     /* ptx_pending: symbols still undefined */
    struct ptx_list aliases;     /* struct ptx_alias */
    struct ptx_list relocations; /* of the variable being parsed */
    struct ptx_list image;       /* its bytes */
    struct ptx_list operands;    /* of the list being parsed */
    struct ptx_list params;      /* likewise */
    struct ptx_list targets;     /* likewise */
    struct ptx_list loc_details, loc_files, debug_bytes, loc_slots;
    size_t limit; /* bytes of arena and lists */
    unsigned expression_depth;
    uint32_t n_tables; /* suffixes given to names of tables */
};

/* ---- lexer.c ---- */
void ptx_next(struct ptx_parser *);
/* The word token grows over ".global.v4.u32" that follows without a space. */
void ptx_extend_form(struct ptx_parser *);
bool ptx_accept(struct ptx_parser *, int kind);
void ptx_expect(struct ptx_parser *, int kind, const char *what);
bool ptx_is_keyword(const struct ptx_parser *, enum ptx_keyword);
struct ptx_name *ptx_expect_word(struct ptx_parser *, const char *what);
/* A plain integer token, at most limit. */
uint64_t ptx_expect_integer(struct ptx_parser *, uint64_t limit,
                            const char *what);
/* A copy in the arena of the text between the quotes. */
const char *ptx_expect_string(struct ptx_parser *, const char *what);

/* ---- support.c ---- */
_Noreturn void ptx_fail(struct ptx_parser *, const char *at, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));
/* "expected WHAT before 'token'" */
_Noreturn void ptx_fail_expected(struct ptx_parser *, const char *what);
void *ptx_take(struct ptx_parser *, uint64_t bytes);
void *ptx_take_array(struct ptx_parser *, size_t n, size_t item_bytes);
struct ptx_name *ptx_intern(struct ptx_parser *, const char *, size_t length);
/* A zeroed new item at the end. Pointers to older items become invalid. */
void *ptx_list_add(struct ptx_parser *, struct ptx_list *, size_t item_bytes);
/* Room for n bytes in all, new ones zero; sets list->n. */
void ptx_list_reserve_bytes(struct ptx_parser *, struct ptx_list *, uint64_t n);
/* The items as an array in the arena, NULL when there are none; the list is
 * empty afterwards and keeps its memory. */
void *ptx_list_take(struct ptx_parser *, struct ptx_list *, size_t item_bytes,
                    uint32_t *n);

/* ---- module.c ---- */
void ptx_check_symbol(struct ptx_parser *, struct ptx_name *, const char *at);

/* ---- declare.c ---- */
struct ptx_linkage {
    bool is_extern, is_visible, is_weak, is_common;
};
void ptx_parse_module_variables(struct ptx_parser *,
                                const struct ptx_linkage *);
void ptx_parse_body_variables(struct ptx_parser *);
void ptx_parse_registers(struct ptx_parser *);
/* "(" parameters ")": an array in the arena; name "_" where unnamed. */
struct ptx_variable *ptx_parse_params(struct ptx_parser *, uint32_t *n);
void ptx_skip_parentheses(struct ptx_parser *);
void ptx_skip_to_semicolon(struct ptx_parser *);

/* ---- initialiser.c ---- */
struct ptx_shape { /* of an array: dims[0] is the outermost */
    uint64_t dims[PTX_MAX_DIMS + 1];
    unsigned n_dims;
    bool is_open; /* "x[]": dims[0] comes from the initialiser */
    uint64_t element_bytes;
};
/* After "=". Sets bytes (of an open array), data and relocations. */
void ptx_parse_initialiser(struct ptx_parser *, struct ptx_variable *,
                           struct ptx_shape *);

/* ---- expression.c ---- */
struct ptx_value {
    int kind; /* PTX_TOKEN_INTEGER, FLOAT32, FLOAT64 */
    uint64_t bits;
    bool is_unsigned;
};
struct ptx_value ptx_parse_expression(struct ptx_parser *);
int64_t ptx_parse_integer_expression(struct ptx_parser *);
double ptx_value_double(struct ptx_value);

/* ---- function.c ---- */
void ptx_parse_function(struct ptx_parser *, const struct ptx_linkage *,
                        bool is_entry);
void ptx_parse_prototype(struct ptx_parser *, struct ptx_name *label);
void ptx_parse_target_list(struct ptx_parser *, struct ptx_name *label);

/* ---- body.c ---- */
void ptx_parse_body(struct ptx_parser *, uint32_t function);

/* ---- scope.c ---- */
void ptx_scope_open(struct ptx_parser *);
void ptx_scope_close(struct ptx_parser *);
/* at: where the name stands, for "declared twice" */
struct ptx_binding *ptx_bind(struct ptx_parser *, struct ptx_name *,
                             enum ptx_binding_kind, const char *at);
/* Declares a register and numbers it. */
uint32_t ptx_bind_register(struct ptx_parser *, struct ptx_name *,
                           enum ptx_type, const char *at);
/* NULL: not a name of this body (yet). */
struct ptx_binding *ptx_resolve(struct ptx_parser *, struct ptx_name *);
/* name, or name and a suffix where the body already uses it. */
const char *ptx_unique(struct ptx_parser *, struct ptx_name *);
void ptx_add_pending(struct ptx_parser *, struct ptx_pending);

/* ---- operand.c ---- */
void ptx_parse_operands(struct ptx_parser *, struct ptx_insn *);
int32_t ptx_expect_register(struct ptx_parser *, const char *what);

/* ---- loc.c ---- */
void ptx_parse_loc(struct ptx_parser *);
void ptx_parse_file(struct ptx_parser *);
void ptx_parse_section(struct ptx_parser *);
void ptx_finish_locs(struct ptx_parser *);
