/* SPDX-License-Identifier: MIT
 *
 * known.c: see known.h. What students are not to see is named nowhere.
 */
#include "known.h"

#include <string.h>

#include "harness.h"

static void add_wrong(struct known *k, const struct lab *lab,
                      const struct lab_check *c) {
    const struct lab_function *f = &lab->functions[c->function];
    enum { ROOM = sizeof k->wrong / sizeof *k->wrong };
    if (lab->language != LAB_C || c->kind != CHECK_CORRECT ||
        c->visibility > VISIBILITY_VISIBLE || !harness_can_give(f) ||
        k->n_wrong == ROOM)
        return;
    for (size_t i = 0; i < k->n_wrong; i++)
        if (k->wrong[i].function == f) return;
    k->wrong[k->n_wrong].function = f;
    k->wrong[k->n_wrong++].check = c;
}

void known_begin(struct known *k, const struct lab *lab, const char *only) {
    for (size_t i = 0; only && i < lab->n_checks; i++)
        if (strcmp(lab->checks[i].id, only) != 0)
            add_wrong(k, lab, &lab->checks[i]);
}

static void add_slip(struct known *k, const struct check_result *r) {
    enum { ROOM = sizeof k->slips / sizeof *k->slips };
    const struct finding *f = r->outcome.finding;
    bool is_slip = f && (f->kind == VGPU_FINDING_OUT_OF_BOUNDS ||
                         f->kind == VGPU_FINDING_OVERLAPPING_COPY ||
                         (f->kind == VGPU_FINDING_HOST_MISUSE &&
                          f->message.id == VGPU_MESSAGE_PAST_RANGE));
    if (!is_slip || !r->outcome.place.file || k->n_slips == ROOM ||
        r->check->visibility > VISIBILITY_VISIBLE)
        return;
    k->slips[k->n_slips].file = r->outcome.place.file;
    k->slips[k->n_slips].line = r->outcome.place.line;
    k->slips[k->n_slips++].check = r->check;
}

void known_add(struct known *k, const struct lab *lab, struct check_result *r) {
    enum { MOST = 5 };
    if (r->charged_by && r->score + 1 == r->check->points &&
        ++k->n_charged > MOST)
        r->score++;
    if (r->charged_by) return;
    add_slip(k, r);
    add_wrong(k, lab, r->check);
}
