/* SPDX-License-Identifier: MIT
 *
 * fake_device.h: a stand-in for vgpu/device with just enough behaviour
 * to test protocol, server and client alone: memory is malloc, a launch is a
 * record, and a test can script what comes next. Kernel names carry their
 * parameter count: "k3" takes three 8-byte parameters; a name with "missing"
 * in it does not exist. An image that holds "no ptx" does not load.
 */
#pragma once

#include "vgpu.h"

enum { FAKE_FINDINGS = 256, FAKE_TEXT = 1 << 20 };

struct fake_launch {
    char kernel[64];
    uint32_t grid[3], block[3];
    size_t dynamic_smem_bytes, param_bytes;
    uint64_t params[64];
};

/* What the device did since it was opened. */
struct fake_record {
    size_t n_launches, n_modules, n_allocations;
    struct fake_launch last;
};
struct fake_record fake_record(const vgpu_device *);
/* The next launch answers this. */
void fake_next_launch(vgpu_device *, vgpu_status);
/* The program has ended, say. */
void fake_end_time(vgpu_device *);
/* As if a kernel had printed. */
void fake_print(vgpu_device *, const char *text, size_t bytes);
