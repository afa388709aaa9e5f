/* SPDX-License-Identifier: MIT
 *
 * words_same.c: see words.h. One mistake often fails several checks of a lab.
 */
#include <stdlib.h>
#include <string.h>

#include "words.h"

static bool same_place(const struct place *a, const struct place *b) {
    if (!a->file || !b->file) return !a->file && !b->file;
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static bool words_same_is_same(const struct check_result *a,
                               const struct check_result *b) {
    const struct finding *f = a->outcome.finding, *g = b->outcome.finding;
    if (b->status != STATUS_FAIL || !b->ran || check_is_todo(b) ||
        a->outcome.kind != b->outcome.kind || !f != !g ||
        (f && f->kind != g->kind) ||
        !same_place(&a->outcome.place, &b->outcome.place))
        return false;
    char *ours = words_cause(a), *theirs = words_cause(b);
    bool same = ours && theirs ? strcmp(ours, theirs) == 0
                               : !ours && !theirs && f && a->outcome.place.file;
    free(ours);
    free(theirs);
    return same;
}

const struct check_result *words_same(const struct lab_result *lab,
                                      const struct check_result *r) {
    if (r->status != STATUS_FAIL || !r->ran || check_is_todo(r)) return NULL;
    for (size_t i = 0; i < lab->n_checks && &lab->checks[i] != r; i++)
        if (words_same_is_same(r, &lab->checks[i])) return &lab->checks[i];
    return NULL;
}
