/* SPDX-License-Identifier: MIT
 *
 * repairs_parts.h: what the files of repairs.h share: a check that is to be
 * mended.
 */
#pragma once

#include "case_plan.h"
#include "repairs_list.h"

enum { MENDING_NEARLY = 2 };
struct mending {
    const struct check_run *run;
    struct check_result *result;
    struct repairs *all;
    struct plan plan;
    struct planned_case failed;
    const char *library; /* another one than the submission's; NULL: that */
    size_t library_bytes;
    uint64_t work;  /* limit of a try's call */
    uint64_t spare; /* what is left for other checks (all->left_us) */
    long long until;
    uint64_t counted, warps; /* instructions of the case that ran last: of
                                threads, of warps */
    bool was_late;           /* it computed too long on the host */
    bool raced;              /* it had a race */
    bool ignores_races;
    unsigned own_checks; /* of the failed case */
    bool failed_still; /* the failed case did not pass, with the last change */
    unsigned nearly[MENDING_NEARLY]; /* lines, the likeliest first */
    size_t n_nearly;
    struct repair_sites sites;
};

bool mending_is_over(const struct mending *);
/* Is there work left for this, within the check's share? Then it is taken. */
bool mending_pays(struct mending *, uint64_t us);
/* In any case. */
void mending_pay(struct mending *, uint64_t us);
/* From here on `part` of `of` of what is left may be used. */
void mending_share(struct mending *, uint64_t part, uint64_t of);
/* One more is tried: whatever makes it this one. */
void mending_count(struct mending *, uint64_t kind, uint64_t line,
                   uint64_t number);
/* The failed case, as it is: must fail again. */
bool mending_fails(struct mending *);
/* With the change it passes, and the check's other cases, too; *others: how
 * many of these were asked. */
bool mending_works(struct mending *, const struct change *, size_t *others);
/* Of a case that fails in some orders of blocks only, any change may make
 * another order of it. true: it does not depend on the order, or it passes in
 * several orders in which it failed. */
bool mending_holds(struct mending *, const struct change *);
/* Checks that passed, of functions in which the line may run, pass with the
 * change, too: of each a case or two are asked. */
bool mending_keeps_others(struct mending *, const struct change *,
                          unsigned line);
/* Does the change help at larger sizes, too, or are small ones right by chance?
 * Asked are the other checks in which the same function gives wrong answers.
 * True: one of them passes with the change; or there is none, and the check
 * itself has cases of more than two elements. */
bool mending_helps_larger(struct mending *, const struct change *);
/* The repair is the outcome's from here on. */
void mending_keep(struct mending *, const struct repair *);

/* repairs_changed.c: small changes of the source are tried. */
void mending_change(struct mending *);
