/* SPDX-License-Identifier: MIT
 *
 * case_plan.h: which cases a check has, in which order, and to which group of
 * sizes each belongs.
 */
#pragma once

#include "check_run.h"

enum { PLAN_SCHEDULE_BYTES = 64 };

struct plan {
    const size_t *sizes; /* the check's, or the one that was asked for */
    size_t n_sizes;
    bool is_other; /* one that the check does not have */
    size_t *order; /* indices of sizes, smallest first */
    size_t n_schedules;
    size_t n_combinations; /* of parameters */
    size_t n_cases;
    int most_threads; /* of the host; the machine lets no more be made */
    bool has_bounded; /* the last case: a correct check's under its clock */
};

struct planned_case {
    struct case_spec spec; /* points to these two */
    char schedule[PLAN_SCHEDULE_BYTES], memory_model[PLAN_SCHEDULE_BYTES];
};

/* false: out of memory. To be closed in either case. */
bool plan_open(struct plan *, const struct check_run *);
void plan_close(struct plan *);
/* Case number `index`; false: filtered out. */
bool plan_case(const struct check_run *, const struct plan *, size_t index,
               struct planned_case *);
/* The case that was tried, without a clock; false: none was. */
bool plan_find(const struct check_run *, const struct plan *,
               const struct tried *, struct planned_case *);
/* The place of its group in check->groups, of its schedule in the check's. */
size_t plan_group(const struct check_run *, const struct plan *, size_t index);
size_t plan_order(const struct plan *, size_t index);
