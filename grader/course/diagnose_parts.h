/* SPDX-License-Identifier: MIT
 *
 * diagnose_parts.h: what the files of the diagnosis share. diagnose.c leads;
 * diagnose_shapes.c and diagnose_compact.c name the shape of the differences;
 * diagnose_contains.c probes; diagnose_words.c makes sentences. For these files
 * only.
 */
#ifndef SCANLAB_DIAGNOSE_PARTS_H
#define SCANLAB_DIAGNOSE_PARTS_H

#include "diagnose.h"
#include "oracle.h"

/* What shared and local memory of the virtual GPU begin with, four bytes of
 * LEFT_BY_OTHERS (vgpu/exec/grid.c), and what a result that is just that means.
 */
#define UNWRITTEN_WORD  ((int32_t)0xc5c5c5c5u)
#define UNWRITTEN_WORDS " (shared or local memory that nothing has written)"

/* A failed scan, prepared. Sums are modulo 2^32, hence unsigned throughout. */
struct scan_view {
    const struct diagnose_case *c;
    const uint32_t *in, *expected, *got;
    const uint32_t *prefix; /* [n + 1]: prefix[i] = in[0] + ... + in[i-1] */
    size_t n;
    size_t own; /* inputs before and at i that out[i] holds: i + own; 1, or 0 */
    struct difference difference;
};

/* The sum of in[from..to). */
static inline uint32_t range_sum(const struct scan_view *v, size_t from,
                                 size_t to) {
    return v->prefix[to] - v->prefix[from];
}

/* Appends to a text of the given size, cutting what does not fit. */
__attribute__((format(printf, 3, 4))) void
diagnose_say(char *text, size_t size, const char *format, ...);

/* "in[5]" or "in[5..9]"; to is included. */
void diagnose_say_range(char *text, size_t size, const char *name, size_t from,
                        size_t to);

/* "misses in[32] and counts in[5] twice": where counts[0..n) says how often
 * each input was added and the first n_due of them are due once. */
void diagnose_say_counts(char *text, size_t size, const int8_t *counts,
                         size_t n, size_t n_due);

/* Sets kind and shape; the view's output differs. */
void diagnose_scan_shape(const struct scan_view *, struct diagnosis *);
void diagnose_compact_shape(const struct diagnose_case *, struct diagnosis *);

/* Probes. started: the clock's milliseconds when the diagnosis began. */
struct prober {
    const struct diagnose_case *c;
    struct diagnosis *diagnosis;
    double deadline_ms;
    int32_t *in, *out; /* [n] each, for probes */
};
/* One run on prober->in; false when not possible any more. */
bool diagnose_probe(struct prober *);
double diagnose_clock_ms(void);
/* Fills diagnosis->contains when it can be found out. */
void diagnose_contains(const struct scan_view *, struct prober *);

#endif
