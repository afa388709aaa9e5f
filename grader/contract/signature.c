/* SPDX-License-Identifier: MIT */
#include "signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t words;
} elements[N_ELEMENTS] = {
#define X(name, type, words) [ELEMENT_##name] = {#name, words},
#include "types.def"
#undef X
};

static const struct {
    const char *name;
    int least, most, usual;
    const char *values;
} parameters[N_PARAMETERS] = {
#define X(name, least, most, usual, values, text)                              \
    [PARAMETER_##name] = {#name, least, most, usual, values},
#include "parameters.def"
#undef X
};

#define NOTHING     0u
#define TAKES(name) (1u << PARAMETER_##name)
static const struct {
    const char *name, *prototype;
    enum element elements[N_BUFFERS];
    unsigned takes;
} signatures[N_SIGNATURES] = {
#define X(name, in, in2, out, out2, takes, types, call, prototype)             \
    [SIGNATURE_##                                                              \
        name] = {#name,                                                        \
                 prototype,                                                    \
                 {ELEMENT_##in, ELEMENT_##in2, ELEMENT_##out, ELEMENT_##out2}, \
                 takes},
#include "signatures.def"
#undef X
};

const char *element_name(enum element e) {
    return elements[e].name;
}

size_t element_words(enum element e) {
    return elements[e].words;
}

void element_print(enum element element, const int32_t *words,
                   char text[ELEMENT_TEXT]) {
    int64_t wide;
    float f32;
    double f64;
    switch (element) {
    case ELEMENT_u32:
        snprintf(text, ELEMENT_TEXT, "%" PRIu32, (uint32_t)*words);
        break;
    case ELEMENT_i64:
        memcpy(&wide, words, sizeof wide);
        snprintf(text, ELEMENT_TEXT, "%" PRId64, wide);
        break;
    case ELEMENT_f32:
        memcpy(&f32, words, sizeof f32);
        snprintf(text, ELEMENT_TEXT, "%.9g", (double)f32);
        break;
    case ELEMENT_f64:
        memcpy(&f64, words, sizeof f64);
        snprintf(text, ELEMENT_TEXT, "%.17g", f64);
        break;
    default: snprintf(text, ELEMENT_TEXT, "%" PRId32, *words); break;
    }
}

int signature_by_name(const char *name) {
    for (int i = 0; i < N_SIGNATURES; i++)
        if (strcmp(signatures[i].name, name) == 0) return i;
    return -1;
}

const char *signature_name(int signature) {
    return signatures[signature].name;
}

const char *signature_prototype(int signature) {
    return signatures[signature].prototype;
}

enum element signature_element(int signature, enum buffer b) {
    return signatures[signature].elements[b];
}

bool signature_takes(int signature, enum parameter p) {
    return signatures[signature].takes >> p & 1;
}

/* ---- words ---- */

static size_t words_of(int signature, enum buffer b, size_t n) {
    return n * elements[signatures[signature].elements[b]].words;
}

size_t signature_even(size_t words) {
    return words + (words & 1);
}

size_t signature_offset(int signature, enum buffer b, size_t n) {
    return b == BUFFER_IN2 ? signature_even(words_of(signature, BUFFER_IN, n))
           : b == BUFFER_OUT2
               ? signature_even(words_of(signature, BUFFER_OUT, n))
               : 0;
}

static size_t together(int signature, enum buffer b, size_t n) {
    size_t second = words_of(signature, b + 1, n);
    return second ? signature_offset(signature, b + 1, n) + second
                  : words_of(signature, b, n);
}

size_t signature_in_words(int signature, size_t n) {
    return together(signature, BUFFER_IN, n);
}

size_t signature_out_words(int signature, size_t n) {
    return together(signature, BUFFER_OUT, n);
}

/* ---- parameters ---- */

int parameter_by_name(const char *name) {
    for (int i = 0; i < N_PARAMETERS; i++)
        if (strcmp(parameters[i].name, name) == 0) return i;
    return -1;
}

const char *parameter_name(enum parameter p) {
    return parameters[p].name;
}

void parameter_range(enum parameter p, int *least, int *most) {
    *least = parameters[p].least;
    *most = parameters[p].most;
}

void parameters_usual(struct parameters *p) {
    for (int i = 0; i < N_PARAMETERS; i++) p->value[i] = parameters[i].usual;
}

/* Word number `index` of text; its length, 0: there is none. */
static size_t word(const char *text, int index, const char **start) {
    size_t length = 0;
    for (int i = 0; i <= index; i++) {
        text += length;
        text += strspn(text, " ");
        length = strcspn(text, " ");
        if (length == 0) break;
    }
    *start = text;
    return length;
}

void parameter_print(enum parameter p, int value, char *text, size_t size) {
    const char *start;
    size_t length = value < 0 ? 0 : word(parameters[p].values, value, &start);
    if (length)
        snprintf(text, size, "%.*s", (int)length, start);
    else
        snprintf(text, size, "%d", value);
}

bool parameter_parse(enum parameter p, const char *text, int *value) {
    const char *start;
    char *end;
    size_t length;
    for (int i = 0; (length = word(parameters[p].values, i, &start)); i++)
        if (strlen(text) == length && memcmp(text, start, length) == 0) {
            *value = i;
            return true;
        }
    if (*parameters[p].values || !*text) return false;
    long long number = strtoll(text, &end, 10);
    if (*end || number < parameters[p].least || number > parameters[p].most)
        return false;
    *value = (int)number;
    return true;
}

bool parameter_is_allowed(enum parameter p, int value) {
    return value >= parameters[p].least && value <= parameters[p].most;
}

bool parameter_parse_beyond(enum parameter p, const char *text, int *value) {
    char *end;
    if (parameter_parse(p, text, value)) return true;
    long long number = strtoll(text, &end, 10);
    if (!*text || *end ||
        (number != parameters[p].least - 1ll &&
         number != parameters[p].most + 1ll))
        return false;
    *value = (int)number;
    return true;
}
