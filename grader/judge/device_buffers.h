/* SPDX-License-Identifier: MIT
 *
 * device_buffers.h: inputs and outputs of a call on the virtual GPU. The judge
 * allocates, fills and reads them; the runner is told two addresses. They are
 * exactly as long as n, so that one element more is out of bounds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vgpu.h>

#include "signature.h"

struct device_buffers {
    vgpu_device *device;
    int signature;
    size_t n;
    bool in_place;             /* the first input is the first output */
    uint64_t base[N_BUFFERS];  /* allocations, 0: none */
    uint64_t first[N_BUFFERS]; /* element 0; 0: there is no such buffer */
};

vgpu_status device_buffers_open(struct device_buffers *, vgpu_device *,
                                int signature, size_t n, size_t misalign,
                                bool in_place);
void device_buffers_close(struct device_buffers *);
/* in, out: words, as in contract/signature.h. Output is poisoned and marked as
 * not written, input marked as data if that is to be counted (DATA_OPS), which
 * takes an eighth of a grade's time. Resets counters and findings. */
vgpu_status device_buffers_fill(struct device_buffers *, const int32_t *in,
                                int32_t poison, bool counts_data);
vgpu_status device_buffers_output(const struct device_buffers *, int32_t *out);
