/* SPDX-License-Identifier: MIT
 *
 * scalar.h: the peer: PTX executed the plain way, one thread after another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx.h"

struct scalar_buffer {
    uint64_t address, size;
    uint8_t *bytes;
};
struct scalar_kernel;

/* NULL: `why` says which instruction it does not know. */
struct scalar_kernel *scalar_prepare(const struct ptx_module *,
                                     const char *name, char *why, size_t bytes);
void scalar_free(struct scalar_kernel *);
/* One-dimensional launch. Adds the executed instructions of all threads to
 * *executed. False: an access outside the buffers, or no memory. */
bool scalar_run(const struct scalar_kernel *, uint32_t blocks, uint32_t threads,
                const void *params, const struct scalar_buffer *,
                size_t n_buffers, uint64_t *executed);
