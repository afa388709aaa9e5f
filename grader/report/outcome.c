/* SPDX-License-Identifier: MIT
 *
 * outcome.c: what an outcome owns, and how it is given back.
 */
#include "outcome.h"

#include <stdlib.h>

void outcome_add(struct outcome *o, struct fact fact) {
    if (o->kind == OUTCOME_NONE) o->kind = OUTCOME_FACT;
    if (o->n_facts < OUTCOME_FACTS)
        o->facts[o->n_facts++] = fact;
    else
        fact_free(&fact);
}

static void place_free(struct place *p) {
    free(p->file);
    free(p->kernel);
}

void outcome_free(struct outcome *o) {
    for (size_t i = 0; i < o->n_facts; i++) fact_free(&o->facts[i]);
    place_free(&o->place);
    if (o->finding) {
        place_free(&o->finding->other);
        free(o->finding->text);
    }
    if (o->difference) diagnosis_free(o->difference);
    free(o->finding);
    free(o->difference);
    *o = (struct outcome){0};
}

void measured_free(struct measured *m) {
    free(m->bounds);
    free(m->ratio);
    *m = (struct measured){0};
}
