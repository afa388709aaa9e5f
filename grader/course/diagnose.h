/* SPDX-License-Identifier: MIT
 *
 * diagnose.h: finds out how an output is wrong: the *first* difference, the
 * *shape* of all differences (a fact), and what the first wrong output
 * *contains*: which inputs it misses and which it counts more than once. The
 * last one is found out by running the student's function again on chosen
 * inputs of the same length through a callback; it is only reported when it
 * also explains the output at hand. That is done for sums and compaction of
 * int32. Other functions are not run again: the output is compared with the
 * right answer to another question (another order, operator or tuple size),
 * with the input itself, and with shifted answers. Nothing here decides a
 * verdict.
 */
#pragma once

#include "diagnosis.h"
#include "lab.h"

/* Runs the function under test on in[0..n) and stores what it left in
 * out[0..n), poisoned before as in the failed case. The same n, threads,
 * schedule as the failed case. false: no output (crash, time); diagnosis then
 * goes without. */
typedef bool (*diagnose_run)(void *user, const int32_t *in, int32_t *out,
                             size_t n);

struct diagnose_case {
    int oracle, signature;
    const struct rule *rule; /* of an oracle that wants one */
    const struct parameters *parameters;
    /* Words, as in signature.h: in as it was before the call, got the whole
     * output buffer, also for compaction. */
    const int32_t *in, *expected, *got;
    size_t n, n_expected; /* elements; of the answer: n for scans */
    size_t n_got;   /* how many elements the function says that it wrote; n
                   where it does not say that */
    int32_t poison; /* what got held before the call */
    const struct lab_part *parts; /* of which the lab speaks */
    size_t n_parts;
    size_t n_blocks;      /* of the largest launch; 0: not known */
    size_t block_threads; /* of every launch; 0: not known, or not the same */
    bool in_place; /* got held in before the call; poison is not looked for */
    enum way way;  /* in which the lab asks for it */
    const size_t *sizes; /* of the check's inputs: the function takes these */
    size_t n_sizes;
    diagnose_run run; /* NULL: no probing */
    void *user;
    unsigned time_limit_ms; /* for all probes together */
    unsigned max_runs;      /* 0: DIAGNOSE_MAX_RUNS */
    uint64_t seed;          /* for random probes */
};
enum { DIAGNOSE_MAX_RUNS = 600, DIAGNOSE_EXACT_MAX_N = 4096 };

/* For outputs that oracle_agrees refuses. The caller ends with diagnosis_free.
 * Allocates a few times n elements and frees them before it returns; without
 * memory it finds out less. */
void diagnose(const struct diagnose_case *, struct diagnosis *);
