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
    *p = (struct place){0};
}

static void finding_free(struct finding *f) {
    if (!f) return;
    place_free(&f->other);
    for (size_t i = 0; i < f->n_also; i++) place_free(&f->also[i].place);
    free(f->also);
    free(f);
}

static void repair_free(struct repair *r) {
    if (!r) return;
    free(r->file);
    fact_free(&r->said);
    free(r);
}

static void lives_free(struct lives *l) {
    for (size_t i = 0; l && i < l->n; i++) {
        place_free(&l->list[i].made);
        place_free(&l->list[i].freed);
    }
    free(l);
}

static void places_free(struct outcome *o) {
    place_free(&o->place);
    place_free(&o->launched);
    place_free(&o->array);
    place_free(&o->writer.place);
    place_free(&o->writer.read);
    for (size_t i = 0; i < OUTCOME_COSTLY; i++) place_free(&o->costly[i]);
    for (size_t i = 0; i < OUTCOME_LINEAGE; i++) place_free(&o->lineage[i]);
    for (size_t i = 0; i < OUTCOME_BESIDE; i++) place_free(&o->beside[i]);
    for (size_t i = 0; i < OUTCOME_COPIES; i++) place_free(&o->copies[i]);
}

void outcome_take_finding(struct outcome *o, struct outcome *from) {
    places_free(o);
    finding_free(o->finding);
    lives_free(o->lives);
    o->lives = from->lives;
    from->lives = NULL;
    o->place = from->place;
    o->array = from->array;
    o->finding = from->finding;
    o->advice = from->advice;
    from->place = from->array = (struct place){0};
    from->finding = NULL;
}

bool outcome_is_late(const struct outcome *o) {
    if (o->finding) return o->finding->kind == VGPU_FINDING_BUDGET;
    return o->n_facts &&
           (o->facts[0].row == FACT_LATE ||
            o->facts[0].row == FACT_LATE_IN_ALL || outcome_loads_late(o));
}

bool outcome_loads_late(const struct outcome *o) {
    return o->n_facts && o->facts[0].row == FACT_LATE_LOADING;
}

bool bound_is_passed(const struct bound_count *b) {
    return !b->holds && b->known &&
           (b->limit < 0 || b->count > (uint64_t)b->limit);
}

void outcome_free(struct outcome *o) {
    for (size_t i = 0; i < o->n_facts; i++) fact_free(&o->facts[i]);
    places_free(o);
    finding_free(o->finding);
    if (o->difference) diagnosis_free(o->difference);
    free(o->difference);
    steps_free_view(o->steps);
    steps_free_view(o->banks);
    steps_free_view(o->drawn);
    source_free(o->hottest);
    repair_free(o->repair);
    runnable_free(o->runnable);
    lives_free(o->lives);
    free(o->ran.marks);
    for (size_t i = 0; i < OUTCOME_MAKERS; i++) free(o->makers[i]);
    for (size_t i = 0; i < o->n_chosen; i++) free(o->chosen[i].file);
    *o = (struct outcome){0};
}

void measured_free(struct measured *m) {
    free(m->bounds);
    free(m->ratio);
    *m = (struct measured){0};
}
