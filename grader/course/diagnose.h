/* SPDX-License-Identifier: MIT
 *
 * diagnose.h: says how an output is wrong, in words a student can act on.
 *
 * Three findings, each a sentence or empty: the *first* difference, the *shape*
 * of all differences (one row of shapes.def, with the numbers of this case),
 * and what the first wrong output *contains*: which inputs it misses and which
 * it counts more than once. The last one is learnt by running the student's
 * function again on chosen inputs of the same length through a callback; it is
 * only told when it also explains the output at hand. Nothing here decides a
 * verdict.
 */
#ifndef SCANLAB_DIAGNOSE_H
#define SCANLAB_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diagnosis_shape {
#define X(name, id, cause) SHAPE_##name,
#include "shapes.def"
#undef X
    N_SHAPES
};

/* Runs the function under test on in[0..n) and stores what it left in
 * out[0..n), poisoned before as in the failed case. The same n, threads,
 * schedule as the failed case. false: no output (crash, time); diagnosis then
 * goes without. */
typedef bool (*diagnose_run)(void *user, const int32_t *in, int32_t *out,
                             size_t n);

struct diagnose_case {
    int oracle;        /* ORACLE_* */
    const int32_t *in; /* [n], as it was before the call */
    size_t n;
    const int32_t *expected; /* [n_expected] */
    size_t n_expected;       /* n for scans */
    const int32_t *got; /* [n]: the whole output buffer, also for compaction */
    size_t n_got; /* compaction: how many the function said it kept; scans: n */
    int32_t poison; /* what got held before the call */
    bool in_place;  /* got held in before the call; poison is not looked for */
    diagnose_run run; /* NULL: no probing */
    void *user;
    unsigned time_limit_ms; /* for all probes together */
    unsigned max_runs;      /* 0: DIAGNOSE_MAX_RUNS */
    uint64_t seed;          /* for random probes */
};
enum { DIAGNOSE_MAX_RUNS = 600, DIAGNOSE_EXACT_MAX_N = 4096 };

struct diagnosis {
    enum diagnosis_shape kind;
    char first[192];    /* "out[37]: expected 12, got 7 (5 less); 219 of 256
                           elements differ, the last is out[255]" */
    char shape[320];    /* "The scan starts again every 256 elements" */
    char contains[384]; /* "out[37] misses in[32] and counts in[5] twice" */
    char cause[320];    /* the usual cause of this shape, "" when the shape has
                           none of its own */
    unsigned runs;      /* probes made */
};

/* For outputs that differ. Memory: a few times n elements, freed before it
 * returns; without memory the texts are empty. */
void diagnose(const struct diagnose_case *, struct diagnosis *);
/* "restarts-every-block" */
const char *diagnosis_shape_id(enum diagnosis_shape);

#endif
