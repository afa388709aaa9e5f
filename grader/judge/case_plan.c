/* SPDX-License-Identifier: MIT
 *
 * case_plan.c: see case_plan.h. Cases are counted over all sizes, schedules and
 * values of parameters, smaller sizes first, whether filters leave them out or
 * not: a case keeps its number, and with it its seed and input, when it is run
 * alone.
 */
#include "case_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "most_threads.h"
#include "text.h"

/* Few threads are there anyway. What is asked for in vain is no mistake of the
 * submission's. */
static int threads_to_have(const struct check_run *r) {
    enum { FEW = 16, AT_A_TIME = 2 };
    const struct int_list *list = &r->check->parameters[PARAMETER_threads];
    int most = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->values[i] > most) most = list->values[i];
    return r->lab->language == LAB_C && most > FEW
               ? most_threads(most, AT_A_TIME)
               : most;
}

bool plan_open(struct plan *p, const struct check_run *r) {
    const struct lab_check *c = r->check;
    bool vgpu = r->device == WIRE_VGPU;
    *p = (struct plan){.sizes = c->sizes, .n_sizes = c->n_sizes};
    p->is_other = r->options->has_n && !lab_check_has_size(c, r->options->n);
    if (p->is_other) {
        p->sizes = &r->options->n;
        p->n_sizes = 1;
    }
    p->order = calloc(p->n_sizes + 1, sizeof *p->order);
    if (!p->order) return false;
    for (size_t i = 0; i < p->n_sizes; i++) {
        size_t at = i;
        for (; at > 0 && p->sizes[p->order[at - 1]] > p->sizes[i]; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
    p->n_schedules = vgpu && c->n_schedules ? c->n_schedules : 1;
    p->n_combinations = lab_check_combinations(c);
    p->most_threads = threads_to_have(r);
    p->has_bounded =
        !p->is_other && vgpu && c->kind == CHECK_CORRECT && c->clock.name;
    p->n_cases =
        p->n_sizes * p->n_schedules * p->n_combinations + p->has_bounded;
    return true;
}

void plan_close(struct plan *p) {
    free(p->order);
}

/* "random" alone takes a seed from the case. */
static void schedule_of(const struct check_run *r, size_t index, uint64_t seed,
                        char text[PLAN_SCHEDULE_BYTES]) {
    const char *name =
        r->check->n_schedules ? r->check->schedules[index] : "in-order";
    if (strcmp(name, "random") == 0)
        snprintf(text, PLAN_SCHEDULE_BYTES, "random:%" PRIu64,
                 inputs_seed(seed, "schedule", index) & UINT32_MAX);
    else
        snprintf(text, PLAN_SCHEDULE_BYTES, "%s", name);
}

/* The schedule asked for replaces the check's of the same kind, or its first.
 */
static bool schedule_wanted(const struct check_run *r, size_t index,
                            char text[PLAN_SCHEDULE_BYTES]) {
    const char *wanted = r->options->schedule;
    size_t chosen = 0;
    if (!wanted || r->device != WIRE_VGPU) return true;
    for (size_t i = 0; i < r->check->n_schedules; i++) {
        const char *name = r->check->schedules[i];
        if (strncmp(name, wanted, strcspn(wanted, ":")) == 0) {
            chosen = i;
            break;
        }
    }
    snprintf(text, PLAN_SCHEDULE_BYTES, "%s", wanted);
    return index == chosen;
}

static bool parameters_wanted(const struct check_run *r,
                              const struct parameters *p) {
    const struct judge_options *o = r->options;
    for (int i = 0; i < N_PARAMETERS; i++)
        if (o->has_parameter[i] && r->check->parameters[i].n &&
            o->parameters.value[i] != p->value[i])
            return false;
    return true;
}

/* The place in `sizes` of a case's; under the clock the largest one runs. */
static size_t size_of(const struct plan *p, size_t index) {
    bool bounded = p->has_bounded && index == p->n_cases - 1;
    return p->order[bounded ? p->n_sizes - 1
                            : index / p->n_combinations / p->n_schedules];
}

size_t plan_group(const struct check_run *r, const struct plan *p,
                  size_t index) {
    return p->is_other ? 0 : r->check->written[size_of(p, index)].group;
}

/* Sizes of `large` are for who asks for them, all or one. */
static bool size_wanted(const struct check_run *r, const struct plan *p,
                        size_t size) {
    if (r->options->has_n) return r->options->n == p->sizes[size];
    return p->is_other || r->options->large || !r->check->written[size].large;
}

size_t plan_order(const struct plan *p, size_t index) {
    return index / p->n_combinations % p->n_schedules;
}

bool plan_case(const struct check_run *r, const struct plan *p, size_t index,
               struct planned_case *planned) {
    const struct lab_check *c = r->check;
    struct case_spec *spec = &planned->spec;
    bool bounded = p->has_bounded && index == p->n_cases - 1;
    size_t combination = index % p->n_combinations;
    size_t order = plan_order(p, index), size = size_of(p, index);
    size_t group = plan_group(r, p, index);
    int inputs = c->groups[group].inputs;
    char *label = text_format("%s/%s", r->lab->id, c->id);
    /* Under another schedule, the same input where the same bits are asked. */
    uint64_t seed =
        inputs_seed(r->options->seed, label ? label : c->id,
                    c->same ? index - order * p->n_combinations : index);
    free(label);
    *spec = (struct case_spec){.environment = r->environment,
                               .lab = r->lab,
                               .check = c,
                               .library = r->library,
                               .watched_library = r->watched_library,
                               .n = p->sizes[size],
                               .inputs = inputs < 0 ? c->inputs : inputs,
                               .schedule = planned->schedule,
                               .seed = seed,
                               .n_late = r->n_late,
                               .known = r->known,
                               .was_wrong = r->was_wrong,
                               .device = r->device};
    lab_check_combination(c, combination, &spec->parameters);
    int *threads = &spec->parameters.value[PARAMETER_threads];
    if (p->most_threads && *threads > p->most_threads)
        *threads = p->most_threads;
    schedule_of(r, order, seed, planned->schedule);
    if (bounded || c->kind == CHECK_EFFICIENT) spec->clock = c->clock.name;
    bool counts = spec->clock && c->kind == CHECK_EFFICIENT;
    if (counts)
        spec->wrong_in =
            r->options->schedule ? r->options->schedule : r->wrong_in;
    if (c->memory_model == LAB_MEMORY_WEAK && !bounded) {
        snprintf(planned->memory_model, sizeof planned->memory_model,
                 "weak:%" PRIu64,
                 inputs_seed(seed, "memory", order) & UINT32_MAX);
        spec->memory_model = planned->memory_model;
    }
    return size_wanted(r, p, size) && parameters_wanted(r, &spec->parameters) &&
           (bounded  ? !r->options->schedule
            : counts ? true
                     : schedule_wanted(r, order, planned->schedule));
}

static bool is_same(const struct tried *a, const struct tried *b) {
    return a->n == b->n && a->seed == b->seed &&
           memcmp(&a->parameters, &b->parameters, sizeof a->parameters) == 0 &&
           strcmp(a->schedule, b->schedule) == 0 &&
           strcmp(a->memory_model, b->memory_model) == 0 && !*a->clock &&
           !*b->clock;
}

bool plan_find(const struct check_run *r, const struct plan *p,
               const struct tried *tried, struct planned_case *planned) {
    for (size_t i = 0; i < p->n_cases; i++) {
        if (!plan_case(r, p, i, planned)) continue;
        struct tried this = case_tried(&planned->spec);
        if (is_same(&this, tried)) return true;
    }
    return false;
}
