/* SPDX-License-Identifier: MIT
 *
 * step_view.h: the steps of a failed case, for its report: called once more,
 * with numbers that people can add up.
 */
#pragma once

#include "case.h"

/* The steps of a call, while it is seen; NULL: no memory. For
 * steps_free_view(). */
struct steps_view *step_view_of(vgpu_device *, const struct lab *,
                                const struct parameters *,
                                const struct case_seen *);

/* The input in place of any numbers: digits. */
int step_view_inputs(int inputs);
enum {
    STEP_VIEW_ALL = 64 << 20, /* bytes of all that a grade keeps */
    STEP_VIEW_LINEAGES = 12,  /* calls of a lab that are recorded */
    /* Instructions of threads in all calls of a lab that are made to find
     * lines: 3 s of an idle machine, as of repairs. */
    STEP_VIEW_WORK = 45000000
};
struct step_view_left {
    size_t calls;
    uint64_t work;
};
/* The same of a case with more elements, for a page, which draws a part of it;
 * NULL: its answer is not wrong for small numbers, or it has too many steps. */
struct steps_view *step_view_draw(const struct case_spec *, size_t *left);
/* Fills result.outcome.writer, where there are no steps and another call leaves
 * the same wrong element. */
void step_view_writer(const struct case_spec *, struct case_result *,
                      struct step_view_left *);
/* Fills result.outcome.lineage and launched, where there are no steps, and few
 * enough elements that a call can be recorded, as long as something is left. */
void step_view_lineage(const struct case_spec *, struct case_result *,
                       struct step_view_left *);
/* Fills result.outcome.banks, where bank conflicts, or wavefronts, are over
 * their bound in these counts. */
void step_view_banks(const struct case_spec *, const struct measured *,
                     struct case_result *, size_t *left);
/* Fills result.outcome.steps, lineage and launched, where the case has few
 * elements, its answer is wrong for such numbers, too, and the steps take no
 * more than *left bytes, which become fewer. */
void step_view_take(const struct case_spec *, struct case_result *,
                    size_t *left, struct step_view_left *);
