/* SPDX-License-Identifier: MIT
 *
 * litmus.h: litmus tests: a few threads, a few words, and a condition on what
 * they end with. vgpu/docs/litmus.md describes the files and what is run.
 *
 * How to read this: litmus_read makes a test of a file (read.c: parts and
 * threads; cell.c: an instruction; condition.c), litmus_ptx a kernel of a test,
 * litmus_run runs it many times and counts what comes out, litmus_judge says
 * what that means. Files are hostile: every table has a bound, and what does
 * not fit is refused with the line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "text.h"

enum {
    LITMUS_NAME = 64, /* bytes of a name, its end included */
    LITMUS_THREADS = 16,
    LITMUS_ROWS = 128,
    LITMUS_GPUS = 8,
    LITMUS_WORDS = 32,     /* locations */
    LITMUS_APART = 128,    /* bytes from one location to the next */
    LITMUS_REGISTERS = 32, /* of a thread */
    LITMUS_LABELS = 32,    /* of a thread */
    LITMUS_TERMS = 256,    /* of a condition */
    LITMUS_OBSERVED = 64,
    LITMUS_OUTCOMES = 256, /* that differ */
    LITMUS_FILE = 1 << 16  /* bytes of a file */
};

struct litmus_value { /* a number, or a register of the thread */
    bool is_register;
    uint32_t reg;
    int32_t number;
};

enum litmus_kind {
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_ATOMIC, /* operation, and order with scope, in text */
    LITMUS_FENCE,
    LITMUS_BARRIER,
    LITMUS_COMPUTE,
    LITMUS_BRANCH,
    LITMUS_LABEL
};
struct litmus_insn {
    enum litmus_kind kind;
    char order[24]; /* "relaxed.gpu"; of a fence the whole instruction */
    char op[8];     /* "add" of atomics and computing, "eq" of branches */
    uint32_t to;    /* register */
    uint32_t word;  /* location */
    uint32_t label; /* of a branch, or this one */
    uint32_t n_values;
    struct litmus_value values[2];
};

struct litmus_thread {
    uint32_t number; /* as the file has it: P3 */
    uint32_t gpu, cta;
    uint32_t block, warp; /* of the kernel */
    uint32_t n_registers, n_labels, n_insns;
    char registers[LITMUS_REGISTERS][LITMUS_NAME];
    int32_t first[LITMUS_REGISTERS]; /* values */
    char labels[LITMUS_LABELS][LITMUS_NAME];
    struct litmus_insn insns[LITMUS_ROWS];
};

/* A place whose last value is looked at. */
struct litmus_place {
    bool is_register;
    uint32_t thread, reg, word;
};

enum litmus_term_kind {
    LITMUS_AND,
    LITMUS_OR,
    LITMUS_NOT,
    LITMUS_COMPARE,
    LITMUS_TRUE
};
struct litmus_side {
    bool is_number;
    int32_t number;
    uint32_t observed;
};
struct litmus_term {
    enum litmus_term_kind kind;
    char op[4];           /* == != < <= > >= */
    uint32_t left, right; /* terms */
    struct litmus_side a, b;
};
struct litmus_condition {
    uint32_t n, root;
    struct litmus_term terms[LITMUS_TERMS];
};

enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };

struct litmus_outcome {
    uint64_t count;
    int32_t values[LITMUS_OBSERVED];
};

struct litmus {
    char name[LITMUS_NAME];
    uint32_t n_threads, n_words, n_observed;
    uint32_t n_blocks, n_warps;      /* of the kernel; warps in a block */
    uint32_t n_gpus;                 /* among which the blocks are divided */
    uint64_t blocks_of[LITMUS_GPUS]; /* bit b: block b runs on this GPU */
    struct litmus_thread threads[LITMUS_THREADS];
    char words[LITMUS_WORDS][LITMUS_NAME];
    int32_t first[LITMUS_WORDS]; /* values */
    struct litmus_place observed[LITMUS_OBSERVED];
    enum litmus_quantifier quantifier;
    struct litmus_condition condition, filter;
    /* "Allowed=" and "Unseen=": every outcome that the model allows, and those
     * of them that the virtual GPU never shows. */
    bool lists_allowed;
    uint32_t n_allowed, n_unseen;
    struct litmus_outcome allowed[LITMUS_OUTCOMES], unseen[LITMUS_OUTCOMES];
};

