/* SPDX-License-Identifier: MIT
 *
 * diagnose_stretch.c: sums that are off from a place where no part begins of
 * which the lab speaks: what a warp, a row, a thread or a chunk of some size
 * took over, and what the first of all begins with. As in diagnose_carry.c, all
 * is said from the numbers of the failed case.
 */
#include <stdlib.h>

#include "diagnose_parts.h"
#include "translate.h"

enum { LEAST = 32, MOST_SIZES = 64 };

static bool adds(const struct diagnose_case *c) {
    return c->oracle == ORACLE_inclusive_sum ||
           c->oracle == ORACLE_exclusive_sum;
}

/* Takes the place of the shape. That nothing was added is no news where the
 * rule of the check says what is to be: parts of threads alone are left to
 * nobody else. */
static bool took_over(const struct diagnose_case *c, size_t first, size_t size,
                      bool chunks, struct diagnosis *d) {
    struct diagnosis found = {.first = first};
    struct edge e = {.part = N_("stretch"),
                     .first = first,
                     .number = first / size,
                     .size = size};
    if (!diagnose_carry(c, &e, &found)) return false;
    bool is_news = chunks || found.shape.row != FACT_CARRY_NOTHING;
    fact_free(is_news ? &d->shape : &found.shape);
    if (is_news) d->shape = found.shape;
    return is_news;
}

/* Sizes of which the element begins a stretch, the largest first: powers of
 * two, and, where each thread has a chunk, its place itself. */
bool diagnose_stretch(const struct diagnose_case *c, size_t first, size_t most,
                      struct diagnosis *d) {
    bool chunks = signature_takes(c->signature, PARAMETER_threads);
    size_t size = first & (~first + 1);
    if (first < 2 || (c->n_parts == 0 && !chunks)) return false;
    for (; size >= LEAST && c->n / size <= MOST_SIZES * LEAST; size /= 2)
        if ((!most || size < most) && took_over(c, first, size, chunks, d))
            return true;
    return chunks && took_over(c, first, first, chunks, d);
}

/* The first part of all has nothing before it. Does it begin with the sum of
 * its own elements, of all parts, or of some? */
bool diagnose_first_own(const struct diagnose_case *c, struct diagnosis *d) {
    uint32_t more = (uint32_t)c->got[0] - (uint32_t)c->expected[0], sum = 0;
    if (!adds(c) || d->first != 0 || c->n < 3) return false;
    for (size_t k = 1; k <= c->n; k++) {
        sum += (uint32_t)c->in[k - 1];
        if (k < 2 || sum != more || !more) continue;
        for (size_t i = 1; i < k; i++) /* all of that part */
            if ((uint32_t)c->got[i] - (uint32_t)c->expected[i] != more)
                return false;
        return shape_is(d, k == c->n ? FACT(FIRST_TOTAL, {V(k)})
                                     : FACT(FIRST_OWN, {V(k)}));
    }
    return false;
}
