/* SPDX-License-Identifier: MIT
 *
 * element.c: see element.h.
 */
#include "element.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct case_type types[] = {
    {"u8", 1, false, false},  {"s8", 1, false, true},
    {"u16", 2, false, false}, {"s16", 2, false, true},
    {"u32", 4, false, false}, {"s32", 4, false, true},
    {"u64", 8, false, false}, {"s64", 8, false, true},
    {"f32", 4, true, true},   {"f64", 8, true, true}};

const struct case_type *element_type(const char *text) {
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        size_t n = strlen(types[k].name);
        if (!strncmp(text, types[k].name, n) && text[n] == ' ')
            return &types[k];
    }
    return NULL;
}

struct value element_load(const struct case_type *t, const uint8_t *at) {
    uint64_t bits = 0;
    memcpy(&bits, at, t->bytes);
    struct value v = {.is_float = t->is_float};
    if (t->is_float && t->bytes == 4) {
        float f;
        memcpy(&f, at, 4);
        v.f = f;
    } else if (t->is_float) {
        memcpy(&v.f, at, 8);
    } else {
        unsigned shift = 64 - 8 * t->bytes;
        v.i = t->is_signed ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
        v.f = (double)v.i;
    }
    return v;
}

void element_store(const struct case_type *t, uint8_t *at, struct value v) {
    if (t->is_float && t->bytes == 4) {
        float f = (float)v.f;
        memcpy(at, &f, 4);
    } else if (t->is_float) {
        memcpy(at, &v.f, 8);
    } else {
        uint64_t bits = v.is_float ? (uint64_t)(int64_t)v.f : (uint64_t)v.i;
        memcpy(at, &bits, t->bytes);
    }
}

void element_print(const struct case_type *t, const uint8_t *at) {
    struct value v = element_load(t, at);
    uint64_t bits = 0;
    memcpy(&bits, at, t->bytes);
    if (t->is_float)
        fprintf(stderr, "%.17g (%#" PRIx64 ")", v.f, bits);
    else if (t->is_signed)
        fprintf(stderr, "%" PRId64 " (%#" PRIx64 ")", v.i, bits);
    else
        fprintf(stderr, "%" PRIu64 " (%#" PRIx64 ")", bits, bits);
}

bool element_same(const struct case_type *t, const uint8_t *a,
                  const uint8_t *b) {
    struct value x = element_load(t, a), y = element_load(t, b);
    if (t->is_float && x.f != x.f) return y.f != y.f; /* any NaN will do */
    return !memcmp(a, b, t->bytes);
}
