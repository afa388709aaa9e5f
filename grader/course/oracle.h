/* SPDX-License-Identifier: MIT
 *
 * oracle.h: the right answers, by the plainest serial loop. Sums wrap modulo
 * 2^32 (computed unsigned).
 */
#ifndef SCANLAB_ORACLE_H
#define SCANLAB_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum output_shape {
    OUTPUT_SCAN,
    OUTPUT_COMPACT
}; /* n elements; at most n, the function says how many */

enum oracle {
#define X(name, function, shape, text) ORACLE_##name,
#include "oracles.def"
#undef X
    N_ORACLES
};

/* How a lab's function is called: the table that judge and runner share. */
enum signature {
#define X(name, types, call, prototype) SIGNATURE_##name,
#include "../judge/signatures.def"
#undef X
    N_SIGNATURES
};

int oracle_by_name(const char *name); /* -1: none */
const char *oracle_name(int oracle);
const char *oracle_text(int oracle);
enum output_shape oracle_shape(int oracle);

int signature_by_name(const char *name); /* -1: none */
const char *signature_name(int signature);
const char *signature_prototype(int signature);
enum output_shape signature_shape(int signature);
bool signature_takes_threads(int signature);

/* Writes the answer for in[0..n) to out, room for n, not overlapping in.
 * Returns how many elements the answer has: n for scans, the number kept for
 * compaction. */
size_t oracle_apply(int oracle, const int32_t *in, size_t n, int32_t *out);

struct difference {
    size_t count;       /* elements that differ; 0: equal, the rest is 0 then */
    size_t first, last; /* indices of the first and the last of them */
    int32_t expected, got; /* at first */
};
/* true when expected[0..n) and got[0..n) are equal. */
bool oracle_compare(const int32_t *expected, const int32_t *got, size_t n,
                    struct difference *);

#endif
