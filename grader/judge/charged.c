/* SPDX-License-Identifier: MIT
 *
 * charged.c: what another check charges; see case_run in run_case.h. One
 * mistake is not to cost each check that meets it: a clean check that looks for
 * it takes its points, and the others ask what they are there for. And a bound
 * is not to be earned by an answer that only the clock's order makes right.
 */
#include "run_case.h"

static bool failed_by(const struct case_result *r, unsigned check) {
    const struct finding *f = r->outcome.finding;
    return r->verdict == CASE_FAIL && f && vgpu_finding_check(f->kind) == check;
}

/* The clean check of the same function that looks for it. */
static const struct lab_check *who_charges(const struct case_spec *s,
                                           unsigned check) {
    if (s->check->vgpu_checks & check) return NULL;
    for (size_t i = 0; i < s->lab->n_checks; i++) {
        const struct lab_check *c = &s->lab->checks[i];
        if (c->kind == CHECK_CLEAN && c->function == s->check->function &&
            (c->vgpu_checks & check))
            return c;
    }
    return NULL;
}

/* The case as changed: its verdict, if it is one. */
static bool decides(const struct case_spec *changed, struct case_result *r) {
    case_run_once(changed, r);
    if (r->verdict == CASE_PASS && !r->lost_messages) return true;
    if (r->verdict == CASE_FAIL && r->outcome.kind == OUTCOME_BOUND &&
        !r->lost_messages)
        return true;
    case_result_free(r);
    return false;
}

/* ---- races under the clock ---- */

static void count_messages(const struct case_spec *s, struct case_result *r) {
    struct case_spec again = *s;
    struct case_result second;
    if (s->check->kind != CHECK_EFFICIENT || !s->clock ||
        !failed_by(r, VGPU_CHECK_RACECHECK) ||
        !who_charges(s, VGPU_CHECK_RACECHECK))
        return;
    again.races_are_told = true;
    if (!decides(&again, &second)) return;
    case_result_free(r);
    *r = second;
}

/* ---- slips ---- */

/* The case stays failed, and what it earns is what it earns without the slip.
 */
static void take_slip(const struct case_spec *changed,
                      const struct lab_check *charged_by,
                      struct case_result *r) {
    struct case_result second;
    if (!decides(changed, &second)) return;
    r->charged_by = charged_by;
    r->earned = second.verdict == CASE_PASS ? 1 : second.earned;
    measured_free(&r->measured);
    r->measured = second.measured;
    second.measured = (struct measured){0};
    case_result_free(&second);
}

static void give_room(const struct case_spec *s, struct case_result *r) {
    const struct lab_check *by = who_charges(s, VGPU_CHECK_MEMCHECK);
    struct case_spec again = *s;
    if (!by || !failed_by(r, VGPU_CHECK_MEMCHECK) ||
        r->outcome.finding->kind != VGPU_FINDING_OUT_OF_BOUNDS ||
        r->outcome.finding->address < VGPU_ADDRESS_BASE)
        return;
    again.with_slack = true;
    take_slip(&again, by, r);
}

/* Lanes in lockstep, as they are where blocks and warps go in order. */
static void keep_step(const struct case_spec *s, struct case_result *r) {
    const struct lab_check *by = who_charges(s, VGPU_CHECK_RACECHECK);
    struct case_spec races = *s, again = *s;
    struct case_result found;
    if (!by || s->clock || s->memory_model || !s->schedule ||
        r->verdict != CASE_FAIL || !r->outcome.difference)
        return;
    races.more_checks |= VGPU_CHECK_RACECHECK;
    races.is_rerun = true;
    case_run_once(&races, &found);
    bool one_warp = failed_by(&found, VGPU_CHECK_RACECHECK) &&
                    found.outcome.finding->in_one_warp;
    case_result_free(&found);
    again.schedule = "in-order";
    if (one_warp) take_slip(&again, by, r);
}

/* ---- right answers by the clock's order alone ---- */

/* Under the clock all blocks go at once. What is right only so has no bounds
 * that could hold: the case without them, in the order in which the function
 * was wrong before. One that hangs there is right where it does not hang: that
 * costs the correct checks, and the bounds hold. */
static void ask_in_that_order(const struct case_spec *s,
                              struct case_result *r) {
    struct lab_check check;
    struct case_spec again;
    struct case_result second;
    case_in_that_order(s, &again, &check);
    case_run(&again, &second);
    if (second.verdict == CASE_FAIL && second.outcome.difference &&
        !second.charged_by) {
        case_result_free(r);
        *r = second;
        r->is_of_that_order = true;
    } else {
        case_result_free(&second);
    }
}

void case_in_that_order(const struct case_spec *s, struct case_spec *again,
                        struct lab_check *check) {
    *check = *s->check;
    check->kind = CHECK_CORRECT;
    check->n_bounds = 0;
    *again = *s;
    again->check = check;
    again->clock = NULL;
    again->schedule = s->wrong_in;
    again->wrong_in = NULL;
}

void case_run(const struct case_spec *s, struct case_result *r) {
    bool counts =
        s->check->kind == CHECK_CORRECT || s->check->kind == CHECK_EFFICIENT;
    case_run_once(s, r);
    if (s->is_rerun || s->device != WIRE_VGPU || !counts || s->check->errors ||
        s->check->refused)
        return;
    if (r->verdict == CASE_FAIL) count_messages(s, r);
    if (r->verdict == CASE_FAIL) give_room(s, r);
    if (r->verdict == CASE_FAIL && !r->charged_by) keep_step(s, r);
    if (s->wrong_in && (r->verdict == CASE_PASS || r->earned > 0))
        ask_in_that_order(s, r);
}
