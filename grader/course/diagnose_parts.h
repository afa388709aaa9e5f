/* SPDX-License-Identifier: MIT
 *
 * diagnose_parts.h: what the files of the diagnosis share. diagnose.c leads;
 * diagnose_shapes.c and diagnose_compact.c name the shape of the differences;
 * diagnose_stretch.c, diagnose_carry.c and diagnose_edges.c say what a part
 * took over; diagnose_contains.c probes; diagnose_plain.c and diagnose_apps.c
 * are for what cannot be probed; diagnose_ways.c and diagnose_numbers.c know
 * slips. For these files and their tests only.
 */
#pragma once

#include "diagnose.h"
#include "oracle.h"

/* What shared and local memory of the virtual GPU begin with, four bytes of
 * LEFT_BY_OTHERS (vgpu/core/exec/grid.c). */
#define UNWRITTEN_WORD ((int32_t)0xc5c5c5c5u)

/* Where the window is cut from: words of so many elements. */
struct window_source {
    const int32_t *in;
    size_t n_in;
    const int32_t *expected;
    size_t n_expected;
    const int32_t *got;
    size_t n_got;
};
/* After the elements' types, count and first are known. */
void diagnose_window(struct diagnosis *, const struct window_source *);

/* A failed scan, prepared. Sums are modulo 2^32, hence unsigned throughout. */
struct scan_view {
    const struct diagnose_case *c;
    const uint32_t *in, *expected, *got;
    const uint32_t *prefix; /* [n + 1]: prefix[i] = in[0] + ... + in[i-1] */
    size_t n;
    size_t own; /* whole scans: inputs before and at i that out[i] holds: i +
                   own; 1, or 0 */
    struct difference difference;
};

/* The inputs that out[k] holds the sum of: in[from], in[from + step], ... below
 * to. */
struct due {
    size_t from, to, step;
};
/* false: it is no such sum. */
bool diagnose_due(const struct diagnose_case *, size_t k, struct due *);
/* Of functions that scan parts of the input apart. */
bool diagnose_window_shape(const struct scan_view *, struct diagnosis *);
/* For a scan that is wrong for n = 1 because it counts in[i] itself, or does
 * not (own): is it wrong in the same way on the check's longest input? Sets the
 * shape; false: it is wrong in some other way, or that is not known. */
bool diagnose_alone(const struct diagnose_case *, size_t own,
                    struct diagnosis *);
/* The first element of a part of the array (a tile, a warp: lab.ini's parts).
 */
struct edge {
    const char *part;
    size_t first, number, size; /* the element; the part's number, from 0; its
                                   elements */
    size_t round, blocks; /* where each of `blocks` blocks takes one part after
                             the other: in which round; blocks 0: not so */
};
/* Sets the shape to what the part added in place of the sum of the parts before
 * it, when the numbers tell. */
bool diagnose_carry(const struct diagnose_case *, const struct edge *,
                    struct diagnosis *);
/* diagnose_stretch.c: the same where no part of the lab begins at the first
 * wrong element; stretches shorter than `most` (0: of any size). */
bool diagnose_stretch(const struct diagnose_case *, size_t first, size_t most,
                      struct diagnosis *);
/* The first part of all begins with sums that are not before it. */
bool diagnose_first_own(const struct diagnose_case *, struct diagnosis *);
/* Where the first wrong element stands, for a shape that says less. */
void diagnose_edge(const struct diagnose_case *, struct diagnosis *);

/* The sum of in[from..to). */
static inline uint32_t range_sum(const struct scan_view *v, size_t from,
                                 size_t to) {
    return v->prefix[to] - v->prefix[from];
}

static inline bool shape_is(struct diagnosis *d, struct fact shape) {
    d->shape = shape;
    return true;
}

/* The least number that a char, or a short, does not hold. */
static inline bool diagnose_is_narrow(size_t number) {
    return number == 1 << 7 || number == 1 << 8 || number == 1 << 15 ||
           number == 1 << 16;
}

/* A copy in order; NULL without memory. */
int32_t *diagnose_sorted(const int32_t *values, size_t n);
/* The same elements, in whatever order; false as well without memory. */
bool diagnose_same_elements(const int32_t *a, const int32_t *b, size_t n);
bool diagnose_equal(const int32_t *a, const int32_t *b, size_t n);

/* All but sums and compaction of int32, which diagnose.c does itself. */
void diagnose_plain(const struct diagnose_case *, struct diagnosis *);
/* Shapes that only the functions of lab 8 have: what their usual mistakes
 * leave. false: nothing of the kind; else the shape is set. */
bool diagnose_apps(const struct diagnose_case *, struct diagnosis *);
/* A selection that takes <= for <, or the sign of the difference. */
bool diagnose_other_rule(const struct diagnose_case *, struct diagnosis *);

/* Sets the shape to a usual slip in the algorithm that the lab asks for
 * (ways.def); false: no known slip leaves this output. */
bool diagnose_way(const struct diagnose_case *, struct diagnosis *);
static inline bool diagnose_is_slip(const struct diagnosis *d) {
    return d->shape.row >= FACT_STEPS_TWICE && d->shape.row <= FACT_HALVES;
}
/* The longest input of the check, of at most 4096 elements, that is longer than
 * the failed one; 0: none. */
size_t diagnose_longer(const struct diagnose_case *);
/* Fills buffer[2 * n] with an input and what the function makes of it. */
bool diagnose_look_at(const struct diagnose_case *, size_t n, int32_t *buffer);
/* Sets the shape if the output is the sums in another type of number. */
bool diagnose_numbers(const struct scan_view *, struct diagnosis *);

/* Sets the shape; the view's output differs. */
void diagnose_scan_shape(const struct scan_view *, struct diagnosis *);
void diagnose_compact_shape(const struct diagnose_case *, struct diagnosis *);

/* Probes. started: the clock's milliseconds when the diagnosis began. */
struct prober {
    const struct diagnose_case *c;
    struct diagnosis *diagnosis;
    double deadline_ms;
    int32_t *in, *out; /* [n] each, for probes */
};
/* Runs the function on prober->in; false: there may be no more runs. */
bool diagnose_probe(struct prober *);
double diagnose_clock_ms(void);
/* Fills diagnosis->contents when it can be found out. Of the view it uses c,
 * in, got, n and difference.first. */
void diagnose_contains(const struct scan_view *, struct prober *);
