/* SPDX-License-Identifier: MIT
 *
 * heap.c: malloc, mmap and their like, for the whole process, with a count of
 * the bytes in use. libc's own count (mallinfo2) takes what waits in a thread's
 * cache to be allocated again for bytes in use, and which of its functions look
 * into that cache differs from version to version; and it knows nothing of what
 * somebody maps. libc's own mappings do not come through here.
 */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_size_t in_use;
static atomic_bool is_clearing;

uint64_t heap_in_use(void) {
    return atomic_load_explicit(&in_use, memory_order_relaxed);
}

static void heap_add(size_t bytes) {
    atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed);
}

static void *taken(void *block) {
    if (!block) fails_short(ENOMEM);
    heap_add(malloc_usable_size(block));
    return block;
}

static void given_back(size_t bytes) {
    atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
}

void heap_clears(bool clears) {
    atomic_store_explicit(&is_clearing, clears, memory_order_relaxed);
}

static void *handed_out(void *block, size_t bytes) {
    if (block && atomic_load_explicit(&is_clearing, memory_order_relaxed))
        memset(block, 0, bytes);
    return taken(block);
}

/* Is this call the one that the judge wants to fail? */
#define FAILS fails_now((uintptr_t)__builtin_return_address(0))

void *malloc(size_t bytes) {
    if (FAILS) return NULL;
    return handed_out(__libc_malloc(bytes), bytes);
}

void *calloc(size_t n, size_t bytes) {
    if (FAILS) return NULL;
    return taken(__libc_calloc(n, bytes));
}

void *realloc(void *block, size_t bytes) {
    if (FAILS) return NULL;
    size_t before = malloc_usable_size(block);
    void *now = __libc_realloc(block, bytes);
    bool gone = block && !bytes;
    if (now || gone) given_back(before); /* else the old one stays */
    if (now)
        taken(now);
    else if (!gone)
        fails_short(ENOMEM);
    return now;
}

void free(void *block) {
    given_back(malloc_usable_size(block));
    __libc_free(block);
}

void *memalign(size_t to, size_t bytes) {
    return handed_out(__libc_memalign(to, bytes), bytes);
}

void *aligned_alloc(size_t to, size_t bytes) {
    if (FAILS) return NULL;
    return memalign(to, bytes);
}

int posix_memalign(void **block, size_t to, size_t bytes) {
    int before = errno;
    if (FAILS) {
        errno = before;
        return ENOMEM;
    }
    if (to % sizeof(void *) || !to || (to & (to - 1))) return EINVAL;
    void *got = memalign(to, bytes);
    errno = before;
    if (got) *block = got;
    return got ? 0 : ENOMEM;
}

void *valloc(size_t bytes) {
    return memalign((size_t)sysconf(_SC_PAGESIZE), bytes);
}

void *pvalloc(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return memalign(page, (bytes + page - 1) & ~(page - 1));
}

/* ---- mappings ---- */

/* MAP_FIXED takes the place of what was there, which is counted already. */
void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t from) {
    if (FAILS) return MAP_FAILED;
    void *got = (void *)syscall(SYS_mmap, at, bytes, rights, flags, fd, from);
    if (got == MAP_FAILED && errno == ENOMEM) fails_short(ENOMEM);
    if (got != MAP_FAILED && !(flags & MAP_FIXED)) heap_add(bytes);
    return got;
}

void *mmap64(void *at, size_t bytes, int rights, int flags, int fd,
             off64_t from) {
    return mmap(at, bytes, rights, flags, fd, from);
}

int munmap(void *at, size_t bytes) {
    int failed = (int)syscall(SYS_munmap, at, bytes);
    if (!failed) given_back(bytes);
    return failed;
}

void *mremap(void *at, size_t before, size_t bytes, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *place = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    void *got = (void *)syscall(SYS_mremap, at, before, bytes, flags, place);
    if (got != MAP_FAILED) {
        given_back(before);
        heap_add(bytes);
    }
    return got;
}
