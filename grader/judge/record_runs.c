/* SPDX-License-Identifier: MIT
 *
 * record_runs.c: see record_runs.h. What the host does depends on no schedule,
 * as a rule; so it is recorded in order, where the call is most likely to come
 * to its end. In the schedule that failed the check's case runs once, to see
 * whether it fails with small numbers, too.
 */
#include "record_runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case_plan.h"
#include "run_case.h"
#include "runnable.h"
#include "signature.h"
#include "step_view.h"
#include "time_limit.h"

enum {
    MOST_RUN = 8200, /* elements */
    LARGE_RUN = 300, /* then tiles are looked at, too */
    RUN_MS = 400,
    RUN_BYTES = 1 << 18 /* of what the host hands over */
};

struct recording {
    struct lab_check check;
    struct case_spec spec; /* the case that failed, with small numbers */
    struct runnable *runnable;
};

/* An image, once: all cases have the same. */
static bool take_image(struct runnable *r, const struct vgpu_asked_list *all) {
    const struct vgpu_asked *image = NULL;
    for (size_t i = 0; i < all->n; i++) {
        if (all->list[i].kind != VGPU_ASKED_LOAD) continue;
        if (image) return false;
        image = &all->list[i];
    }
    if (image && !r->ptx) r->ptx = runnable_ptx(image->data, image->data_bytes);
    return image && r->ptx;
}

static void take_asked(void *user, vgpu_device *device,
                       const struct case_seen *seen) {
    struct runnable *r = user;
    struct runnable_case *c = &r->cases[r->n_cases];
    struct vgpu_asked_list all;
    size_t words = signature_out_words(r->signature, seen->n);
    if (!vgpu_asked_so_far(device, &all) || all.is_cut || !take_image(r, &all))
        return;
    if (!r->profile)
        r->profile = text_format("%s", vgpu_device_profile(device)->name);
    c->expected = calloc(words + 1, sizeof *c->expected);
    if (!c->expected || !r->profile) return;
    memcpy(c->expected, seen->expected, words * sizeof *c->expected);
    if (!runnable_copy(&c->asked, &all)) {
        free(c->expected);
        c->expected = NULL;
        return;
    }
    c->n = seen->n;
    c->n_expected = seen->n_expected;
    r->n_cases++;
}

/* Is it right? */
static bool record_run(const struct recording *g, size_t n, bool records) {
    struct case_spec s = g->spec;
    struct case_result result;
    s.n = n;
    if (records) {
        s.schedule = "in-order";
        s.memory_model = NULL;
        s.look = take_asked;
        s.user = g->runnable;
        s.asked_bytes = RUN_BYTES;
    }
    case_run(&s, &result);
    bool passed = result.verdict == CASE_PASS;
    case_result_free(&result);
    return passed;
}

/* The size that failed first, then those that say most. */
static bool run_sizes(const struct recording *g, long long until) {
    static const size_t others[] = {2049, 1025, 8,  33,  64, 7,   129, 256, 65,
                                    31,   257,  32, 128, 63, 127, 16,  9,   1};
    struct runnable *r = g->runnable;
    bool fails = !record_run(g, r->n, false);
    fails |= !record_run(g, r->n, true);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (clock_ms() >= until || r->n_cases == RUNNABLE_SIZES) break;
        if (others[i] != r->n && (others[i] <= LARGE_RUN || r->n > LARGE_RUN) &&
            lab_check_takes_size(g->spec.lab, &g->check, others[i]))
            fails |= !record_run(g, others[i], true);
    }
    return fails && r->n_cases;
}

static int recorded_by_size(const void *a, const void *b) {
    const struct runnable_case *x = a, *y = b;
    return x->n < y->n ? -1 : x->n > y->n;
}

/* Nothing that students are not to see; what the clock counts is no answer. */
static bool may_run(const struct check_run *run,
                    const struct check_result *result) {
    const struct outcome *o = &result->outcome;
    return result->status == STATUS_FAIL && result->ran &&
           result->device == WIRE_VGPU && o->tried.function &&
           !*o->tried.clock && !run->check->errors && !run->check->refused &&
           run->check->visibility <= VISIBILITY_VISIBLE;
}

static struct runnable *record_begin(struct recording *g,
                                     const struct case_spec *s) {
    struct runnable *r = g->runnable = calloc(1, sizeof *r);
    g->check = *s->check;
    g->check.repeat = 1;
    g->spec = *s;
    g->spec.check = &g->check;
    g->spec.inputs = step_view_inputs(s->inputs);
    g->spec.is_rerun = true;
    g->spec.limit_ms = RUN_MS;
    g->spec.inspect = NULL;
    g->spec.look = NULL;
    g->spec.trace = NULL;
    g->spec.more_checks |= VGPU_CHECK_MEMCHECK | VGPU_CHECK_RACECHECK;
    if (!r) return NULL;
    r->signature = case_function(s)->signature;
    r->checks = case_vgpu_checks(&g->spec);
    r->contents = text_format("left:%" PRIu64, s->seed);
    r->n = s->n > MOST_RUN ? MOST_RUN : s->n;
    return r;
}

/* What is shown of a wrong answer whose steps are too many for other reports.
 */
static void draw_picture(const struct check_run *run,
                         const struct case_spec *failed,
                         struct check_result *result) {
    struct outcome *o = &result->outcome;
    struct case_spec s = *failed;
    if (s.n > MOST_RUN) s.n = MOST_RUN;
    if (o->difference && !o->steps)
        o->drawn = step_view_draw(&s, run->steps_left);
}

void record_runs(const struct check_run *run, struct check_result *result,
                 long long until) {
    struct recording g;
    struct plan plan;
    struct planned_case failed;
    if (!may_run(run, result) || clock_ms() >= until) return;
    bool found = plan_open(&plan, run) &&
                 plan_find(run, &plan, &result->outcome.tried, &failed);
    plan_close(&plan);
    if (found) draw_picture(run, &failed.spec, result);
    if (!found || !run->options->runs || !record_begin(&g, &failed.spec))
        return;
    struct runnable *r = g.runnable;
    if (r->contents && run_sizes(&g, until)) {
        qsort(r->cases, r->n_cases, sizeof *r->cases, recorded_by_size);
        result->outcome.runnable = r;
    } else {
        runnable_free(r);
    }
}
