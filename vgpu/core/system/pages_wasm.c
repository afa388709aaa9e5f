/* SPDX-License-Identifier: MIT
 *
 * pages_wasm.c: see pages.h. WebAssembly has no pages that a program could map:
 * all is malloc's, shared words are copied at once, and there is no file that
 * somebody else could map.
 */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 1 << 16 }; /* of WebAssembly */

uint64_t pages_whole(uint64_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

uint64_t pages_of_machine(void) {
    return 0;
}

void *pages_map(size_t large_pages) {
    return calloc(large_pages, LARGE_PAGE);
}

void pages_unmap(void *at, size_t large_pages) {
    (void)large_pages;
    free(at);
}

void pages_want_large(void *block, size_t bytes) {
    (void)block, (void)bytes;
}

struct shared_words {
    size_t n;
    uint8_t bytes[];
};

/* One copy is enough: shared_words_map begins again behind it. */
struct shared_words *shared_words_new(const uint8_t *bytes, size_t n,
                                      size_t repeats) {
    (void)repeats;
    struct shared_words *w = malloc(sizeof *w + n);
    if (!w) return NULL;
    w->n = n;
    memcpy(w->bytes, bytes, n);
    return w;
}

void shared_words_free(struct shared_words *w) {
    free(w);
}

uint8_t *shared_words_map(const struct shared_words *w, size_t bytes) {
    uint8_t *to = malloc(bytes);
    for (size_t at = 0; to && at < bytes; at += w->n)
        memcpy(to + at, w->bytes, bytes - at < w->n ? bytes - at : w->n);
    return to;
}

void shared_words_cut(uint8_t *at, size_t bytes, size_t left) {
    (void)at, (void)bytes, (void)left;
}

void shared_words_unmap(uint8_t *at, size_t bytes) {
    (void)bytes;
    free(at);
}

uint8_t *file_map(int file, uint64_t at, size_t bytes) {
    (void)file, (void)at, (void)bytes;
    return NULL;
}

void file_unmap(uint8_t *bytes, int file, uint64_t at, size_t n) {
    (void)bytes, (void)file, (void)at, (void)n;
}
