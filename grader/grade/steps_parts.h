/* SPDX-License-Identifier: MIT
 * steps_parts.h: what grader/grade/steps*.c share, and report/steps*.c use.
 */
#pragma once

#include "steps.h"

#define NO_FRAME UINT32_MAX

/* Works out view.contents, where outputs are sums of ranges of the input. */
void steps_contents(struct steps_view *, const struct steps_call *);
/* view.useful; false: no memory. */
bool steps_index_useful(struct steps_view *);
/* Walks back from the wrong outputs. */
void steps_find_fault(struct steps_view *);
/* view.races. */
void steps_race_lines(struct steps_view *, const vgpu_device *);
/* view.guilty, and the fault where there is one. */
void steps_find_guilty(struct steps_view *);
/* Who made the value that is copied. */
uint32_t steps_maker_of(const struct steps_view *, uint32_t write);
/* "table[9]" */
void steps_add_cell(struct text *, const struct steps_view *, uint32_t write);
void steps_find_elsewhere(struct steps_view *);
/* FAULT_SWAPPED, with view.swapped, if that is the fault. */
void steps_find_swapped(struct steps_view *, const struct steps_call *);
/* For each write the one that came over it, and 1. NULL: no memory; to be
 * freed. */
uint32_t *steps_successors(const struct steps_view *);
/* The inputs that element k of the output sums up: first to last, and 1. */
void steps_due(const struct steps_view *, size_t k, size_t *first, size_t *end);

/* The last write to a byte of the output's element; UINT32_MAX: none. */
uint32_t steps_last_write(const struct steps_view *, size_t element);
/* "naive.cu:41"; nothing where the line is not known. */
void steps_add_place(struct text *, const struct steps_view *, uint32_t place);
/* Calls the function for each new cell of the row: from which cells it was
 * made, in words, and at which place. */
typedef void steps_tell(void *user, const char *words, const char *place);
void steps_recipes(const struct steps_view *, const struct steps_row *,
                   steps_tell *, void *user);
/* The row that a write belongs to, as it was before the frame. */
bool steps_row_before(const struct steps_view *, uint32_t frame, uint32_t write,
                      struct steps_row *);
/* "launch 2, up_sweep<<<1, 256>>>" */
void steps_launch_name(struct text *, const struct steps_view *,
                       uint32_t launch);
/* Bytes of a cell of the array: as most of its writes have. */
uint32_t steps_cell_bytes(const struct steps_view *, uint32_t array);
