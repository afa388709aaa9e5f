/* SPDX-License-Identifier: MIT
 *
 * repairs_parts.h: what the files of repairs.h share: a check that is to be
 * mended.
 */
#pragma once

#include "case_plan.h"
#include "repairs_list.h"

struct mending {
    const struct check_run *run;
    struct check_result *result;
    struct repairs *all;
    struct plan plan;
    struct planned_case failed;
    const char *library; /* another one than the submission's; NULL: that */
    uint64_t work;       /* limit of a try's call */
    long long until;
    uint64_t counted; /* of the case that ran last */
    struct repair_sites sites;
};

bool mending_is_over(const struct mending *);
/* The failed case, as it is: must fail again. */
bool mending_fails(struct mending *);
/* With the change it passes, and the check's other cases, too; *others: how
 * many of these were asked. */
bool mending_works(struct mending *, const struct change *, size_t *others);
/* The repair is the outcome's from here on. */
void mending_keep(struct mending *, const struct repair *);

/* repairs_changed.c: small changes of the source are tried. */
void mending_change(struct mending *);
