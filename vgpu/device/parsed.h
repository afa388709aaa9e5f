/* SPDX-License-Identifier: MIT
 *
 * parsed.h: parsed images, shared by the devices of one cache. A host that runs
 * one program many times gives each run a device of its own, and each loads the
 * same image; to parse it each time would take longer than most kernels.
 *
 * How to read this: nobody writes to a module once it is parsed and linked, so
 * devices of several threads read the same one. Equal means equal bytes, taken
 * for the same capability. A module that no device holds any more is kept for
 * the next device, unless it is large; of several the least recently used go.
 */
#pragma once

#include <stddef.h>

#include "ptx.h"
#include "vgpu.h"

/* Memory of the modules that no device holds; images larger than the limit are
 * not shared at all. */
#define PARSED_IDLE_BYTES  ((size_t)64 << 20)
#define PARSED_IMAGE_LIMIT ((size_t)16 << 20)

struct parsed;

/* To be released; NULL: nobody has parsed it, or it is not shared. Without a
 * cache nothing is. */
struct parsed *parsed_find(vgpu_cache *, const void *image, size_t bytes,
                           unsigned capability);
/* Owns the module from now on, whatever the outcome. When another thread was
 * first, the answer is that thread's. NULL: no memory. */
struct parsed *parsed_add(vgpu_cache *, const void *image, size_t bytes,
                          unsigned capability, struct ptx_module *);
const struct ptx_module *parsed_module(const struct parsed *);
size_t parsed_held(const struct parsed *); /* bytes */
void parsed_release(struct parsed *);      /* NULL is allowed */
