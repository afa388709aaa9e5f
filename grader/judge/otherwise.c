/* SPDX-License-Identifier: MIT
 *
 * otherwise.c: see otherwise.h.
 */
#include "otherwise.h"

#include "run_case.h"

enum { LIMIT_MS = 3000, OP_XOR = 2, OP_AFFINE = 3 /* as in parameters.def */ };

/* All calls of the case, each on its own input. */
static bool is_right(const struct case_spec *s) {
    struct case_spec again = *s;
    struct case_result result;
    again.more_checks |= VGPU_CHECK_MEMCHECK; /* a second look: no diagnosis */
    again.inspect = NULL;
    again.trace = NULL;
    again.limit_ms = LIMIT_MS;
    case_run(&again, &result);
    bool right = result.verdict == CASE_PASS;
    case_result_free(&result);
    return right;
}

static void set_shape(struct diagnosis *d, struct fact shape) {
    fact_free(&d->shape);
    d->shape = shape;
    d->cause_fits = true;
}

/* On a memory that keeps the order of accesses? */
static void look_at_memory(const struct case_spec *s, struct diagnosis *d) {
    struct case_spec strong = *s;
    strong.memory_model = NULL;
    if (!is_right(&strong)) return;
    bool is_long = element_words(d->element) == 2;
    if (d->shape.row == FACT_CARRY_BITS && is_long) /* the same values */
        d->shape.row = FACT_CARRY_OTHER_HALF;
    else if (d->shape.row != FACT_CARRY_OTHER_HALF)
        set_shape(d, FACT(WEAK_ONLY));
}

/* The factors of affine functions are multiplied in whatever order. Are they
 * right near the first difference? Then all functions were joined. */
static bool factors_are_right(const struct diagnosis *d) {
    const struct window *w = &d->window;
    if (w->n_expected != w->n_got) return false;
    bool is_long = element_words(d->element) == 2;
    for (size_t i = 0; i < w->n_got; i++) {
        size_t at = is_long ? 2 * i + 1 : i;
        uint32_t off = (uint32_t)w->expected[at] ^ (uint32_t)w->got[at];
        if (is_long ? off != 0 : off >> 16 != 0) return false;
    }
    return w->n_got > 0;
}

/* With an output of its own? When no thread is slow? */
static void look_at_check(const struct case_spec *s, struct diagnosis *d) {
    struct lab_check check = *s->check;
    struct case_spec other = *s;
    check.in_place = check.late = false;
    other.check = &check;
    if (!is_right(&other)) return;
    set_shape(d, s->check->in_place ? FACT(ONLY_IN_PLACE) : FACT(ONLY_LATE));
}

/* With an operator that asks for no order? */
static void look_at_operator(const struct case_spec *s, struct diagnosis *d) {
    struct case_spec unordered = *s;
    unordered.parameters.value[PARAMETER_op] = OP_XOR;
    if (!factors_are_right(d) || !is_right(&unordered)) return;
    if (d->shape.row == FACT_PART_EDGE)
        d->shape.row = FACT(CARRY_ORDER).row; /* the same values */
    else
        set_shape(d, FACT(JOINED_ANYHOW));
}

void otherwise_look(const struct case_spec *s, struct case_result *result) {
    struct diagnosis *d = result->outcome.difference;
    if (result->verdict != CASE_FAIL || s->device == WIRE_GPU || !d ||
        d->count == 0 || result->outcome.finding)
        return;
    if (s->check->in_place || s->check->late)
        look_at_check(s, d);
    else if (s->memory_model)
        look_at_memory(s, d);
    else if (signature_takes(case_function(s)->signature, PARAMETER_op) &&
             s->parameters.value[PARAMETER_op] == OP_AFFINE)
        look_at_operator(s, d);
}
