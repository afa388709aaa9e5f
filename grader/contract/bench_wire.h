/* SPDX-License-Identifier: MIT
 *
 * bench_wire.h: what a process that measures on a GPU (judge/gpu/worker.cu) and
 * the judge, or scanlab-bench, say to each other on descriptor 3, a
 * SOCK_SEQPACKET: one struct bench_ask, one struct bench_answer. Same machine,
 * same build. C and CUDA C++.
 */
#pragma once

#include <stdint.h>

#include "tables.h"

enum { BENCH_FD = 3, BENCH_TEXT = 1024, BENCH_NAME = 128, BENCH_CALLS = 8 };

enum bench_operation {
#define X(name, text) BENCH_##name,
#include "operations.def"
#undef X
    BENCH_N_OPERATIONS
};

enum bench_type {
#define X(name, type, bytes) BENCH_TYPE_##name,
#include "bench_types.def"
#undef X
    BENCH_N_TYPES
};

enum bench_kind {
    BENCH_HELLO, /* answer: hello */
    BENCH_LOAD,  /* dlopen text; answer: value, the library's number */
    BENCH_PEERS, /* how many peers library has; of peer number value: peer */
    BENCH_TURN,  /* time `calls` calls of one contestant; answer: turn */
    /* Timed checks of a grade (judge/fast_gpu.c): arrays that others may open,
     * and looks at what they left. */
    BENCH_HOLD,    /* make room for turn; answer: handles */
    BENCH_PREPARE, /* the right answer of turn's function for input
                      turn.seed, changed by value; then the unchanged input
                      and poison. answer: value, elements of the answer */
    BENCH_CHANGE,  /* change the input by value */
    BENCH_SAMPLE,  /* look at elements drawn by value; answer: value, wrong */
    BENCH_COMPARE  /* all of the output: value elements of it; answer: value,
                    * wrong */
};

/* What is computed: a row of the CSV but for who. */
struct bench_cell {
    int32_t operation, type, order, tuple;
    uint64_t n;
};

/* Times and outputs of one contestant. */
struct bench_turn {
    struct bench_cell cell;
    int32_t calls;     /* 1 to BENCH_CALLS */
    int32_t signature; /* of a lab's function; -1: a peer, number peer */
    int32_t peer;
    int32_t parameters[N_PARAMETERS];
    uint32_t seed; /* of the inputs; the same in every turn of a group */
    char symbol[BENCH_NAME];
};

struct bench_ask {
    uint32_t kind, library;
    uint64_t value;
    char text[BENCH_TEXT];
    struct bench_turn turn;
};

struct bench_hello {
    char gpu[BENCH_NAME];
    int32_t capability, processors, driver, runtime, cub;
    uint64_t l2_bytes, memory_bytes;
};

/* What a peer computes; function stays in the process. */
struct bench_peer {
    char who[32];
    int32_t operation, type, most_order, tuple;
};

enum bench_status {
    BENCH_OK,
    BENCH_FAILED,   /* could not: text says why */
    BENCH_NO_ROOM,  /* not enough memory on the device */
    BENCH_REFUSED,  /* the function returned an error: value */
    BENCH_NO_SYMBOL /* the library has no such function */
};

struct bench_answer {
    uint32_t kind, status;
    uint64_t value;
    char text[BENCH_TEXT];
    union {
        struct bench_hello hello;
        struct bench_peer peer;
        struct {
            unsigned char in[64], out[64]; /* cudaIpcMemHandle_t */
        } handles;
        struct {
            float ms[BENCH_CALLS];
            uint64_t wrong; /* elements of outputs that are not right */
            uint64_t bytes; /* the fewest that must move in one call */
        } turn;
    } u;
};
