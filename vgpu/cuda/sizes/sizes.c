/* SPDX-License-Identifier: MIT
 *
 * sizes.c: how much malloc, new and their like gave, to the byte: a library
 * that `vgpu --ordercheck` puts before the C library's functions in a program,
 * so that a copy past the end of a host buffer is seen (client_order.c asks by
 * vgpu_sizes_find).
 *
 * Blocks are in lists by the page where they begin; those of many pages in one
 * more list. Nothing here asks malloc for memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define SHOWN __attribute__((visibility("default")))

enum {
    PAGE_BITS = 12,
    LISTS = 1 << 16,
    NEAR = 16, /* pages that a block which is not large may reach over */
    LARGE = (NEAR - 1) << PAGE_BITS,
    IN_PIECE = 4096
};

/* The C library's own. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

struct block {
    uintptr_t base;
    size_t bytes;
    struct block *next, *next_large, **large;
};

static struct {
    atomic_flag lock;
    struct block *lists[LISTS], *large, *spare;
} sizes = {.lock = ATOMIC_FLAG_INIT};

static void sizes_lock(void) {
    while (atomic_flag_test_and_set(&sizes.lock)) {
    }
}
static void sizes_unlock(void) {
    atomic_flag_clear(&sizes.lock);
}

__attribute__((constructor)) static void sizes_begin(void) {
    pthread_atfork(sizes_lock, sizes_unlock, sizes_unlock);
}

static struct block **list_of(uintptr_t address) {
    return &sizes.lists[(address >> PAGE_BITS) % LISTS];
}

static struct block *spare_block(void) {
    if (!sizes.spare) {
        struct block *piece =
            mmap(NULL, IN_PIECE * sizeof *piece, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) return NULL;
        for (size_t k = 0; k < IN_PIECE; k++) {
            piece[k].next = sizes.spare;
            sizes.spare = &piece[k];
        }
    }
    struct block *b = sizes.spare;
    sizes.spare = b->next;
    return b;
}

static void sizes_add(void *pointer, size_t bytes) {
    int error = errno;
    if (!pointer) return;
    sizes_lock();
    struct block *b = spare_block(), **list = list_of((uintptr_t)pointer);
    if (b) {
        *b = (struct block){(uintptr_t)pointer, bytes, *list, NULL, NULL};
        *list = b;
    }
    if (b && bytes > LARGE) {
        b->next_large = sizes.large;
        b->large = &sizes.large;
        if (sizes.large) sizes.large->large = &b->next_large;
        sizes.large = b;
    }
    sizes_unlock();
    errno = error;
}

static void sizes_remove(void *pointer) {
    if (!pointer) return;
    sizes_lock();
    struct block **at = list_of((uintptr_t)pointer);
    while (*at && (*at)->base != (uintptr_t)pointer) at = &(*at)->next;
    struct block *b = *at;
    if (b) {
        *at = b->next;
        if (b->large) *b->large = b->next_large;
        if (b->large && b->next_large) b->next_large->large = b->large;
        b->next = sizes.spare;
        sizes.spare = b;
    }
    sizes_unlock();
}

static bool block_holds(const struct block *b, uintptr_t address) {
    return address >= b->base && address - b->base <= b->bytes;
}

/* The block that an address lies in, or at whose end. */
SHOWN bool vgpu_sizes_find(const void *pointer, uint64_t *base,
                           uint64_t *bytes) {
    uintptr_t at = (uintptr_t)pointer;
    const struct block *found = NULL, *b;
    sizes_lock();
    for (b = sizes.large; b && !found; b = b->next_large)
        if (block_holds(b, at)) found = b;
    for (uintptr_t back = 0; back < NEAR && !found; back++)
        for (b = *list_of(at - (back << PAGE_BITS)); b && !found; b = b->next)
            if (block_holds(b, at)) found = b;
    if (found) {
        *base = found->base;
        *bytes = found->bytes;
    }
    sizes_unlock();
    return found != NULL;
}

/* ---- the C library's functions ---- */

SHOWN void *malloc(size_t bytes) {
    void *p = __libc_malloc(bytes);
    sizes_add(p, bytes);
    return p;
}

SHOWN void *calloc(size_t n, size_t bytes) {
    void *p = __libc_calloc(n, bytes);
    sizes_add(p, n * bytes);
    return p;
}

SHOWN void *realloc(void *old, size_t bytes) {
    sizes_remove(old);
    void *p = __libc_realloc(old, bytes);
    sizes_add(p, bytes);
    return p;
}

SHOWN void free(void *pointer) {
    sizes_remove(pointer);
    __libc_free(pointer);
}

SHOWN void *memalign(size_t alignment, size_t bytes) {
    void *p = __libc_memalign(alignment, bytes);
    sizes_add(p, bytes);
    return p;
}

SHOWN void *aligned_alloc(size_t alignment, size_t bytes) {
    return memalign(alignment, bytes);
}

SHOWN int posix_memalign(void **pointer, size_t alignment, size_t bytes) {
    if (alignment < sizeof(void *) || alignment & (alignment - 1))
        return EINVAL;
    void *p = memalign(alignment, bytes);
    if (p) *pointer = p;
    return p ? 0 : ENOMEM;
}
