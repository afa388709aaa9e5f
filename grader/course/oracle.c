/* SPDX-License-Identifier: MIT
 *
 * oracle.c: the right answers. Kept so plain that reading it is proof enough.
 */
#include "oracle.h"

#include <string.h>

static size_t inclusive_sum(const int32_t *in, size_t n, int32_t *out) {
    uint32_t sum = 0; /* unsigned: wraps where int32_t would be undefined */
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
    return n;
}

static size_t exclusive_sum(const int32_t *in, size_t n, int32_t *out) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (int32_t)sum;
        sum += (uint32_t)in[i];
    }
    return n;
}

static size_t compact_nonzero(const int32_t *in, size_t n, int32_t *out) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i] != 0) out[kept++] = in[i];
    return kept;
}

static const struct {
    const char *name, *text;
    enum output_shape shape;
    size_t (*apply)(const int32_t *in, size_t n, int32_t *out);
} oracles[N_ORACLES] = {
#define X(name, function, shape, text)                                         \
    [ORACLE_##name] = {#name, text, OUTPUT_##shape, function},
#include "oracles.def"
#undef X
};

static const struct {
    const char *name, *prototype;
} signatures[N_SIGNATURES] = {
#define X(name, types, call, prototype) [SIGNATURE_##name] = {#name, prototype},
#include "../judge/signatures.def"
#undef X
};

int oracle_by_name(const char *name) {
    for (int i = 0; i < N_ORACLES; i++)
        if (strcmp(oracles[i].name, name) == 0) return i;
    return -1;
}

const char *oracle_name(int oracle) {
    return oracles[oracle].name;
}

const char *oracle_text(int oracle) {
    return oracles[oracle].text;
}

enum output_shape oracle_shape(int oracle) {
    return oracles[oracle].shape;
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

enum output_shape signature_shape(int signature) {
    return signature == SIGNATURE_compact ? OUTPUT_COMPACT : OUTPUT_SCAN;
}

bool signature_takes_threads(int signature) {
    return signature == SIGNATURE_scan_threads;
}

size_t oracle_apply(int oracle, const int32_t *in, size_t n, int32_t *out) {
    return oracles[oracle].apply(in, n, out);
}

bool oracle_compare(const int32_t *expected, const int32_t *got, size_t n,
                    struct difference *difference) {
    *difference = (struct difference){0};
    if (n == 0 || memcmp(expected, got, n * sizeof *got) == 0) return true;
    for (size_t i = 0; i < n; i++) {
        if (expected[i] == got[i]) continue;
        if (difference->count++ == 0) {
            difference->first = i;
            difference->expected = expected[i];
            difference->got = got[i];
        }
        difference->last = i;
    }
    return false;
}
