/* SPDX-License-Identifier: MIT
 *
 * contents.c: what an allocation holds before the program writes to it: what
 * others have left there, numbers drawn from the seed, or zeros.
 *
 * How to read this: the bytes of freed allocations are kept, the latest first,
 * and given to the next allocations that they are enough for, with their taint
 * of data: else to free and allocate would be a way to lose these. Other bytes
 * are drawn from the seed, and no word among them is zero; after DRAWN bytes
 * they repeat. A big allocation is pages of one run of such words, mapped
 * again and again, so that only pages that are written take memory.
 */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pages.h"

/* Bytes from which on an allocation is pages; the run of words. */
enum { PAGED = 1 << 20, RUN = 1 << 21, DRAWN = 1 << 16 };
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

static void contents_fill(struct memory *m, uint8_t *bytes, size_t n) {
    size_t drawn = n < DRAWN ? n : DRAWN;
    for (size_t at = 0; at < drawn; at += 4) {
        uint32_t w = left_word(random_next(m));
        memcpy(bytes + at, &w, drawn - at < 4 ? drawn - at : 4);
    }
    for (size_t at = drawn; at < n; at += drawn)
        memcpy(bytes + at, bytes, n - at < drawn ? n - at : drawn);
    /* What is drawn next does not depend on DRAWN. */
    m->contents_random += (uint64_t)((n - drawn + 3) / 4) * RANDOM_STEP;
}

/* ---- big allocations ---- */

static bool make_words(struct memory *m) {
    if (m->words) return true;
    uint8_t *drawn = malloc(DRAWN);
    if (drawn) {
        contents_fill(m, drawn, DRAWN);
        m->contents_random += (RUN - DRAWN) / 4 * RANDOM_STEP;
        m->words = shared_words_new(drawn, DRAWN, RUN / DRAWN);
    }
    free(drawn);
    return m->words;
}

static uint8_t *map_words(struct memory *m, uint64_t bytes) {
    return make_words(m) ? shared_words_map(m->words, (size_t)bytes) : NULL;
}

/* ---- what others have left ---- */

static void contents_give_back(struct memory *m, struct left_bytes l) {
    charges_drop(&m->charges, l.size ? l.size : 1);
    charges_free(&m->charges, l.data);
    if (l.paged)
        shared_words_unmap(l.bytes, (size_t)l.size);
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
        if (l.paged) shared_words_cut(l.bytes, (size_t)l.size, (size_t)bytes);
        a->is_paged = l.paged;
        a->region.data = l.data;
        uint8_t *cut = l.paged ? l.bytes : realloc(l.bytes, (size_t)bytes);
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
    if (bytes > SIZE_MAX / 2) return false;
    if (!charges_add(&m->charges, bytes, "device memory")) return false;
    size_t n = (size_t)bytes;
    if (m->contents == VGPU_CONTENTS_ZEROS) {
        a->region.bytes = calloc(n, 1);
    } else if (bytes >= PAGED && (a->region.bytes = map_words(m, bytes))) {
        a->is_paged = true;
    } else {
        a->region.bytes = malloc(n);
        if (a->region.bytes) contents_fill(m, a->region.bytes, n);
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
    shared_words_free(m->words);
    m->words = NULL;
}