/* ---- reading ---- */

/* NULL: why says what is wrong, or not supported, and where. One allocation. */
struct litmus *litmus_read(const char *text, size_t bytes, struct text *why);

/* For condition.c, cell.c, read.c: a place in the text. */
struct litmus_cursor {
    const char *begin, *at, *end;
    struct text *why; /* filled by the first failure */
};
/* False, always: says where and what. */
__attribute__((format(printf, 2, 3))) bool litmus_fail(struct litmus_cursor *,
                                                       const char *format, ...);
void litmus_skip(struct litmus_cursor *); /* spaces and comments */
bool litmus_take(struct litmus_cursor *, const char *token);
bool litmus_word(struct litmus_cursor *, char name[LITMUS_NAME]);
/* Of a number, which must be there. */
bool litmus_number(struct litmus_cursor *, int32_t *);
/* "P1" or "1", of a thread of the test, before a colon. The colon is taken, and
 * nothing if it is not there. */
bool litmus_thread_colon(struct litmus_cursor *, const struct litmus *,
                         uint32_t *thread);
/* The index; made when it is new. False: too many. */
bool litmus_location(struct litmus_cursor *, struct litmus *, const char *name,
                     uint32_t *word);
bool litmus_register(struct litmus_cursor *, struct litmus_thread *,
                     const char *name, uint32_t *reg);
bool litmus_cell(struct litmus_cursor *, struct litmus *,
                 struct litmus_thread *);
bool litmus_read_condition(struct litmus_cursor *, struct litmus *,
                           struct litmus_condition *);
/* A location or a register of a thread. */
bool litmus_read_place(struct litmus_cursor *, struct litmus *,
                       uint32_t *observed);
bool litmus_read_outcomes(struct litmus_cursor *, struct litmus *,
                          struct litmus_outcome *, uint32_t *n);

/* ---- running ---- */

bool litmus_holds(const struct litmus_condition *, const int32_t *values);

/* PTX: a kernel `litmus` with three parameters, each the address of words: the
 * locations, LITMUS_APART from one another, the registers that threads end with
 * (LITMUS_REGISTERS for each thread), and for each thread how long it waits
 * before it begins. */
void litmus_ptx(const struct litmus *, struct text *to);

struct litmus_options {
    uint64_t runs, seed;
    bool strong; /* the memory model sc instead of weak */
};
struct litmus_result {
    uint64_t runs, unfinished, filtered;
    uint32_t n; /* outcomes, most frequent first */
    struct litmus_outcome outcomes[LITMUS_OUTCOMES];
};
/* Goes on, up to so many times as long, while an outcome is missing that the
 * file says is shown. False: why says what the virtual GPU refuses. */
enum { LITMUS_PATIENCE = 20 };
bool litmus_run(const struct litmus *, const struct litmus_options *,
                struct litmus_result *, struct text *why);

/* ---- judging ---- */

enum litmus_expected { LITMUS_UNKNOWN, LITMUS_NO, LITMUS_YES };
struct litmus_verdict {
    uint64_t matching; /* runs whose end satisfies the condition */
    bool forbidden;    /* something was seen that must not be */
    bool unseen;       /* something was not seen that may be */
    bool unlisted;     /* and that is said to be seen */
};
/* An outcome that the file says is shown has not been seen yet. */
bool litmus_misses(const struct litmus *, const struct litmus_result *);
/* expected: does the quantified condition hold in the model? */
void litmus_judge(const struct litmus *, const struct litmus_result *,
                  enum litmus_expected, struct litmus_verdict *);
void litmus_print(FILE *, const struct litmus *, const struct litmus_result *,
                  enum litmus_expected, const struct litmus_verdict *);
/* The name of an observed place: "P0:r0", "x". */
void litmus_print_place(struct text *, const struct litmus *,
                        uint32_t observed);

/* The command: vgpu litmus FILE... Returns the exit status. */
int litmus_main(int argc, char **argv);
