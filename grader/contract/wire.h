/* SPDX-License-Identifier: MIT
 *
 * wire.h: what judge and runner say to each other on the control socket, the
 * only header both share. SOCK_SEQPACKET, one struct wire_message per packet,
 * same machine, same build. The judge asks, the runner answers with the same
 * sequence number; the runner sends NOTE, SHORT, AT and CRASH without being
 * asked. Nothing the runner says is a verdict: ANSWER means "look at the output
 * now", the rest is only shown. Before LOAD no code of the student has run, so
 * a failure before it is the machine's fault. After SHORT the judge runs the
 * case again (judge/trouble.c).
 *
 * Left out: the device channel (vgpu/cuda/protocol/protocol.h), and the names
 * of CUDA calls, which only runner/gpu.c knows.
 */
#pragma once

#include <stdint.h>

#include "tables.h"

enum { /* file descriptors a runner starts with, besides 0, 1, 2 */
       WIRE_CONTROL_FD = 3,
       WIRE_DEVICE_FD = 4 /* virtual GPU only */
};

#define WIRE_MAGIC 0x6c6e6353u /* "Scnl" */

/* X(name, direction, meaning) */
#define WIRE_KINDS(X)                                                          \
    X(CONFIGURE, ASK, "how far the walls go")                                  \
    X(LOCK, ASK, "open text, the library, and lock yourself in")               \
    X(LOAD, ASK, "dlopen text, find symbol")                                   \
    X(MAP, ASK, "two memfds come with this: input, output")                    \
    X(CALL, ASK, "call the function once")                                     \
    X(SHARE, ASK, "real GPU: open arrays that another process holds")          \
    X(ANSWER, SAY, "done; status is the result")                               \
    X(FAILED, SAY, "could not; text says why")                                 \
    X(NOTE, SAY, "a system call was refused: row of refusals.def")             \
    X(SHORT, SAY, "the system had no memory, or no thread: errno in status")   \
    X(AT, SAY, "asked by signal: where the code is")                           \
    X(CRASH, SAY, "about to die of signal status, at address")                 \
    X(FOUND, SAY, "a watched call: row of watches.def, values, where")         \
    X(GIVE, ASK, "calls of symbol go to a right function: enum wire_given")

enum wire_kind {
#define X(name, direction, text) WIRE_##name,
    WIRE_KINDS(X)
#undef X
        WIRE_N_KINDS
};

enum wire_refusal {
#define X(name, scope, words) WIRE_REFUSED_##name,
#include "refusals.def"
#undef X
    WIRE_N_REFUSALS
};

/* Bits of wire_call.watch by row. */
enum wire_watch {
#define X(NAME, name, text) WIRE_WATCH_##NAME,
#include "watches.def"
#undef X
    WIRE_N_WATCHES
};
/* Of an ADDRESS: which it was. */
enum wire_access {
    WIRE_ACCESS_BEFORE,    /* an array of the heap */
    WIRE_ACCESS_PAST,      /* the same */
    WIRE_ACCESS_FREED,     /* the same */
    WIRE_ACCESS_IN,        /* outside of in */
    WIRE_ACCESS_OUT,       /* outside of out */
    WIRE_ACCESS_UNWRITTEN, /* read from out */
    WIRE_ACCESS_STATIC,    /* outside of static variables */
    WIRE_N_ACCESSES
};

enum wire_device { WIRE_HOST, WIRE_VGPU, WIRE_GPU };

/* Functions of the runner itself, the baselines of timed checks; LOAD with an
 * empty text makes them callable. */
#define WIRE_BASELINE_SERIAL "@serial"
#define WIRE_BASELINE_COPY   "@copy"

/* Right functions of the runner's, for a C lab (runner/given.c). */
enum wire_given { WIRE_GIVEN_INCLUSIVE, WIRE_GIVEN_EXCLUSIVE, WIRE_N_GIVEN };

enum { WIRE_SYMBOL_BYTES = 128, WIRE_TEXT_BYTES = 1024, WIRE_PLACES = 16 };

struct wire_configure {
    uint32_t device;              /* enum wire_device */
    uint32_t cpu_seconds;         /* RLIMIT_CPU */
    uint64_t address_space;       /* RLIMIT_AS in bytes, 0: none */
    uint32_t weaker_walls;        /* a real GPU: also without one for files */
    char client[WIRE_TEXT_BYTES]; /* folder of libcudart, readable */
};

/* WIRE_VGPU: a part of the arrays that lies on a device of its own. */
enum { WIRE_PARTS = 8 };
struct wire_part {
    uint64_t in, out, n; /* addresses, elements */
};

struct wire_call {
    uint32_t signature; /* enum signature */
    uint32_t in_place;  /* in is out, in the output map */
    uint64_t n;
    /* WIRE_VGPU: addresses; else offsets in the maps. */
    uint64_t in, in2, out, out2;
    int32_t parameters[N_PARAMETERS];
    uint32_t one_core; /* WIRE_HOST: from now on all threads share one */
    uint32_t late;     /* WIRE_HOST: the beginning of in is held back */
    uint32_t watch;    /* WIRE_HOST: bits by enum wire_watch */
    uint32_t fail;     /* WIRE_HOST: which call of malloc and its like, and of
                          pthread_create, fails; 0: none */
    uint32_t clears;   /* WIRE_HOST: malloc clears what it hands out */
    uint64_t n_parts;  /* 0: the arrays are whole */
    struct wire_part parts[WIRE_PARTS];
};

/* Handles of cudaIpcGetMemHandle. From then on calls get these arrays, and are
 * answered when the device is done. */
enum { WIRE_HANDLE_BYTES = 64 };
struct wire_share {
    unsigned char in[WIRE_HANDLE_BYTES], out[WIRE_HANDLE_BYTES];
};

struct wire_report {
    uint64_t address; /* CRASH: the address it touched; 0: not known */
    uint64_t stack;   /* the stack pointer */
    uint32_t n_places;
    uint32_t inside; /* the program counter is inside the library */
    uint64_t places[WIRE_PLACES]; /* program counter if inside, then return
                                     addresses; offsets in the library */
};

/* ---- before that: judge/forkserver.c and runner/copies.c ---- */

enum {
    WIRE_FORK_FDS = 4
}; /* come with START: stdout, stderr, control and,
      for the virtual GPU, its channel */
enum wire_fork_kind { WIRE_FORK_START, WIRE_FORK_WAIT };
struct wire_fork {
    uint32_t magic, kind;
    int32_t pid, options; /* WAIT: as waitpid's */
};
struct wire_forked {
    uint32_t magic;
    int32_t pid, error, status; /* error: errno, 0: none */
};

struct wire_message {
    uint32_t magic, kind;
    uint64_t sequence;
    int64_t status;  /* ANSWER: the function's result */
    uint64_t value;  /* CALL's answer: *n_out; LOAD's: 1 no such symbol; GIVE:
                        which, answer: 0 the library never calls it; MAP:
                        bytes of the input map, answer: where it begins */
    uint64_t value2; /* MAP: the same of the output map; CALL's answer:
                        WIRE_HOST: bytes that malloc has handed out, WIRE_VGPU:
                        the device that is current, which was 0 before */
    uint32_t failed; /* CALL's answer, WIRE_HOST: the call that was to fail did
                      */
    char symbol[WIRE_SYMBOL_BYTES];
    union {
        struct wire_configure configure;
        struct wire_call call;
        struct wire_share share;
        struct wire_report report;
        char text[WIRE_TEXT_BYTES];
    } u;
};
