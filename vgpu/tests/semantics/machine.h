/* SPDX-License-Identifier: MIT
 *
 * machine.h: the two machines that run programs. Both take PTX text and the
 * contents of memory, and leave the memory as the program left it.
 */
#pragma once

#include "program.h"

enum { MACHINE_MESSAGE = 1024 };

/* ---- the virtual GPU ---- */
struct virtual_gpu;
struct virtual_mode {
    unsigned checks;   /* VGPU_CHECK_* */
    uint64_t schedule; /* 0: in order; else a seed */
    uint64_t memory;   /* 0: sc; else a seed of the weak model */
    const char *clock; /* model time; or NULL */
};
struct virtual_gpu *virtual_open(void);
void virtual_close(struct virtual_gpu *);
/* memory: shape.bytes, or with the trace behind it. False: message says why;
 * a finding is a reason. */
bool virtual_run(struct virtual_gpu *, const struct virtual_mode *,
                 const struct program *, const char *ptx, const char *kernel,
                 uint8_t *memory, size_t bytes, char message[MACHINE_MESSAGE]);

/* ---- a real one, through the driver, which is loaded by name ---- */
struct real_gpu;
struct real_module;
struct real_gpu *real_open(char message[MACHINE_MESSAGE]);
/* optimise: 0 to 4, ptxas -O */
struct real_module *real_load(struct real_gpu *, const char *ptx, int optimise,
                              char message[MACHINE_MESSAGE]);
void real_unload(struct real_gpu *, struct real_module *);
/* After a failure the process's context may be unusable. */
bool real_run(struct real_gpu *, struct real_module *, const struct program *,
              const char *kernel, uint8_t *memory, size_t bytes,
              char message[MACHINE_MESSAGE]);
/* "NVIDIA H200, driver 13.0" */
void real_describe(struct real_gpu *, char *text, size_t bytes);
