/* SPDX-License-Identifier: MIT
 *
 * oracle.h: the right answers, by the plainest serial loop. Sums wrap modulo
 * 2^32 or 2^64 (computed unsigned).
 *
 * A new one: a row in oracles.def and a function of oracle_function's type in
 * a file oracle_*.c; nothing else.
 */
#pragma once

#include "formula.h"
#include "signature.h"

enum output_shape { OUTPUT_SCAN, OUTPUT_COMPACT, OUTPUT_PARTITION };

enum oracle {
#define X(name, function, shape, in, in2, out, out2, text) ORACLE_##name,
#include "oracles.def"
#undef X
    N_ORACLES
};

/* What lab.ini says of an answer that no row of oracles.def is: the elements of
 * both outputs, and which of them are kept (those for which it is not 0). NULL:
 * there is no second output; all are kept. */
struct rule {
    struct formula *out, *out2, *keep;
};
void rule_free(struct rule *); /* NULL: nothing to do */

/* What an answer is made from, and where it goes. Buffers do not overlap; those
 * the oracle has not are NULL. Outputs have room for n elements. */
struct oracle_call {
    const void *in, *in2;
    void *out, *out2;
    size_t n;
    const int *parameters;   /* [N_PARAMETERS] */
    enum element element;    /* of in */
    const struct rule *rule; /* of the oracles that are called rule... */
};

/* How many elements the answer has: n for scans, the number kept for
 * compaction, the number that comes first for a partition. */
typedef size_t oracle_function(const struct oracle_call *);

#define X(name, function, shape, in, in2, out, out2, text)                     \
    oracle_function oracle_##function;
#include "oracles.def"
#undef X

int oracle_by_name(const char *name); /* -1: none */
const char *oracle_name(int oracle);
enum output_shape oracle_shape(int oracle);
enum element oracle_element(int oracle, enum buffer);
/* Do the oracle's buffers have the signature's types, and does the signature
 * return the number of elements where the oracle's answer has one? */
bool oracle_fits(int oracle, int signature);

/* Writes the answer for the inputs in[] to out[], arrays of words as in
 * signature.h. parameters: NULL for the usual ones. */
size_t oracle_apply(int oracle, const struct parameters *parameters,
                    const int32_t *in, size_t n, int32_t *out);
/* The same, of any oracle; rule: what those that are asked for one go by. */
size_t oracle_apply_rule(int oracle, const struct rule *rule,
                         const struct parameters *parameters, const int32_t *in,
                         size_t n, int32_t *out);
bool oracle_wants_rule(int oracle);
/* The oracle that goes by a rule and fits the signature; -1: none. */
int oracle_of_rule(int signature);
/* To sizes[n], of a rule for floats: for each element of the answer the sum of
 * the absolute values that it was made from. */
void oracle_rule_sizes(const struct rule *, const struct parameters *,
                       const float *in, size_t n, float *sizes);

struct difference {
    size_t count;       /* elements that differ; 0: equal, the rest is 0 then */
    size_t first, last; /* indices of the first and the last of them */
    int32_t expected, got; /* at first */
};
/* true when expected[0..n) and got[0..n) are equal. */
bool oracle_compare(const int32_t *expected, const int32_t *got, size_t n,
                    struct difference *);

/* Elements of the output that the answer decides: behind those that a
 * compaction keeps anything may stand. n_expected: what the oracle returned for
 * n. */
size_t oracle_compared(int oracle, size_t n, size_t n_expected);
/* Is the output got[] (words) what the oracle made in expected[], which has
 * n_expected elements? Floats may differ by the rounding of any order of
 * additions: 2^-18 (f64: 2^-47) of the sum of absolute values. */
bool oracle_agrees(int oracle, const struct rule *, const struct parameters *,
                   const int32_t *in, size_t n, const int32_t *expected,
                   size_t n_expected, const int32_t *got, size_t n_got);
