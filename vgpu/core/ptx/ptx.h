/* SPDX-License-Identifier: MIT
 *
 * ptx.h: a PTX module as data (PTX ISA 9.0). ptx_parse makes it from text;
 * decode/ makes a program of it, which exec/ runs.
 *
 * How to read this: all parts of a module lie in one arena and are freed with
 * it. Each name is stored once, so that two names of a module are equal if
 * their pointers are. The registers of a function are numbered from 0, also
 * those of inner scopes and of inline asm. Labels are resolved to indices of
 * instructions. Directives (.loc, .pragma) are not instructions. The parser
 * checks grammar only: whether a form such as "add.sat.s32" exists is decided
 * when a kernel that uses it is decoded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ptx_type { /* size by ptx_type_bytes, 0 for PRED */
                PTX_NONE,
#define X(id, text, bytes) PTX_##id,
#include "types.def"
#undef X
                PTX_N_TYPES
};
enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_CONST,
    PTX_PARAM,
    PTX_REG
};

enum memory_order {
    ORDER_WEAK,
    ORDER_VOLATILE,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SC
};
enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_INC,
    ATOMIC_DEC
};
enum ptx_compare { PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE };

/* Opcodes: the word before the first dot. One row each in opcodes.def; what
 * the rows of a family have in common is in families.def. */
enum ptx_op {
#define X(name, family) PTX_OP_##name,
#include "opcodes.def"
#undef X
    PTX_N_OPS
};
enum ptx_family {
#define X(family, decode, classes, twice) PTX_FAMILY_##family,
#include "families.def"
#undef X
    PTX_N_FAMILIES
};
/* Functions of the device's runtime, which no module defines. */
enum ptx_builtin {
    BUILTIN_NONE,
    BUILTIN_PRINTF,
    BUILTIN_ASSERT,
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_LAUNCH, /* dynamic parallelism: a call that is not there */
#define X(NAME, ...) BUILTIN_##NAME,
#include "device_calls.def"
#undef X
    N_BUILTINS
};
/* Of the device's own runtime. */
static inline bool ptx_is_device_call(enum ptx_builtin b) {
    return b > BUILTIN_LAUNCH;
}
const char *ptx_op_name(enum ptx_op);
enum ptx_family ptx_op_family(enum ptx_op);

/* What a word after the opcode decides: X(class, field of struct ptx_form). */
#define PTX_CLASSES(X)                                                         \
    X(SPACE, space)                                                            \
    X(ORDER, order)                                                            \
    X(SCOPE, scope)                                                            \
    X(CACHE, cache)                                                            \
    X(VECTOR, vector)                                                          \
    X(OPERATION, operation)                                                    \
    X(COMPARE, compare)                                                        \
    X(MODE, mode)                                                              \
    X(VERB, verb)                                                              \
    X(SYNC, sync)                                                              \
    X(ASYNC, async)                                                            \
    X(PROXY, proxy)                                                            \
    X(HINT, hint)                                                              \
    X(NUMBER, number)
enum ptx_class {
#define X(class, field) PTX_CLASS_##class,
    PTX_CLASSES(X)
#undef X
        PTX_N_CLASSES
};
enum ptx_modifier {
#define X(id, text, class, value) PTX_MOD_##id,
#include "modifiers.def"
#undef X
    PTX_N_MODIFIERS
};

/* An opcode and its modifiers, read once per module. Modifiers commute, but
 * for types (and for the two spaces of a copy). */
