/* SPDX-License-Identifier: MIT
 *
 * ptx.h: a PTX module as data. ptx_parse makes it from text, exec/ runs it. PTX
 * ISA 9.0.
 *
 * How to read this: a module owns everything (one arena); nothing is freed
 * singly. Registers are numbered per function and flat: registers of inner `{
 * }` scopes and of inline asm get numbers of their own. Labels are resolved to
 * instruction indices. Directives (.loc, .pragma) leave no instruction. The
 * parser knows grammar, not meaning: whether a form exists ("add.sat.s32") is
 * decided when a kernel is decoded.
 */
#ifndef VGPU_PTX_H
#define VGPU_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ptx_type { /* fundamental types; size by ptx_type_bytes, 0 for PRED */
                PTX_NONE,
                PTX_PRED,
                PTX_B8,
                PTX_B16,
                PTX_B32,
                PTX_B64,
                PTX_B128,
                PTX_U8,
                PTX_U16,
                PTX_U32,
                PTX_U64,
                PTX_S8,
                PTX_S16,
                PTX_S32,
                PTX_S64,
                PTX_F16,
                PTX_F16X2,
                PTX_BF16,
                PTX_BF16X2,
                PTX_F32,
                PTX_F64
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

/* Opcodes: the word before the first dot. One row each in opcodes.def. */
enum ptx_op {
#define X(name, family) PTX_OP_##name,
#include "opcodes.def"
#undef X
    PTX_N_OPS
};
enum ptx_family {
    PTX_FAMILY_ALU,
    PTX_FAMILY_MEMORY,
    PTX_FAMILY_ATOMIC,
    PTX_FAMILY_CONTROL,
    PTX_FAMILY_BARRIER,
    PTX_FAMILY_WARP,
    PTX_FAMILY_ADDRESS,
    PTX_FAMILY_HINT,
    PTX_FAMILY_ASYNC,
    PTX_FAMILY_VIDEO,
    PTX_FAMILY_STACK,
    PTX_FAMILY_NONE
};
const char *ptx_op_name(enum ptx_op);
enum ptx_family ptx_op_family(enum ptx_op);
unsigned ptx_type_bytes(enum ptx_type);
const char *ptx_type_name(enum ptx_type); /* ".u32" */

enum ptx_operand_kind {
    PTX_REGISTER, /* reg; negated: "!%p1", "-%r1"; symbol: "b0" of a video
                     instruction's
                     "%r1.b0", else NULL */
    PTX_INTEGER,  /* integer: two's complement in 64 bits */
    PTX_FLOAT32,  /* integer: the 32 bits of 0fXXXXXXXX, zero extended */
    PTX_FLOAT64,  /* integer: the 64 bits of 0dXXXXXXXXXXXXXXXX or of a decimal
                     literal */
    PTX_SYMBOL,   /* symbol: variable or function by name, plus offset */
    PTX_LABEL,    /* target: instruction index */
    PTX_SPECIAL,  /* symbol: "%tid.x", "%laneid", ... with the percent sign */
    PTX_ADDRESS,  /* "[base+offset]": base register (reg) or symbol or neither
                     (reg -1, symbol NULL), plus offset */
    PTX_VECTOR, /* "{a,b,c,d}" or a call's parenthesised list: items[0..n_items)
                 */
    PTX_SINK    /* "_" */
};
struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;
    int32_t reg;     /* -1: none */
    int32_t second;  /* "%r|%p": the register after the bar; -1: none */
    int64_t integer; /* literal value, or offset of SYMBOL and ADDRESS */
    const char *symbol;
    uint32_t target;
    struct ptx_operand *items;
    uint32_t n_items;
};

enum { PTX_MAX_MODIFIERS = 16, PTX_MAX_OPERANDS = 6 };
struct ptx_insn {
    enum ptx_op op;
    const char *form; /* "ld.global.v4.u32": opcode and modifiers as written */
    const char *modifiers[PTX_MAX_MODIFIERS]; /* "global", "v4", "u32" ("::"
                                                 kept: "shared::cta") */
    uint32_t n_modifiers;
    int32_t guard; /* predicate register, -1: none */
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

/* masked: one byte of the address, (address >> shift) & 0xff; else shift is 0
 */
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
    bool has_body;          /* false: extern or only declared */
    struct ptx_insn *insns; /* a label after the last one has target n_insns:
                               falling off returns */
    uint32_t n_insns;
    uint32_t max_threads[3], required_threads[3], min_blocks, max_registers,
        cluster[3]; /* 0: not given */
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
void ptx_free(struct ptx_module *);
/* Bytes that ptx_free would give back. */
size_t ptx_memory(const struct ptx_module *);
/* Links `from`, the unit-th source of a program, into `into`, which then owns
 * it. Symbols that no source defines stay declarations. False: error says why
 * (its text is the symbol's name); both are only good for ptx_free, each by
 * itself. */
bool ptx_link(struct ptx_module *into, struct ptx_module *from, unsigned unit,
              struct ptx_error *error);
/* Prints PTX that parses to the same module again: what the parser understood,
 * for people (vgpu_dump_ptx) and tests. */
void ptx_print(const struct ptx_module *, FILE *);
/* Of it one function, without what it refers to. */
void ptx_print_function(const struct ptx_module *, const struct ptx_function *,
                        FILE *);
const struct ptx_function *ptx_find_function(const struct ptx_module *,
                                             const char *name);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *,
                                             const char *name);

#endif
