/* SPDX-License-Identifier: MIT
 *
 * work.h: the kernels of kernels.cu and kernels.cl as work with an answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORK_THREADS = 256, WORK_AUX_BYTES = 8, WORK_MAX_RUNS = 64 };

struct work {
    const char *name; /* of the kernel */
    const char *text;
    uint32_t items_per_block;
    int32_t arg;
    void (*answer)(const int32_t *in, int32_t *out, uint32_t n);
};

extern const struct work work_table[];
extern const size_t work_count;
const struct work *work_find(const char *name); /* NULL: none */

/* Bytes of `aux`, all zero before each run. */
size_t work_aux_bytes(uint32_t n);
/* n values in 0..255, always the same. */
void work_input(int32_t *in, uint32_t n);
/* False: says on standard error which element is wrong. */
bool work_verify(const struct work *, const char *engine, const int32_t *in,
                 const int32_t *out, uint32_t n);

/* What one run took, in seconds. */
struct work_time {
    double cpu, wall;
};
void work_clock(struct work_time *now);
void work_since(struct work_time *start); /* becomes the time since then */

struct work_summary {
    double median, least, most;
};
struct work_summary work_summarise(const double *seconds, size_t n);
