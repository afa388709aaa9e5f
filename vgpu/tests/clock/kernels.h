/* SPDX-License-Identifier: MIT
 *
 * kernels.h: runs a kernel of PTX under a clock.
 */
#pragma once

#include <stdint.h>
#include "vgpu.h"

struct run {
    const char *clock;
    const char *body; /* of a kernel: see kernels.c for its registers */
    uint32_t blocks, threads;
    uint64_t bytes;     /* of the array that %rd1 points to; zeros */
    uint32_t n;         /* %r9 */
    const char *device; /* teach */
    const char *module; /* what stands in front of the kernel; NULL: nothing */
};

/* Shows the device after the launch, of which vgpu_why is kept. Fails the test
 * when it does not end well. */
void run_look(struct run, void (*look)(vgpu_device *, void *), void *user);
/* What the launch counted. */
void run_counts(struct run, uint64_t counts[VGPU_N_COUNTERS]);
uint64_t run_count(struct run, vgpu_counter);
