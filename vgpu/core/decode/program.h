/* SPDX-License-Identifier: MIT
 *
 * program.h: a PTX function made ready to run.
 *
 * How to read this: decoding turns each ptx_insn into a `struct insn` whose
 * kind says what the run loop does and whose operands are byte offsets into a
 * frame's register file (alu.h). Two kinds have no PTX text of their own and
 * are never counted: JOIN stands in front of each immediate post-dominator of a
 * branch; the RETURN at a device function's end is where its `ret`s meet.
 * The first failure of decoding is kept as a message that names the PTX line.
 */
#pragma once

#include "alu.h"
#include "memory.h"
#include "ptx.h"
#include "vgpu.h"

/* Windows of the generic address space next to global memory. */
#define SHARED_WINDOW   0x400000000000ull
#define LOCAL_WINDOW    0x500000000000ull
#define PARAM_WINDOW    0x600000000000ull
#define FUNCTION_WINDOW 0x700000000000ull
#define WINDOW_MASK     0xff0000000000ull
enum { FUNCTION_STRIDE = 16 };

enum insn_kind {
    KIND_ALU,  /* run(registers, operands, lanes) */
    KIND_LOAD, /* access.h */
    KIND_STORE,
    KIND_ATOMIC,       /* atom and red */
    KIND_BRANCH,       /* target, join */
    KIND_BRANCH_INDEX, /* brx.idx: extra -> struct branch_table */
    KIND_JOIN,
    KIND_CALL, /* extra -> struct call */
    KIND_RETURN,
    KIND_EXIT,
    KIND_BARRIER, /* bar.sync, bar.arrive, bar.red: extra -> struct barrier_op
                   */
    KIND_FENCE,
    KIND_SHUFFLE,
    KIND_VOTE,
    KIND_MATCH,
    KIND_REDUX,
    KIND_WARP_SYNC,
    KIND_ACTIVE_MASK,
    KIND_ELECT,
    KIND_CLOCK, /* mov from %clock, %clock64, %globaltimer */
    KIND_TRAP,
    KIND_NOTHING,  /* hints */
    KIND_ASYNC,    /* extra -> struct async_op (async.h) */
    KIND_MBARRIER, /* extra -> struct mbarrier_op */
    KIND_CLUSTER_BARRIER,
    KIND_TEXTURE, /* extra -> struct texture_op */
    KIND_STACK,   /* alloca and its like */
    KIND_MATRIX   /* extra -> struct matrix_op */
};
static inline bool is_control(uint8_t kind) {
    return kind >= KIND_BRANCH && kind <= KIND_EXIT;
}

/* Of an access, and the mode of a fence. A cluster of one block is a block. */
enum scope { WIDER_SCOPE, BLOCK_SCOPE, CLUSTER_SCOPE };

/* Of a KIND_CLOCK: the upper half is asked for; nanoseconds, not cycles. */
enum clock_mode { CLOCK_UPPER = 1, CLOCK_NS = 2 };
enum stack_op { STACK_SAVE, STACK_RESTORE, STACK_ALLOCATE };

/* Of a KIND_ATOMIC: nothing reads what it returns, and the hardware can do it
 * without (red; atom becomes that, but for cas and exch). */
enum { ATOMIC_UNUSED = 1 };

struct vector_atomic { /* extra of a KIND_ATOMIC of several elements */
    uint32_t to[8], from[8];
};

#define NO_REGISTER 0xffffffffu
#define NO_TARGET   0xffffffffu

/* Code: nothing changes it once it is decoded. What observers and other rooms
 * keep of an instruction stands in arrays beside it, at its number
 * (program.insn_slots). */
