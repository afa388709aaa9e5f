/* SPDX-License-Identifier: MIT
 *
 * event.h: what an execution of a program did, instruction by instruction, as
 * the virtual GPU's trace says it (vgpu_trace_options). So a referee rests on
 * nothing that the virtual GPU's checks see, but on registers alone.
 */
#pragma once

#include <stddef.h>

#include "program.h"

struct event {
    uint32_t launch, block, warp, op;
    uint32_t lanes;  /* that executed it */
    uint32_t truths; /* lanes in which the predicate that it wrote is true */
    uint64_t address[LANES], source[LANES], mbarrier[LANES];
    uint64_t out[LANES];     /* what it read; of a copy nothing */
    uint64_t second[LANES];  /* of 16 bytes, the second half */
    uint64_t compare[LANES]; /* what a swap compares with */
};

struct events {
    struct event *list;
    size_t n, room;
    uint32_t launch, block, warp; /* that the last head named */
    bool strange;                 /* some line was not understood */
};

/* Adds the instruction of one call of vgpu_trace_options.line. */
void events_add(struct events *, const char *text, size_t bytes);
void events_free(struct events *);
