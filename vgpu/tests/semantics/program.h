/* SPDX-License-Identifier: MIT
 *
 * program.h: random PTX programs with one defined result.
 *
 * Program k of seed s is always the same: text, shape of the launch, arguments
 * and contents of memory. It is a tree of *nodes*, each of which may be left
 * out without making what remains undefined; that is how a disagreement is
 * made small. Memory of one launch, in one allocation:
 *
 *   input    PROGRAM_INPUT bytes, read only
 *   private  PROGRAM_SLOT bytes per thread of the grid
 *   atomics  PROGRAM_ATOMICS bytes per block, and as many for the grid
 *   output   words of 32 bits, word w of thread t at w * threads + t
 *   trace    optional: a thread's {node, value} pairs of 64 bits
 *
 * What lies behind the input is the result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    PROGRAM_INPUT = 16384,
    PROGRAM_SLOT = 32,
    PROGRAM_ATOMICS = 256,
    PROGRAM_TRACE = 2048, /* pairs per thread */
    PROGRAM_PARAMETERS = 112,
    /* Seeds from these on are of newer generators; answers are recorded for
     * the text of older ones. */
    PROGRAM_NEWER = 1000, /* video instructions, .b8, isspacep, hints */
    PROGRAM_VIDEO = 2000, /* all forms of video instructions */
    PROGRAM_NAME = 32
};
#define PROGRAM_HEADER ".version 9.0\n.target sm_75\n.address_size 64\n"

struct program;

struct program_shape {
    uint32_t grid[3], block[3];
    uint32_t dynamic_smem, threads; /* of the whole grid */
    uint32_t result, trace;         /* offsets in the allocation, bytes */
    uint32_t bytes;                 /* of the allocation, without the trace */
};

enum program_build {
    PROGRAM_PLAIN,
    PROGRAM_TRACED, /* each instruction's result also goes to the trace */
    PROGRAM_CHECKED /* trap where .uni is not true */
};
struct program *program_make(uint64_t seed, uint64_t k, enum program_build);
void program_free(struct program *);
void program_get_shape(const struct program *, struct program_shape *);
/* The kernel is called k<index>, and every other name of the module ends in
 * the index, so that many programs fit into one module (PROGRAM_HEADER first).
 * skipped[n] leaves node n out; NULL: none. */
void program_write(const struct program *, FILE *, unsigned index,
                   const uint8_t *skipped);
/* A module of this program alone, to be freed; ends the process if it has no
 * memory. */
char *program_text(const struct program *, const uint8_t *skipped);
/* Nodes are numbered in the order of the text; node 0 is all of it, and a
 * node's children lie between it and its end. */
unsigned program_nodes(const struct program *);
unsigned program_node_end(const struct program *, unsigned node);
/* What is left of the statements, without the frame around them. */
void program_write_statements(const struct program *, FILE *,
                              const uint8_t *skipped);
/* What the allocation holds before the launch: shape.bytes. */
void program_fill(const struct program *, uint8_t *memory);
/* The packed parameters for an allocation at this device address. */
void program_parameters(const struct program *, uint64_t address,
                        uint8_t block[PROGRAM_PARAMETERS]);
/* "%w5 of thread 17", for the result's byte at this offset. */
void program_name(const struct program *, uint32_t result_offset, char *text,
                  size_t bytes);
/* Of the result (shape.bytes - shape.result bytes). */
uint64_t program_digest(const uint8_t *result, size_t bytes);
