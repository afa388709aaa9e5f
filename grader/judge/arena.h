/* SPDX-License-Identifier: MIT
 *
 * arena.h: input and output of a host call, in memory shared with the runner.
 *
 * Sizes are in 32-bit words (contract/signature.h): all inputs are one array,
 * all outputs another. Two memfds of fixed size. The runner maps the input
 * read-only. First and last page of each are walls there; the elements end
 * right before the last wall, so that a step past the end faults; or, when an
 * alignment is asked for, they begin so many elements after a 256-byte
 * boundary. Bytes of the output's pages that are not elements are canaries. The
 * judge keeps its own input and never reads it back from here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_map {
    int fd;
    unsigned char *base;
    size_t bytes, data; /* of the whole; offset of element 0 */
};

struct arena {
    size_t n_in, n_out; /* words; n_in also when they stand in the output map */
    bool in_place;      /* the input is put into the output map */
    struct arena_map in, out;
};

#define ARENA_TIGHT ((size_t)-1) /* for misalign: right before the wall */

/* false: no memory (errno). */
bool arena_open(struct arena *, size_t n_in, size_t n_out, size_t misalign,
                bool in_place);
void arena_close(struct arena *);
/* Writes input, poison and canaries. */
void arena_fill(struct arena *, const int32_t *in, int32_t poison);
/* The elements of the output, as they are now. */
const int32_t *arena_output(const struct arena *);
/* Bytes changed outside the elements; *offset: of the first of them, relative
 * to element 0 (negative: before it). */
size_t arena_damage(const struct arena *, long long *offset);
