/* SPDX-License-Identifier: MIT
 *
 * timeline_view.h: what the blocks of one launch did when, in model time, for
 * the page of a source: a row for each block, with the phases of the one of its
 * warps that waited longest (for a message of another block, if any did), and
 * the messages between blocks. It is a copy: the device is closed after a call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_timeline;

enum {
    TIMELINE_BLOCKS = 96,
    TIMELINE_PHASES = 6000,
    TIMELINE_ARROWS = 2000,
    TIMELINE_FILES = 16,
    TIMELINE_CAUSES = 32 /* at most */
};

/* Times are ns since the launch's first block began. */
struct timeline_block {
    uint32_t block, sm, warp; /* warp: whose phases are kept */
    uint64_t from, to;
};
struct timeline_phase {
    uint64_t from, to;
    uint32_t row;
    int cause; /* vgpu_cause; ISSUE: it runs */
    int file;  /* index in files; -1: not known */
    uint32_t line;
};
struct timeline_arrow {
    uint64_t from, to; /* stored, and read */
    uint32_t from_row, to_row;
};

struct timeline_view {
    char *kernel;
    uint32_t launch;
    struct timeline_block blocks[TIMELINE_BLOCKS]; /* by number */
    size_t n_blocks;
    struct timeline_phase *phases;
    size_t n_phases;
    struct timeline_arrow *arrows;
    size_t n_arrows;
    char *files[TIMELINE_FILES]; /* their last parts */
    size_t n_files;
    struct timeline_cause {
        const char *name, *words;
    } causes[TIMELINE_CAUSES]; /* by phase.cause */
    size_t n_causes;
    /* blocks, phases, arrows that the lists do not have */
    uint64_t blocks_left_out, phases_left_out, arrows_left_out;
};

/* Of the launch that took longest. NULL: no timeline, no block, no memory. */
struct timeline_view *timeline_view_make(const struct vgpu_timeline *);
void timeline_view_free(struct timeline_view *);
