/* SPDX-License-Identifier: MIT
 *
 * contents.c: what an allocation holds before the program writes to it: what
 * others have left there, numbers drawn from the seed, or zeros.
 *
 * How to read this: the bytes of freed allocations are kept, the latest first,
 * and given to the next allocations that they are enough for, with their taint
 * of data: else to free and allocate would be a way to lose these. Other bytes
 * are drawn from the seed, and no word among them is zero; after DRAWN bytes
 * they repeat. A big allocation is pages of one file of such words, mapped
 * again and again, so that only pages that are written take memory.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

/* Bytes from which on an allocation is pages; the file of words. */
enum { PAGED = 1 << 20, WORDS_FILE = 1 << 21, DRAWN = 1 << 16 };
#define MOST_LEFT_BYTES (64ull << 20) /* kept of freed allocations */

#define RANDOM_STEP 0x9e3779b97f4a7c15ull /* splitmix64 */
static uint64_t random_next(struct memory *m) {
    uint64_t z = (m->contents_random += RANDOM_STEP);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* A word that somebody may have left: a small number as often as any other. */
static uint32_t left_word(uint64_t random) {
    uint32_t high = (uint32_t)(random >> 32);
    return random & 1 ? 1 + high % 7 : high | 1u << (random >> 1 & 31);
}

static void contents_fill(struct memory *m, uint8_t *bytes, uint64_t n) {
    uint64_t drawn = n < DRAWN ? n : DRAWN;
    for (uint64_t at = 0; at < drawn; at += 4) {
        uint32_t w = left_word(random_next(m));
        memcpy(bytes + at, &w, drawn - at < 4 ? drawn - at : 4);
    }
    for (uint64_t at = drawn; at < n; at += drawn)
        memcpy(bytes + at, bytes, n - at < drawn ? n - at : drawn);
    /* What is drawn next does not depend on DRAWN. */
    m->contents_random += (n - drawn + 3) / 4 * RANDOM_STEP;
}

static bool write_words(int file, const uint8_t *words) {
    for (int k = 0; k < WORDS_FILE / DRAWN; k++)
        if (write(file, words, DRAWN) != DRAWN) return false;
    return true;
}

/* ---- big allocations ---- */

static bool make_words_file(struct memory *m) {
    if (m->words_file) return true;
    uint8_t *words = malloc(DRAWN);
    int file = words ? memfd_create("words", MFD_CLOEXEC) : -1;
    if (file >= 0) {
        contents_fill(m, words, DRAWN);
        m->contents_random += (WORDS_FILE - DRAWN) / 4 * RANDOM_STEP;
        if (write_words(file, words))
            m->words_file = file + 1;
        else
            close(file);
    }
    free(words);
    return m->words_file;
}

static uint64_t whole_pages(uint64_t bytes) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static uint8_t *map_words(struct memory *m, uint64_t bytes) {
    uint64_t size = whole_pages(bytes);
    if (!make_words_file(m)) return NULL;
    uint8_t *to = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (to == MAP_FAILED) return NULL;
    for (uint64_t at = 0; at < size; at += WORDS_FILE) {
        uint64_t n = size - at < WORDS_FILE ? size - at : WORDS_FILE;
        if (mmap(to + at, n, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, m->words_file - 1,
                 0) == MAP_FAILED) {
            munmap(to, size);
            return NULL;
        }
    }
    return to;
}

/* ---- what others have left ---- */

static void contents_give_back(struct memory *m, struct left_bytes l) {
    charges_drop(&m->charges, l.size ? l.size : 1);
    charges_free(&m->charges, l.data);
    if (l.paged)
        munmap(l.bytes, whole_pages(l.size));
    else
        free(l.bytes);
}

static void forget_left(struct memory *m, uint32_t k) {
    m->left_bytes -= m->left[k].size;
    memmove(&m->left[k], &m->left[k + 1], (--m->n_left - k) * sizeof *m->left);
}

static void forget_oldest(struct memory *m) {
    contents_give_back(m, m->left[0]);
    forget_left(m, 0);
}

/* The latest that is large enough, as it is. */
static bool take_left(struct memory *m, struct allocation *a, uint64_t bytes) {
    for (uint32_t k = m->n_left; k-- > 0;) {
        struct left_bytes l = m->left[k];
        if (l.size < bytes || (l.paged && bytes < PAGED)) continue;
        forget_left(m, k);
        charges_drop(&m->charges, l.size - bytes);
        if (l.paged && whole_pages(l.size) > whole_pages(bytes))
            munmap(l.bytes + whole_pages(bytes),
                   whole_pages(l.size) - whole_pages(bytes));
        a->is_paged = l.paged;
        a->region.data = l.data;
        uint8_t *cut = l.paged ? l.bytes : realloc(l.bytes, bytes);
        a->region.bytes = cut ? cut : l.bytes;
        return true;
    }
    return false;
}

void contents_make_room(struct memory *m, uint64_t bytes) {
    while (m->n_left && charges_room(&m->charges, false) < bytes)
        forget_oldest(m);
}

bool contents_new(struct memory *m, struct allocation *a) {
    uint64_t bytes = a->size ? a->size : 1;
    a->is_paged = false;
    if (m->contents == VGPU_CONTENTS_LEFT && take_left(m, a, bytes))
        return true;
    if (!charges_add(&m->charges, bytes, "device memory")) return false;
    if (m->contents == VGPU_CONTENTS_ZEROS) {
        a->region.bytes = calloc(bytes, 1);
    } else if (bytes >= PAGED && (a->region.bytes = map_words(m, bytes))) {
        a->is_paged = true;
    } else {
        a->region.bytes = malloc(bytes);
        if (a->region.bytes) contents_fill(m, a->region.bytes, bytes);
    }
    if (!a->region.bytes) charges_drop(&m->charges, bytes);
    return a->region.bytes != NULL;
}

void contents_drop(struct memory *m, struct allocation *a) {
    struct left_bytes l = {a->region.bytes, a->region.data, a->size,
                           a->is_paged};
    a->region.data = NULL;
    if (m->contents != VGPU_CONTENTS_LEFT || a->module || !l.size ||
        l.size > MOST_LEFT_BYTES) {
        contents_give_back(m, l);
        return;
    }
    while (m->n_left == MOST_LEFT || m->left_bytes > MOST_LEFT_BYTES - l.size)
        forget_oldest(m);
    m->left[m->n_left++] = l;
    m->left_bytes += l.size;
}

void contents_end(struct memory *m) {
    while (m->n_left) forget_oldest(m);
    if (m->words_file) close(m->words_file - 1);
    m->words_file = 0;
}
