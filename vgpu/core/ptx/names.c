/* SPDX-License-Identifier: MIT
 *
 * names.c: an open hash table of names. The hash is keyed with an address, so
 * that no text can be written to collide on purpose; nothing that leaves the
 * parser depends on the order of slots.
 */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b) {
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_text(const char *text, size_t length, uint64_t seed) {
    const uint64_t odd = 0x9e3779b97f4a7c15ull;
    uint64_t hash = seed ^ length;
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = fold(hash ^ word, odd ^ seed);
    }
    uint64_t word = 0;
    memcpy(&word, text, length);
    return fold(hash ^ word, odd ^ seed);
}

/* The slot that holds the text, or the empty one where it belongs. */
static struct ptx_name **find_slot(const struct ptx_names *names,
                                   const char *text, size_t length,
                                   uint64_t hash) {
    size_t mask = names->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct ptx_name *name = names->slots[i];
        if (!name || (name->hash == hash && name->length == length &&
                      memcmp(name->text, text, length) == 0))
            return &names->slots[i];
    }
}

static bool names_grow(struct ptx_names *names) {
    size_t capacity = names->capacity ? names->capacity * 2 : FIRST_CAPACITY;
    struct ptx_name **slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < names->capacity; i++) {
        struct ptx_name *name = names->slots[i];
        if (!name) continue;
        size_t at = name->hash & (capacity - 1);
        while (slots[at]) at = (at + 1) & (capacity - 1);
        slots[at] = name;
    }
    free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return true;
}

struct ptx_name *ptx_name_find(const struct ptx_names *names, const char *text,
                               size_t length) {
    if (!names->capacity) return NULL;
    return *find_slot(names, text, length,
                      hash_text(text, length, names->seed));
}

struct ptx_name *ptx_name_intern(struct ptx_storage *s, const char *text,
                                 size_t length) {
    struct ptx_names *names = &s->names;
    if (names->n * 2 >= names->capacity && !names_grow(names)) return NULL;
    uint64_t hash = hash_text(text, length, names->seed);
    struct ptx_name **slot = find_slot(names, text, length, hash);
    if (*slot) return *slot;
    struct ptx_name *name = ptx_arena_take(&s->arena, sizeof *name);
    char *copy = ptx_arena_take(&s->arena, length + 1);
    if (!name || !copy) return NULL;
    memcpy(copy, text, length);
    name->text = copy;
    name->length = (uint32_t)length;
    name->hash = hash;
    names->n++;
    return *slot = name;
}

static struct ptx_name *intern_word(struct ptx_storage *s, const char *word) {
    return ptx_name_intern(s, word, strlen(word));
}

static bool add_keyword(struct ptx_storage *s, const char *word,
                        uint32_t keyword, uint32_t value) {
    struct ptx_name *name = intern_word(s, word);
    if (!name) return false;
    name->keyword = keyword;
    name->value = value;
    return true;
}

static bool add_keywords(struct ptx_storage *s) {
    static const struct {
        const char *word;
        uint32_t keyword, value;
    } rows[] = {
#define X(word, kind, value) {word, PTX_KEY_##kind, value},
#include "keywords.def"
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!add_keyword(s, rows[i].word, rows[i].keyword, rows[i].value))
            return false;
    for (uint32_t type = 1; type < PTX_N_TYPES; type++)
        if ((type == PTX_PRED || ptx_type_bytes(type)) &&
            !add_keyword(s, ptx_type_name(type), PTX_KEY_TYPE, type))
            return false;
    return true;
}

/* "%tid.x", and "%tid" too: what follows the dot is read later. */
static bool add_special(struct ptx_storage *s, const char *word,
                        enum ptx_sreg special) {
    struct ptx_name *name = intern_word(s, word);
    struct ptx_name *stem = ptx_name_intern(s, word, strcspn(word, "."));
    if (!name || !stem) return false;
    stem->is_special = true;
    if (!name->special) name->special = special;
    return true;
}

static bool add_specials(struct ptx_storage *s) {
    for (uint32_t i = 1; i < PTX_N_SREGS; i++)
        if (!add_special(s, ptx_sreg_name(i), i)) return false;
    char word[24];
    for (int i = 0; i < 32; i++) {
        snprintf(word, sizeof word, "%%envreg%d", i);
        if (!add_special(s, word, PTX_SREG_ENVREG0)) return false;
    }
    for (int i = 0; i < 16; i++) {
        snprintf(word, sizeof word, "%%pm%d%s", i / 2, i % 2 ? "_64" : "");
        if (!add_special(s, word, PTX_SREG_NONE)) return false;
    }
    return true;
}

bool ptx_names_init(struct ptx_storage *s) {
    s->names.seed = (uint64_t)(uintptr_t)s * 0xd6e8feb86659fd93ull;
    return add_keywords(s) && add_specials(s);
}

void ptx_names_free(struct ptx_names *names) {
    free(names->slots);
    *names = (struct ptx_names){0};
}
