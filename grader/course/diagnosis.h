/* SPDX-License-Identifier: MIT
 *
 * diagnosis.h: what is known about a wrong output, as numbers; report/ has the
 * words. diagnose.h fills it.
 */
#pragma once

#include <stdbool.h>

#include "fact.h"
#include "signature.h"

enum {
    DIAGNOSIS_RUNS = 3,    /* of inputs that are listed one by one */
    DIAGNOSIS_COUNTS = 46, /* missed; -8 to 15 times, due or not */
    WINDOW_BEFORE = 4,
    WINDOW = 9 /* elements around the first difference */
};

/* The inputs that an output counts equally often. count 0: those that are
 * missing, of the ones that are due. */
struct counted {
    int count;
    bool due;
    size_t n_inputs, n_runs;
    size_t from[DIAGNOSIS_RUNS], to[DIAGNOSIS_RUNS]; /* the first runs */
    size_t last;                                     /* input of the last run */
    size_t stride; /* between single inputs, when always the same; else 0 */
};

/* Which inputs the first wrong output contains. */
struct contents {
    enum { CONTENTS_UNKNOWN, CONTENTS_BY_VALUE, CONTENTS_COUNTED } kind;
    size_t n_due;
    size_t n_counted;
    struct counted counted[DIAGNOSIS_COUNTS];
};

/* Elements from index `from` on, as words. */
struct window {
    size_t from, n_in, n_expected, n_got;
    int32_t in[2 * WINDOW], expected[2 * WINDOW], got[2 * WINDOW];
};

/* What stands in place of the first wrong element. */
enum first_state {
    FIRST_WRITTEN,
    FIRST_NOT_WRITTEN, /* the poison is still there */
    FIRST_UNSET        /* the value that shared and local memory begin with */
};

struct diagnosis {
    bool plain;         /* by diagnose_plain */
    enum buffer buffer; /* that differs: BUFFER_OUT or BUFFER_OUT2 */
    bool two;           /* there is a second output */
    enum element element, in_element;
    size_t n_expected, n_got; /* elements of the answer; that the function says;
                                 SIZE_MAX: it does not say */
    size_t compared, count;   /* elements; of those that differ */
    size_t first, last;       /* of those, when count is not 0 */
    int32_t expected[2], got[2]; /* at first, as words */
    enum first_state state;
    struct window window;
    struct fact shape;
    bool cause_fits; /* false: not the usual cause of this shape */
    struct contents contents;
    unsigned runs; /* probes made */
};

void diagnosis_free(struct diagnosis *);
