/* SPDX-License-Identifier: MIT
 *
 * oracle.c: the table of right answers and the plainest of them. Kept so plain
 * that reading it is proof enough.
 */
#include "oracle.h"

#include <string.h>

size_t oracle_inclusive_sum(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    uint32_t sum = 0; /* unsigned: wraps where int32_t would be undefined */
    for (size_t i = 0; i < c->n; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
    return c->n;
}

size_t oracle_exclusive_sum(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    uint32_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        out[i] = (int32_t)sum;
        sum += (uint32_t)in[i];
    }
    return c->n;
}

size_t oracle_compact_nonzero(const struct oracle_call *c) {
    const int32_t *in = c->in;
    int32_t *out = c->out;
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++)
        if (in[i] != 0) out[kept++] = in[i];
    return kept;
}

static const struct {
    const char *name;
    enum output_shape shape;
    oracle_function *apply;
    enum element elements[N_BUFFERS];
} oracles[N_ORACLES] = {
#define X(name, function, shape, in, in2, out, out2, text)                     \
    [ORACLE_##name] = {                                                        \
        #name,                                                                 \
        OUTPUT_##shape,                                                        \
        oracle_##function,                                                     \
        {ELEMENT_##in, ELEMENT_##in2, ELEMENT_##out, ELEMENT_##out2}},
#include "oracles.def"
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

enum output_shape oracle_shape(int oracle) {
    return oracles[oracle].shape;
}

enum element oracle_element(int oracle, enum buffer b) {
    return oracles[oracle].elements[b];
}

static bool says_how_many(int signature) {
    return strstr(signature_prototype(signature), "n_out") != NULL;
}

bool oracle_fits(int oracle, int signature) {
    for (enum buffer b = 0; b < N_BUFFERS; b++)
        if (oracles[oracle].elements[b] != signature_element(signature, b))
            return false;
    return says_how_many(signature) == (oracle_shape(oracle) != OUTPUT_SCAN);
}

bool oracle_wants_rule(int oracle) {
    return oracles[oracle].apply == oracle_by_rule;
}

int oracle_of_rule(int signature) {
    for (int i = 0; i < N_ORACLES; i++)
        if (oracle_wants_rule(i) && oracle_fits(i, signature)) return i;
    return -1;
}

size_t oracle_apply(int oracle, const struct parameters *p, const int32_t *in,
                    size_t n, int32_t *out) {
    return oracle_apply_rule(oracle, NULL, p, in, n, out);
}

size_t oracle_apply_rule(int oracle, const struct rule *rule,
                         const struct parameters *p, const int32_t *in,
                         size_t n, int32_t *out) {
    struct parameters usual;
    size_t first = element_words(oracle_element(oracle, BUFFER_IN));
    size_t result = element_words(oracle_element(oracle, BUFFER_OUT));
    bool in2 = oracle_element(oracle, BUFFER_IN2) != ELEMENT_none;
    bool out2 = oracle_element(oracle, BUFFER_OUT2) != ELEMENT_none;
    parameters_usual(&usual);
    struct oracle_call call = {
        .in = in,
        .in2 = in2 ? in + signature_even(n * first) : NULL,
        .out = out,
        .out2 = out2 ? out + signature_even(n * result) : NULL,
        .n = n,
        .parameters = p ? p->value : usual.value,
        .element = oracle_element(oracle, BUFFER_IN),
        .rule = rule};
    return oracles[oracle].apply(&call);
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