enum { PTX_MAX_TYPES = 4, PTX_MAX_SPACES = 2 };
struct ptx_form {
    const char *text; /* "ld.global.v4.u32", as written */
    enum ptx_op op;
    uint8_t n_words; /* modifiers, types among them */
    uint8_t n_types, n_spaces;
    uint8_t types[PTX_MAX_TYPES];   /* enum ptx_type, as written; else 0 */
    uint8_t spaces[PTX_MAX_SPACES]; /* enum ptx_space */
    bool strange; /* a word is not in modifiers.def, or it has too many types */
    bool repeats; /* the same word twice */
    uint32_t classes, twice; /* a bit for each ptx_class: a word of it is given;
                                a second one is */
    uint64_t has[(PTX_N_MODIFIERS + 63) / 64];
    union { /* the value of each class's first word; 0 without one */
        uint8_t values[PTX_N_CLASSES];
        struct {
#define X(class, field) uint8_t field;
            PTX_CLASSES(X)
#undef X
        };
    };
};
static inline bool ptx_has(const struct ptx_form *f, enum ptx_modifier m) {
    return f->has[m / 64] >> (m % 64) & 1;
}
static inline bool ptx_given(const struct ptx_form *f, enum ptx_class class) {
    return f->classes >> class & 1;
}
/* The last type, or the one that many places before it; PTX_NONE: too few. */
static inline enum ptx_type ptx_type_at(const struct ptx_form *f,
                                        unsigned from_end) {
    return from_end < f->n_types
               ? (enum ptx_type)f->types[f->n_types - 1 - from_end]
               : PTX_NONE;
}
/* text must live as long as the form. False: unknown opcode. */
bool ptx_read_form(const char *text, struct ptx_form *);
/* The first word that instructions of the opcode's family cannot have, or not
 * together with a word before it (families.def), and its length. NULL: there is
 * no such word. */
const char *ptx_refused(const struct ptx_form *, size_t *length);

unsigned ptx_type_bytes(enum ptx_type);
const char *ptx_type_name(enum ptx_type); /* ".u32" */

/* Special registers: one row each in specials.def. */
enum ptx_sreg {
    PTX_SREG_NONE, /* not in specials.def */
#define X(id, text, when, class, value) PTX_SREG_##id,
#include "specials.def"
#undef X
    PTX_N_SREGS
};
const char *ptx_sreg_name(enum ptx_sreg); /* "%tid.x" */

enum ptx_operand_kind {
    PTX_REGISTER, /* reg; negated: "!%p1", "-%r1"; parts: of a video
                     instruction's "%r1.b0" */
    PTX_INTEGER,  /* integer: two's complement in 64 bits */
    PTX_FLOAT32,  /* integer: the 32 bits of 0fXXXXXXXX, zero extended */
    PTX_FLOAT64,  /* integer: the 64 bits of 0dXXXXXXXXXXXXXXXX or of a decimal
                     literal */
    PTX_SYMBOL,   /* symbol: variable or function by name, plus offset */
    PTX_LABEL,    /* target: instruction index */
    PTX_SPECIAL,  /* special; symbol: "%tid.x", with the percent sign */
    PTX_ADDRESS,  /* "[base+offset]": base register (reg) or symbol or neither
                     (reg -1, symbol NULL), plus offset */
    PTX_VECTOR, /* "{a,b,c,d}" or a call's parenthesised list: items[0..n_items)
                 */
    PTX_SINK    /* "_" */
};
/* "h1", "b7610": bytes ('b') or halves ('h') of a register; 0: all of it. */
enum { PTX_MAX_PARTS = 4 };
struct ptx_parts {
    char size;
    uint8_t n, at[PTX_MAX_PARTS]; /* as written: the highest first */
};
struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    int32_t reg;     /* -1: none */
    int32_t second;  /* "%r|%p": the register after the bar; -1: none */
    int64_t integer; /* literal value, or offset of SYMBOL and ADDRESS */
    const char *symbol;
    union {
        uint32_t target;
        enum ptx_sreg special;
        struct ptx_parts parts;
    };
    struct ptx_operand *items;
    uint32_t n_items;
};

enum { PTX_MAX_MODIFIERS = 16, PTX_MAX_OPERANDS = 6 };
struct ptx_insn {
    enum ptx_op op;
    const char *form; /* "ld.global.v4.u32": opcode and modifiers as written */
    const struct ptx_form *typed; /* the same, read */
    int32_t guard;                /* predicate register, -1: none */
    bool guard_negated;
    struct ptx_operand
        operands[PTX_MAX_OPERANDS]; /* destination first, as written; call: [ret
                                       list], callee, [arg list], [prototype or
                                       target table] */
    uint32_t n_operands;
    int32_t loc;       /* index into module locs, -1: none yet */
    uint32_t ptx_line; /* line in the PTX text */
};

struct ptx_loc {
    const char *file;
    uint32_t line, column;
    const char *function; /* from inlined_at's function_name label, demangled if
                             possible; NULL */
    int32_t inlined_at; /* index into locs of the call site, -1: not inlined */
};

struct ptx_register {
    const char *name;
    enum ptx_type type;
};

