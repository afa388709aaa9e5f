/* SPDX-License-Identifier: MIT
 *
 * device_buffers.h: inputs and outputs of a call on the virtual GPU. The judge
 * allocates, fills and reads them; the runner is told two addresses. They are
 * exactly as long as n, so that one element more is out of bounds. Arrays in
 * parts (parts.h) are so many such pairs, each on a GPU of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vgpu.h>

#include "parts.h"

struct device_part {
    size_t n, from;           /* its elements; the first of them in the whole */
    uint64_t base[N_BUFFERS]; /* allocations, 0: none */
    uint64_t first[N_BUFFERS]; /* element 0; 0: there is no such buffer */
};

struct device_buffers {
    vgpu_device *device;
    int signature;
    size_t n, n_parts;
    bool in_place; /* the first input is the first output */
    struct device_part parts[WIRE_PARTS]; /* a whole array is one part */
};

/* NULL for parameters: the usual ones. */
vgpu_status device_buffers_open(struct device_buffers *, vgpu_device *,
                                int signature, size_t n, size_t misalign,
                                bool in_place, const struct parameters *);
void device_buffers_close(struct device_buffers *);
/* Which input is marked as data: all, if that is to be counted (DATA_OPS),
 * which takes an eighth of a grade's time; or one element of the first one. */
struct marked_input {
    bool all;
    size_t element; /* one more than its number; 0: none */
};

/* in, out: words, as in contract/signature.h. Output is poisoned and marked as
 * not written. Resets counters and findings. */
vgpu_status device_buffers_fill(struct device_buffers *, const int32_t *in,
                                int32_t poison, struct marked_input);
vgpu_status device_buffers_output(const struct device_buffers *, int32_t *out);
/* Words of the output into which data that is marked came. */
size_t device_buffers_marked(const struct device_buffers *);
/* Where word `word` of the first output is. */
uint64_t device_buffers_word(const struct device_buffers *, size_t word);
