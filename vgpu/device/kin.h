/* SPDX-License-Identifier: MIT
 *
 * kin.h: launches that kernels ask for, and the family that they are
 * (core/machine/children.h). Shared by kin.c, which notes them, and kin_run.c,
 * which runs them.
 *
 * How to read this: a *kin* is a launch of a family. While a grid runs, its
 * kernel asks for launches, each of which notes what it comes behind: the one
 * before it in its stream, and those whose events its stream waits for. So all
 * that a launch waits for is of the same grid, and was asked for before.
 */
#pragma once

#include "children.h"
#include "device.h"
#include "words_map.h"

struct kin;
struct kins { /* a list */
    struct kin **list;
    uint32_t n, room;
};

/* A stream of a grid. */
struct kin_stream {
    struct kin *last;  /* asked for; NULL: none */
    struct kins waits; /* what events say that the next one comes behind */
    uint32_t n;
};

struct kin {
    struct child child; /* first: the observers have a pointer to it */
    struct kin *parent; /* NULL: the host's launch */
    vgpu_kernel *kernel;
    struct child_shape shape;
    uint64_t parameters; /* where they are; 0: none */
    /* Where the launch stands, for findings. */
    const struct insn *insn;
    struct vgpu_source where;
    uint32_t block[3], thread[3];
    bool waits; /* it is one of family.n_waiting */
    struct kins after, then;
    uint32_t n_left; /* of `after`: not over yet */
    /* What its own grid asks for. */
    struct kins opened; /* have memory for arguments, and are not launched */
    struct kins kids, tails, ready, events;
    uint32_t next_kid, next_tail;
    struct words_map names; /* of streams, events: their number + 1 */
    struct kin_stream *streams;
    uint32_t n_streams, streams_room;
};

struct kin_family {
    struct family base;    /* first */
    struct launch *launch; /* the host's */
    struct kin host;
    uint64_t n_waiting, n_all; /* launches that have not begun */
    uint64_t n_handles;
    uint64_t executed; /* instructions, and what launches count as */
    uint64_t random;
};

/* False: no memory. */
bool kins_add(struct kins *, struct kin *);
/* Frees what the grid asked for. */
void kin_forget(struct kin_family *, struct kin *);

extern const struct child_calls kin_calls;

/* The launch's kernel may launch kernels: makes its family. False: no memory.
 * NULL stays where no kernel of its program does. */
bool kin_begin(struct launch *);
/* The host's launch has run; runs all that comes of it. The first failure. */
vgpu_status kin_run(struct launch *);
void kin_end(struct launch *);
/* Before launch_done: the launch's grid has run. */
void kin_grid_ended(struct launch *);