/* The bytes from `offset` on of a variable's data are the address of `symbol`,
 * plus `addend`. generic: the generic address. masked: only one byte of it,
 * (address >> shift) & 0xff; else shift is 0. */
struct ptx_relocation {
    size_t offset;
    const char *symbol;
    int64_t addend;
    bool generic;
    unsigned bytes;
    bool masked;
    unsigned shift;
};
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align;
    uint64_t bytes; /* whole size; 0 for "extern .shared x[]" */
    bool is_extern, is_visible, is_weak, is_managed, is_common;
    const uint8_t *data; /* initial bytes or NULL: zero */
    struct ptx_relocation *relocations;
    size_t n_relocations;
};

struct ptx_function {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak, is_noreturn;
    struct ptx_variable *params, *returns;
    uint32_t n_params, n_returns;
    struct ptx_register *registers;
    uint32_t n_registers;
    struct ptx_variable
        *variables; /* declared in the body: .local, .shared, .param of calls;
                       names unique by suffix if a scope repeats one */
    uint32_t n_variables;
    bool has_body;            /* false: extern or only declared */
    enum ptx_builtin builtin; /* by its name; without effect if it has a body */
    struct ptx_insn *insns;   /* a label after the last one has target n_insns:
                                 falling off returns */
    uint32_t n_insns;
    uint32_t max_threads[3], required_threads[3], min_blocks, max_registers,
        cluster[3],        /* 0: not given */
        max_cluster;       /* blocks of one; 0: not given */
    bool explicit_cluster; /* a launch says how large they are, or it does */
    bool blocks_are_clusters;
    uint32_t ptx_line;
};

/* ".callprototype" and ".branchtargets"/".calltargets" labels of a function
 * body live here, by name. */
struct ptx_prototype {
    const char *name;
    struct ptx_variable *params, *returns;
    uint32_t n_params, n_returns;
};
struct ptx_target_list {
    const char *name;
    const char **symbols;
    uint32_t *targets;
    uint32_t n;
}; /* symbols: function names; targets: instruction indices for branches */

struct ptx_module {
    int version_major, version_minor, target_sm, address_size;
    struct ptx_variable *variables;
    uint32_t n_variables; /* module scope */
    struct ptx_function *functions;
    uint32_t n_functions; /* a definition replaces its declaration */
    struct ptx_prototype *prototypes;
    uint32_t n_prototypes;
    struct ptx_target_list *target_lists;
    uint32_t n_target_lists;
    struct ptx_loc *locs;
    uint32_t n_locs;
    void *arena;
    struct ptx_module *linked; /* owned: what ptx_link took in */
};

struct ptx_error {
    uint32_t line, column;
    char message[256];
    char text[160]; /* the offending PTX line */
};

/* text need not end in NUL. NULL on error (bad PTX, or memory: then line 0).
 * Never crashes on any input; work and memory are linear in bytes. */
struct ptx_module *ptx_parse(const char *text, size_t bytes,
                             struct ptx_error *);
/* The same, with an arena of at most `limit` bytes. */
struct ptx_module *ptx_parse_within(const char *text, size_t bytes,
                                    uint64_t limit, struct ptx_error *);
void ptx_free(struct ptx_module *);
/* Bytes that ptx_free would give back. */
size_t ptx_memory(const struct ptx_module *);
/* Links `from`, the unit-th source of a program, into `into`, which then owns
 * it. Symbols that no source defines stay declarations. False: error says why
 * (its text is the symbol's name); then the caller can do nothing with both
 * modules but free each with ptx_free. */
bool ptx_link(struct ptx_module *into, struct ptx_module *from, unsigned unit,
              struct ptx_error *error);
/* Prints PTX that parses to the same module again: what the parser understood,
 * for people (vgpu_dump_ptx) and tests. */
void ptx_print(const struct ptx_module *, FILE *);
/* Prints one function of the module, without what the function refers to. */
void ptx_print_function(const struct ptx_module *, const struct ptx_function *,
                        FILE *);
/* One instruction: "@%p1 add.s32 %r3, %r1, %r2;". */
void ptx_print_insn(const struct ptx_function *, const struct ptx_insn *,
                    FILE *);
/* A module's own copy of the name, which its parts point to. NULL: none has it.
 */
const char *ptx_find_name(const struct ptx_module *, const char *name);
const struct ptx_function *ptx_find_function(const struct ptx_module *,
                                             const char *name);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *,
                                             const char *name);
