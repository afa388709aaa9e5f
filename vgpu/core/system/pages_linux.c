/* SPDX-License-Identifier: MIT
 *
 * pages_linux.c: see pages.h. Shared words are a file in memory, mapped
 * privately: only pages that are written take memory.
 */
#define _GNU_SOURCE /* memfd_create, fallocate */
#include "pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t pages_whole(uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

uint64_t pages_of_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
}

/* ---- large pages ---- */

/* A mapping begins anywhere: what lies in front of the first large page and
 * behind the last one goes back. */
void *pages_map(size_t large_pages) {
    size_t whole = large_pages * LARGE_PAGE;
    uint8_t *at = mmap(NULL, whole + LARGE_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)at % LARGE_PAGE;
    if (before) munmap(at, before);
    at += before;
    munmap(at + whole, LARGE_PAGE - before);
    madvise(at, whole, MADV_HUGEPAGE);
    return at;
}

void pages_unmap(void *at, size_t large_pages) {
    munmap(at, large_pages * LARGE_PAGE);
}

void pages_want_large(void *block, size_t bytes) {
    uintptr_t from = ((uintptr_t)block + LARGE_PAGE - 1) / LARGE_PAGE;
    uintptr_t to = ((uintptr_t)block + bytes) / LARGE_PAGE;
    if (block && to > from) /* may be refused */
        madvise((void *)(from * LARGE_PAGE), (to - from) * LARGE_PAGE,
                MADV_HUGEPAGE);
}

/* ---- shared words ---- */

struct shared_words {
    int file;
    size_t bytes;
};

static bool write_words(int file, const uint8_t *bytes, size_t n,
                        size_t repeats) {
    for (size_t k = 0; k < repeats; k++)
        if (write(file, bytes, n) != (ssize_t)n) return false;
    return true;
}

struct shared_words *shared_words_new(const uint8_t *bytes, size_t n,
                                      size_t repeats) {
    struct shared_words *w = malloc(sizeof *w);
    if (!w) return NULL;
    w->bytes = n * repeats;
    w->file = memfd_create("words", MFD_CLOEXEC);
    if (w->file >= 0 && write_words(w->file, bytes, n, repeats)) return w;
    if (w->file >= 0) close(w->file);
    free(w);
    return NULL;
}

void shared_words_free(struct shared_words *w) {
    if (w) close(w->file);
    free(w);
}

uint8_t *shared_words_map(const struct shared_words *w, size_t bytes) {
    size_t size = (size_t)pages_whole(bytes);
    uint8_t *to = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (to == MAP_FAILED) return NULL;
    for (size_t at = 0; at < size; at += w->bytes) {
        size_t n = size - at < w->bytes ? size - at : w->bytes;
        if (mmap(to + at, n, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, w->file,
                 0) == MAP_FAILED) {
            munmap(to, size);
            return NULL;
        }
    }
    return to;
}

void shared_words_cut(uint8_t *at, size_t bytes, size_t left) {
    size_t size = (size_t)pages_whole(bytes), stays = (size_t)pages_whole(left);
    if (size > stays) munmap(at + stays, size - stays);
}

void shared_words_unmap(uint8_t *at, size_t bytes) {
    munmap(at, (size_t)pages_whole(bytes));
}

/* ---- a file that others map ---- */

uint8_t *file_map(int file, uint64_t at, size_t bytes) {
    void *to =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)at);
    return to == MAP_FAILED ? NULL : to;
}

void file_unmap(uint8_t *bytes, int file, uint64_t at, size_t n) {
    munmap(bytes, n);
    (void)!fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)at, (off_t)pages_whole(n));
}