struct insn {
    _Alignas(64) alu_fn *run;     /* what ALU instructions need is one line */
    struct alu_operands operands; /* ALU: as in alu.h. Memory: see access.c */
    uint32_t guard;               /* offset of predicate, NO_REGISTER: none */
    uint32_t guard_flip;          /* ~0 when negated */
    uint8_t kind;                 /* enum insn_kind */
    uint8_t straight; /* so many ALU instructions without a guard stand in a
                         row, from this one on; at most 255 are counted */
    uint8_t n_destinations, n_sources; /* of operands.at: for taint */
    uint32_t number;                   /* unique in the program */
    bool is_arithmetic; /* on tainted operands it is work, so that a thread that
                           executes it does not merely wait */
    bool adds_parts;    /* of one operand: mul, div, rem, popc, dp4a */
    bool joins;      /* it puts its sources side by side into one destination */
    uint8_t n_kept;  /* the bits of the first n_kept sources are only moved or
                        masked, not combined with each other */
    uint8_t n_moved; /* the first n_moved sources are moved or dropped, as by
                        selp, whose third source chooses */
    /* memory and atomics */
    uint8_t space;             /* enum ptx_space */
    uint8_t bytes, n_elements; /* per element; of the vector */
    uint8_t type;              /* enum ptx_type */
    uint8_t order, atomic;     /* enum memory_order, atomic_op */
    bool register_is_wide;     /* class 'd' registers */
    bool cached;               /* plain load that an L1 may serve */
    bool read_only;            /* load through the read-only cache */
    bool before_cas;           /* weak load of what an atom.cas compares with */
    uint8_t of_block;          /* enum scope: the block, the cluster, */
    bool of_system;            /* or the system: all GPUs and the host */
    bool is_base_wide;         /* base register is class 'd' */
    bool plain;   /* weak, global or shared, one element that its register holds
                     as memory does */
    uint8_t mode; /* shuffle, vote, fence, barrier variant; of an atomic:
                     ATOMIC_UNUSED */
    uint8_t
        copied;    /* vector load or store: a bit for each element whose
                      register one such load writes and only such stores read */
    uint32_t base; /* address register or NO_REGISTER */
    int64_t offset;
    /* control */
    uint32_t target, join; /* instruction index, NO_TARGET: none */
    const void *extra;
    bool in_loop;  /* may be in a loop: this instruction or a later one branches
                      to this one or an earlier one */
    uint8_t tried; /* load: a bit for each element that is used by selp only, or
                      not at all. A compiler may load such a value in advance,
                      from local memory that the program would not have read */
    uint8_t carried; /* load: a bit for each element that is stored again at
                        last, and on the way only moved or chosen */
    const struct ptx_insn *source;
};
_Static_assert(sizeof(struct insn) == 128, "two lines, and a shift finds it");

struct branch_table {
    uint32_t n;
    uint32_t targets[];
};

/* A register that is filled when a frame is made, because no instruction writes
 * it: a constant; an address in local memory, which depends on the depth of the
 * call; the address of dynamic shared memory, which lies behind the kernel's
 * static variables; a kernel parameter, whose load from a fixed place becomes a
 * move from such a register. */
enum fill_kind { FILL_CONSTANT, FILL_LOCAL, FILL_DYNAMIC_SHARED, FILL_PARAM };
struct fill {
    uint64_t value; /* of a constant; else an offset */
    uint32_t at;
    char class; /* alu.h */
    uint8_t kind;
    uint8_t bytes, type; /* PARAM */
    bool narrow;         /* PARAM: the register has 16 bits */
};

struct parameter {
    const char *name;
    uint32_t offset, bytes, align;
};

struct function {
    const struct ptx_function *ptx;
    struct program *program;
    const struct insn *code;
    uint32_t n_code;
    uint32_t first_number;   /* insn.number of the first one */
    uint64_t charged;        /* for them (charges.h) */
    uint32_t register_bytes; /* of a frame */
    uint32_t registers;      /* how many a real GPU would give a thread, about
                                (clock); 0: not counted yet */
    uint32_t *register_at;   /* byte offset of each PTX register in it; several
                                may have the same (decode_slots.c) */
    struct fill *fills;
    uint32_t n_fills;
    uint32_t specials[PTX_N_SREGS]; /* offset of its register or NO_REGISTER */
    uint32_t carry;                 /* predicate register of add.cc */
    struct parameter *params;
    uint32_t n_params; /* kernel: offsets in the block; device function: in the
                          frame's parameter area */
    struct parameter *returns;
    uint32_t n_returns;
    struct parameter *locals;
    uint32_t n_locals;    /* .param variables of calls */
    uint32_t param_bytes; /* kernel: its parameter block */
    uint32_t call_bytes;  /* call area per lane: own params, returns, arguments
                             of calls */
    uint32_t local_bytes; /* .local per thread, this function alone */
    uint32_t shared_at, shared_bytes; /* own static variables */
    bool decoded;
    bool needs_stack; /* calls, or allocates (stack.c) */
};

/* ---- calls ---- */
struct call {
    struct function *callee; /* NULL: indirect or builtin */
    enum ptx_builtin builtin;
    uint32_t target; /* indirect: register of the address */
    uint32_t n_args, n_rets;
    uint32_t arg_at[32], arg_bytes[32]; /* in the caller's parameter area */
    uint32_t ret_at[4], ret_bytes[4];
};

struct barrier_op {
    bool arrive_only, is_red, aligned;
    bool is_meeting;    /* opens as soon as no other warp of the block
                           can go on: edit.h */
    bool is_usual;      /* number 0, all threads, nothing but waiting */
    uint32_t id, count; /* registers; NO_REGISTER: id_value/count_value */
    uint32_t id_value, count_value;     /* count_value 0: all threads */
    uint32_t predicate, predicate_flip; /* bar.red */
    uint32_t destination; /* bar.red; popc: word, and/or: predicate */
    enum { RED_POPC, RED_AND, RED_OR } red;
};

