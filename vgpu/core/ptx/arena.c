/* SPDX-License-Identifier: MIT
 *
 * arena.c: blocks in a list, the newest filled from the front. Large requests
 * get a block of their own behind the newest, so that its rest is not lost.
 */
#include "arena.h"

#include <stdalign.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 1 << 18, LARGE_BYTES = 1 << 15 };

struct ptx_arena_block {
    struct ptx_arena_block *next;
    alignas(max_align_t) unsigned char bytes[];
};

static struct ptx_arena_block *new_block(struct ptx_arena *a, size_t bytes) {
    if (a->spared + a->total > PTX_ARENA_LIMIT ||
        bytes > PTX_ARENA_LIMIT - a->spared - a->total)
        return NULL;
    struct ptx_arena_block *block = calloc(1, sizeof *block + bytes);
    if (block) a->total += bytes;
    return block;
}

static void *take_large(struct ptx_arena *a, size_t bytes) {
    struct ptx_arena_block *block = new_block(a, bytes);
    if (!block) return NULL;
    if (a->blocks) {
        block->next = a->blocks->next;
        a->blocks->next = block;
    } else {
        a->blocks = block;
        a->used = a->capacity = bytes;
    }
    return block->bytes;
}

void *ptx_arena_take(struct ptx_arena *a, size_t bytes) {
    const size_t unit = alignof(max_align_t);
    if (bytes > PTX_ARENA_LIMIT) return NULL;
    bytes = (bytes + unit - 1) / unit * unit;
    if (bytes > a->capacity - a->used) {
        if (bytes >= LARGE_BYTES) return take_large(a, bytes);
        struct ptx_arena_block *block = new_block(a, BLOCK_BYTES);
        if (!block) return NULL;
        block->next = a->blocks;
        a->blocks = block;
        a->used = 0;
        a->capacity = BLOCK_BYTES;
    }
    void *taken = a->blocks->bytes + a->used;
    a->used += bytes;
    return taken;
}

void ptx_arena_free(struct ptx_arena *a) {
    while (a->blocks) {
        struct ptx_arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
    *a = (struct ptx_arena){0};
}
