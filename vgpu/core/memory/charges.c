/* SPDX-License-Identifier: MIT
 *
 * charges.c: see charges.h. A block's charge is what malloc gave for it, so
 * that nobody has to remember it.
 */
#include "charges.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

enum { HEAD = 16, ALIGNMENT = 64 }; /* malloc's own; a cache line */

/* True: the device may use the whole limit. `more`, which may wait for other
 * devices, is called once; later calls return true at once. */
static bool has_all(struct charges *c) {
    if (!c->has_more && (!c->more || c->more(c->user))) c->has_more = true;
    return c->has_more;
}

static bool charges_fits(struct charges *c, uint64_t bytes) {
    if (!c->limit) return true;
    if (bytes > c->limit || c->held > c->limit - bytes) return false;
    return (bytes <= c->share && c->held <= c->share - bytes) || has_all(c);
}

void charges_refuse(struct charges *c, uint64_t bytes, const char *what) {
    if (!what || c->refused) return;
    c->refused = what;
    c->refused_bytes = bytes;
    c->refused_held = c->held;
}

/* Such as malloc can be asked for, with room to round up. */
static bool charges_is_size(uint64_t bytes) {
    return bytes <= SIZE_MAX / 2;
}

bool charges_add(struct charges *c, uint64_t bytes, const char *what) {
    if (!charges_fits(c, bytes)) {
        charges_refuse(c, bytes, what);
        return false;
    }
    c->held += bytes;
    if (c->held > c->peak) c->peak = c->held;
    return true;
}

void charges_drop(struct charges *c, uint64_t bytes) {
    c->held -= bytes;
}

uint64_t charges_room(struct charges *c, bool all) {
    if (!c->limit) return UINT64_MAX;
    uint64_t most = c->has_more || (all && has_all(c)) ? c->limit : c->share;
    return most > c->held ? most - c->held : 0;
}

/* Charged first: memory that is refused is never touched. */
static void *charged(struct charges *c, void *block, size_t bytes) {
    uint64_t got = block ? malloc_usable_size(block) + HEAD : 0;
    if (got < bytes) {
        charges_drop(c, bytes);
        return NULL;
    }
    c->held += got - bytes;
    return block;
}

void *charges_zeroed(struct charges *c, uint64_t bytes, const char *what) {
    if (!charges_is_size(bytes) || !charges_add(c, bytes, what)) return NULL;
    size_t n = (size_t)bytes;
    return charged(c, calloc(1, n ? n : 1), n);
}

void *charges_bytes(struct charges *c, uint64_t bytes, const char *what) {
    if (!charges_is_size(bytes) || !charges_add(c, bytes, what)) return NULL;
    size_t n = (size_t)bytes;
    size_t whole = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return charged(c, aligned_alloc(ALIGNMENT, whole ? whole : ALIGNMENT), n);
}

void *charges_grown(struct charges *c, void *block, size_t old, size_t bytes,
                    const char *what) {
    void *larger = charges_bytes(c, bytes, what);
    if (!larger) return NULL;
    if (old) memcpy(larger, block, old);
    charges_free(c, block);
    return larger;
}

char *charges_text(struct charges *c, const char *text, const char *what) {
    size_t bytes = strlen(text) + 1;
    char *copy = charges_zeroed(c, bytes, what);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void charges_free(struct charges *c, void *block) {
    if (!block) return;
    charges_drop(c, malloc_usable_size(block) + HEAD);
    free(block);
}

void charges_large_pages(void *block, size_t bytes) {
    pages_want_large(block, bytes);
}

void *charges_map(struct charges *c, uint64_t bytes, const char *what) {
    if (bytes < LARGE_PAGE) return charges_zeroed(c, bytes, what);
    if (!charges_is_size(bytes)) return NULL;
    size_t n = (size_t)bytes / LARGE_PAGE + (bytes % LARGE_PAGE != 0);
    if (!charges_add(c, (uint64_t)n * LARGE_PAGE, what)) return NULL;
    void *at = pages_map(n);
    if (!at) charges_drop(c, (uint64_t)n * LARGE_PAGE);
    return at;
}

void charges_unmap(struct charges *c, void *at, uint64_t bytes) {
    if (bytes < LARGE_PAGE) charges_free(c, at);
    if (!at || bytes < LARGE_PAGE) return;
    size_t n = (size_t)bytes / LARGE_PAGE + (bytes % LARGE_PAGE != 0);
    charges_drop(c, (uint64_t)n * LARGE_PAGE);
    pages_unmap(at, n);
}
