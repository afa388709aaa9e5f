/* SPDX-License-Identifier: MIT
 *
 * arena.h: memory of one module. Everything taken is zeroed, lives as long as
 * the arena and is freed with it. An arena refuses to grow past its limit,
 * PTX_ARENA_LIMIT at most, so that a hostile text ends in an error and not in a
 * machine without memory.
 */
#pragma once

#include <stddef.h>

#define PTX_ARENA_LIMIT ((size_t)1 << 30)

struct ptx_arena_block;
struct ptx_arena {
    struct ptx_arena_block *blocks; /* newest first */
    size_t used, capacity;          /* of the newest block */
    size_t total;                   /* bytes of all blocks */
    size_t spared;                  /* bytes of the limit that are kept free */
};

/* Zeroed, aligned for any type; NULL: no memory or past the limit. */
void *ptx_arena_take(struct ptx_arena *, size_t bytes);
void ptx_arena_free(struct ptx_arena *);
