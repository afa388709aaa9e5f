/* SPDX-License-Identifier: MIT
 *
 * step_view.c: see step_view.h.
 */
#include "step_view.h"

#include <stdlib.h>

#include "inputs.h"
#include "place.h"
#include "run_case.h"
#include "steps.h"

enum { MOST_ELEMENTS = 300, LIMIT_MS = 2000 };

struct taking {
    const struct case_spec *spec;
    struct steps_view *view;
};

struct steps_view *step_view_of(vgpu_device *device, const struct lab *lab,
                                const struct parameters *parameters,
                                const struct case_seen *seen) {
    const struct steps_call call = {.lab = lab->id,
                                    .function = seen->function->symbol,
                                    .oracle = seen->function->oracle,
                                    .signature = seen->function->signature,
                                    .parameters = *parameters,
                                    .in = seen->in,
                                    .expected = seen->expected,
                                    .got = seen->got,
                                    .n = seen->n,
                                    .n_expected = seen->n_expected};
    return steps_make(device, &call);
}

static void look(void *user, vgpu_device *device,
                 const struct case_seen *seen) {
    struct taking *t = user;
    steps_free_view(t->view);
    t->view = step_view_of(device, t->spec->lab, &t->spec->parameters, seen);
}

/* No report shows banks. */
static void forget_accesses(struct steps_view *v) {
    free((void *)v->seen.accesses);
    v->seen.accesses = NULL;
    v->seen.n_accesses = 0;
}

int step_view_inputs(int inputs) {
    bool any = inputs == INPUT_random || inputs == INPUT_holes ||
               inputs == INPUT_sparse || inputs == INPUT_extremes;
    return any ? INPUT_digits : inputs;
}

/* The line that launched what should have written, or wrote elsewhere. */
static void find_launch(const struct case_spec *s, struct outcome *o) {
    const struct vgpu_steps_launch *l = steps_fault_launch(o->steps);
    size_t n = 0;
    while (l && n < VGPU_CALLERS && l->callers[n]) n++;
    if (n)
        place_find(s->environment->walled, s->library, s->lab->source,
                   l->callers, n, &o->launched);
}

void step_view_take(const struct case_spec *s, struct case_result *r,
                    size_t *left) {
    struct lab_check check = *s->check;
    struct case_spec again = *s;
    struct taking taking = {s, NULL};
    struct case_result second;
    if (r->verdict != CASE_FAIL || !r->outcome.difference ||
        s->device != WIRE_VGPU || s->n > MOST_ELEMENTS || s->clock)
        return;
    check.inputs = step_view_inputs(check.inputs);
    check.misalign = 0;
    check.in_place = false;
    check.repeat = 1;
    again.check = &check;
    again.is_rerun = true;
    again.memory_model = NULL;
    again.limit_ms = LIMIT_MS;
    again.inspect = NULL;
    again.trace = NULL;
    again.look = look;
    again.user = &taking;
    case_run(&again, &second);
    case_result_free(&second);
    if (taking.view) forget_accesses(taking.view);
    size_t bytes = taking.view ? steps_bytes(taking.view) : 0;
    if (taking.view && taking.view->fault && bytes <= *left) {
        r->outcome.steps = taking.view;
        find_launch(s, &r->outcome);
        *left -= bytes;
    } else {
        steps_free_view(taking.view);
    }
}
