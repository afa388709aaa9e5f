/* SPDX-License-Identifier: MIT
 *
 * program.h: small programs of many threads, as a list of operations. Every
 * thread goes through the list from its beginning to its end and executes the
 * operations that name its block, warp and lane. So a thread that waits for an
 * operation further up never waits in vain.
 *
 * What an operation reads or writes is one, two or four words of 32 bits in
 * global or shared memory, or some bytes of one. Every store of words writes a
 * value of its own: from a value that was read follows which store wrote it.
 * `guess` and `swap` are a load and the atomic comparison with what it read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    LANES = 32,
    MOST_BLOCKS = 4,
    MOST_WARPS = 3,
    MOST_THREADS = MOST_BLOCKS * MOST_WARPS * LANES,
    MOST_OPS = 96,
    VALUES = 16,  /* registers of a thread that hold what it has read */
    WORDS = 1024, /* of global memory, and of shared memory of a block */
    FIRST_LINE = 1000,
    MOST_LAUNCHES = 2,
    REASON = 160
};

/* X(name, whether it accesses memory, whether it may write) */
#define OPS(X)                                                                 \
    X(ld, true, false)                                                         \
    X(poll, true, false)                                                       \
    X(guess, true, false)                                                      \
    X(st, true, true)                                                          \
    X(add, true, true)                                                         \
    X(inc, true, true)                                                         \
    X(look, true, true)                                                        \
    X(exch, true, true)                                                        \
    X(cas, true, true)                                                         \
    X(swap, true, true)                                                        \
    X(lock, true, true)                                                        \
    X(clear, true, true)                                                       \
    X(fence, false, false)                                                     \
    X(bar, false, false)                                                       \
    X(arrive, false, false)                                                    \
    X(clusterarrive, false, false)                                             \
    X(clusterrelaxed, false, false)                                            \
    X(clusterwait, false, false)                                               \
    X(syncwarp, false, false)                                                  \
    X(shuffle, false, false)                                                   \
    X(vote, false, false)                                                      \
    X(exit, false, false)                                                      \
    X(copy, true, true)                                                        \
    X(commit, false, false)                                                    \
    X(wait, false, false)                                                      \
    X(mbinit, false, false)                                                    \
    X(mbarrive, false, false)                                                  \
    X(mbexpect, false, false)                                                  \
    X(mbwait, false, false)                                                    \
    X(mbcopy, false, false)                                                    \
    X(bulkload, true, true)                                                    \
    X(bulkstore, true, true)                                                   \
    X(bulkcommit, false, false)                                                \
    X(bulkwait, false, false)                                                  \
    X(bulkread, false, false)                                                  \
    X(proxy, false, false)

enum op_kind {
#define X(name, accesses, writes) OP_##name,
    OPS(X)
#undef X
        N_OPS
};

#define SEMS(X)                                                                \
    X(weak) X(volatile) X(relaxed) X(acquire) X(release) X(acq_rel) X(sc)
enum sem {
#define X(name) SEM_##name,
    SEMS(X)
#undef X
        N_SEMS
};
#define SCOPES(X) X(cta) X(gpu) X(sys) X(cluster)
enum scope {
#define X(name) SCOPE_##name,
    SCOPES(X)
#undef X
        N_SCOPES
};
enum space { SPACE_global, SPACE_shared, N_SPACES };

/* word + by_thread * tid + by_block * ctaid + by_value * (value & 7) */
struct place {
    uint32_t word, by_thread, by_block, by_value;
    int value; /* register; -1: none */
};

struct op {
    uint8_t kind, sem, scope, space;
    uint8_t byte;   /* of the word, where an access of less begins */
    uint32_t bytes; /* of an access; of a copy, of what an mbarrier expects */
    struct place at, from; /* from: source of a copy into shared memory */
    int to;                /* register for what was read */
    uint32_t blocks, warps, lanes; /* who executes it */
    int condition;                 /* register; -1: none */
    uint32_t is;                   /* its value; 0: anything but 0 */
    uint32_t id;                   /* of a barrier, of an mbarrier: its word */
    uint32_t count; /* threads of a barrier; arrivals; groups that may be open;
                       parity; tries of a poll, 0: for ever */
};

struct program {
    uint32_t n_blocks, n_warps, n_launches, n_ops;
    uint32_t n_gpus; /* 0, 1: one; else block b is of GPU b % n_gpus */
    struct op ops[MOST_OPS];
};

bool op_accesses(const struct op *);
bool op_is_wide(const struct op *);   /* its scope is more than its block */
bool op_is_system(const struct op *); /* it is all GPUs */
bool op_is_atomic(const struct op *); /* reads and writes in one */

/* The grammar of the files in cases/: vgpu/tests/README.md. */
void program_print(const struct program *, FILE *);
void op_print(const struct op *, FILE *);
/* False: `why` says which line it does not understand. */
bool program_read(struct program *, FILE *, char why[REASON]);
/* The value that thread `t` of the grid stores; to less than a word, any
 * thread: an operation has one value of 8 bits in each launch. */
uint32_t program_value(uint32_t launch, uint32_t op, uint32_t thread);
enum { BYTE_LAUNCH = 7 /* bits before the launch */ };
uint32_t program_byte(uint32_t launch, uint32_t op);
/* It has strong accesses of less than a word. What these read in weak memory
 * does not follow from the value: other bytes of the word count, too. */
bool program_has_bytes(const struct program *);
/* Its PTX, operation k in line FIRST_LINE + k of "races.cu"; all other
 * instructions in line 1. Kernel k(words, launch). */
char *program_ptx(const struct program *);