/* A module with everything that addresses refer to. */
struct symbol {
    const char *name;
    enum ptx_space space;
    uint64_t address, bytes;
    struct function *kernel; /* shared: the first that names it; and whether */
    bool is_common;          /* another function does, too */
};
struct program {
    const struct ptx_module *ptx;
    const struct alu_table *alu;
    struct function *functions;
    uint32_t n_functions; /* one per ptx function with a body */
    struct symbol *symbols;
    uint32_t n_symbols; /* global and const variables */
    struct memory *memory;
    uint32_t n_numbers; /* insn.number is below it */
    /* For each observer an array with what it keeps of each instruction, as
     * long as the program is loaded; NULL: it keeps nothing. Room for n_given
     * instructions (program_give). */
    void *insn_slots[OBSERVER_SLOTS];
    uint32_t n_given[OBSERVER_SLOTS];
    uint32_t shared_bytes; /* module scope: every kernel has these at offset 0;
                              its own come after (function.shared_at) */
    /* What some function that was decoded so far has, for racecheck: */
    bool copies_later;     /* cp.async of any kind (KIND_ASYNC) */
    bool has_fences;       /* a fence, or an access that releases or acquires */
    bool acquires;         /* an access that acquires */
    bool parts_blocks;     /* an mbarrier, or a barrier that is not for all
                              threads of a block or warp */
    bool block_accesses;   /* a strong access whose scope is the block, not in
                              shared memory */
    bool block_scopes;     /* a strong access or a fence whose scope is the
                              block */
    uint32_t atomic_sizes; /* atomics of so many bytes: the sizes, or-ed */
    bool has_flags;    /* more than relaxed atomics of one size for the device:
    has_fences, block_accesses, a strong load or store, or atomics of two sizes */
    bool has_textures; /* their instructions are not refused */
    bool may_launch;   /* so are calls by which kernels launch kernels; */
    bool launches;     /* some function that was decoded so far has one */
    /* Registers that are never live at the same time share a slot of the frame.
     */
    bool shares_slots;
    /* A hostile image can take very long to decode, so decoding counts its
     * steps and asks now and then whether to stop. */
    bool (*should_stop)(void *); /* NULL: never */
    void *stop_user;
    uint64_t unasked; /* steps since the last question */
    uint32_t choice;  /* of the numbers from VGPU_EDIT_CHOICES on that are moved
                         into a register this one is 1, all others are 0; 0: they
                         are what they are */
    bool stopped;
    uint32_t depth; /* of the calls that are being decoded */
};

struct decode_error {
    char message[512];
    bool no_memory; /* memory was short: the program may be right */
    const char *form;
    struct vgpu_source where;
};

/* Decodes a function and all it can call. False: error says what and where. */
bool program_decode(struct program *, struct function *, struct decode_error *);
/* Counts so many steps of decoding. True: decoding is to stop. */
bool program_is_late(struct program *, uint64_t steps);
/* By a name of the module (ptx_find_name); NULL: there is none. */
struct function *program_function(struct program *, const char *name);
const struct symbol *program_symbol(const struct program *, const char *name);
void function_free(struct function *);
/* Room for `bytes` of each instruction in the slot: zeros for those that had
 * none. False: no memory. */
bool program_give(struct program *, unsigned slot, size_t bytes);
/* Frees the arrays of all slots. */
void program_take_back(struct program *);
/* NULL: no instruction has this number. */
const struct insn *program_insn(const struct program *, uint32_t number);
struct shared_variable {
    uint64_t first, next;
    char name[64];
};
/* The variable of the function that begins at this byte of shared memory;
 * false: none. */
bool program_shared_at(const struct function *, uint64_t at, char *name,
                       size_t bytes);
/* The one around this byte: its name, which is empty where there is none, its
 * first byte, and the next one's; `end` where there is no next. */
void program_shared_around(const struct function *, uint64_t at, uint64_t end,
                           struct shared_variable *);
/* The instruction's first operand is what it writes, and it writes no other. */
bool program_writes_first(const struct ptx_insn *);
/* The line for a location that the programmer can edit: where code of the
 * toolkit was inlined, the line that called it. */
struct vgpu_source program_source(const struct ptx_module *, int32_t loc);
/* Of two places. NULL: one that the image gives a number and no name. */
bool program_same_file(const char *, const char *);
/* The same of an access, with what gives its address. */
struct vgpu_source program_access(const struct ptx_module *,
                                  const struct ptx_insn *);
/* Is the location in the toolkit's headers (CUB, Thrust), and was it inlined
 * into no line of the programmer's? Without line information: is the kernel one
 * of the toolkit's? */
bool program_is_toolkit(const struct ptx_module *, const char *mangled_kernel,
                        int32_t loc);
/* "_Z4stepPKi" -> "step": enough of the Itanium ABI for names in messages.
 * Writes at most bytes, ends in NUL, returns out. */
char *demangle(const char *mangled, char *out, size_t bytes);
