/* SPDX-License-Identifier: MIT
 *
 * words_map.h: a hash table with open addressing, from a 64-bit key other than
 * 0 to a number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct words_map {
    struct words_entry {
        uint64_t key;
        uint32_t value;
    } * entries;
    uint32_t n, size; /* a power of two */
};

static inline struct words_entry *words_find(const struct words_map *m,
                                             uint64_t key) {
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    uint32_t k = (uint32_t)(h >> 32) & (m->size - 1);
    while (m->entries[k].key && m->entries[k].key != key)
        k = (k + 1) & (m->size - 1);
    return &m->entries[k];
}

/* 0: there is none. */
static inline uint32_t words_get(const struct words_map *m, uint64_t key) {
    return m->size ? words_find(m, key)->value : 0;
}

static inline bool words_grow(struct words_map *m) {
    struct words_map more = {.size = m->size ? 2 * m->size : 4096};
    more.entries = calloc(more.size, sizeof *more.entries);
    if (!more.entries) return false;
    for (uint32_t k = 0; k < m->size; k++)
        if (m->entries[k].key)
            *words_find(&more, m->entries[k].key) = m->entries[k];
    more.n = m->n;
    free(m->entries);
    *m = more;
    return true;
}

static inline bool words_set(struct words_map *m, uint64_t key,
                             uint32_t value) {
    if (2 * m->n >= m->size && !words_grow(m)) return false;
    struct words_entry *e = words_find(m, key);
    m->n += !e->key;
    *e = (struct words_entry){key, value};
    return true;
}

static inline void words_clear(struct words_map *m) {
    if (m->size) memset(m->entries, 0, m->size * sizeof *m->entries);
    m->n = 0;
}
