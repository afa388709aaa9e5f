/* SPDX-License-Identifier: MIT
 *
 * charged.c: what another check charges; see case_run in run_case.h. One
 * mistake is not to cost each check that meets it: a clean check that looks for
 * it takes its points, and the others ask what they are there for. And a bound
 * is not to be earned by an answer that only the clock's order makes right.
 */
#include <string.h>

#include "influence.h"
#include "reach.h"
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

/* The case as changed: its verdict, if it is one. Else no more is left in the
 * result than what the counts of a wrong answer earn. */
static bool decides(const struct case_spec *changed, struct case_result *r) {
    case_run_once(changed, r);
    if (r->verdict == CASE_PASS && !r->lost_messages) return true;
    if (r->verdict == CASE_FAIL && r->outcome.kind == OUTCOME_BOUND &&
        !r->lost_messages)
        return true;
    double wrong = r->verdict == CASE_FAIL ? r->wrong_earned : 0;
    case_result_free(r);
    *r = (struct case_result){.wrong_earned = wrong};
    return false;
}

/* ---- races under the clock ---- */

/* Where no clean check charges the race, this one does: the counts are those of
 * a call that goes wrong. */
static void count_messages(const struct case_spec *s, struct case_result *r) {
    struct case_spec again = *s;
    struct case_result second;
    if (s->check->kind != CHECK_EFFICIENT || !s->clock ||
        !failed_by(r, VGPU_CHECK_RACECHECK))
        return;
    again.races_are_told = true;
    if (!decides(&again, &second)) {
        r->wrong_earned = second.wrong_earned;
    } else if (who_charges(s, VGPU_CHECK_RACECHECK)) {
        case_result_free(r);
        *r = second;
    } else {
        r->wrong_earned = second.verdict == CASE_PASS ? 1 : second.earned;
        case_result_free(&second);
    }
}

/* ---- slips ---- */

/* Of the points of a case whose stores end far behind an array. */
#define OF_FAR_STORES 0.5

/* The case stays failed, and what it earns is what it earns without the slip;
 * of that a part, if stores go past the end. */
static void take_slip(const struct case_spec *changed,
                      const struct lab_check *charged_by, double if_stored,
                      struct case_result *r) {
    struct case_result second;
    if (!decides(changed, &second)) return;
    r->charged_by = charged_by;
    r->earned = (second.verdict == CASE_PASS ? 1 : second.earned) *
                (second.slack_is_stored ? if_stored : 1);
    measured_free(&r->measured);
    r->measured = second.measured;
    second.measured = (struct measured){0};
    case_result_free(&second);
}

/* The clean check of the function; else a check of another function that has
 * lost its points for a mistake on the same line. */
static const struct lab_check *who_charges_slip(const struct case_spec *s,
                                                const struct case_result *r) {
    const struct lab_check *by = who_charges(s, VGPU_CHECK_MEMCHECK);
    size_t n = s->known ? s->known->n_slips : 0;
    const char *file = r->outcome.place.file;
    if (s->check->vgpu_checks & VGPU_CHECK_MEMCHECK) return NULL;
    for (size_t i = 0; !by && i < n && file; i++)
        if (s->known->slips[i].line == r->outcome.place.line &&
            strcmp(s->known->slips[i].file, file) == 0)
            by = s->known->slips[i].check;
    return by;
}

/* A copy or a fill of the host's goes past the end of an array. */
static bool copies_past(const struct case_result *r) {
    const struct finding *f = r->outcome.finding;
    return r->verdict == CASE_FAIL && f &&
           f->kind == VGPU_FINDING_HOST_MISUSE &&
           f->message.id == VGPU_MESSAGE_PAST_RANGE;
}

/* What is stored far past the end of an array may hit the next one. */
static bool leaves_array(const struct case_result *r) {
    const struct finding *f = r->outcome.finding;
    if (copies_past(r)) return true;
    return failed_by(r, VGPU_CHECK_MEMCHECK) &&
           (f->kind == VGPU_FINDING_OUT_OF_BOUNDS ||
            f->kind == VGPU_FINDING_READ_ONLY) &&
           f->address >= VGPU_ADDRESS_BASE;
}

/* A block asked for less shared memory than it uses. */
static bool leaves_shared(const struct case_result *r) {
    const struct finding *f = r->outcome.finding;
    return failed_by(r, VGPU_CHECK_MEMCHECK) &&
           f->kind == VGPU_FINDING_OUT_OF_BOUNDS &&
           f->message.id == VGPU_MESSAGE_SHARED_ACCESS;
}

/* Behind each array, for those that are far too short, or left far behind: at
 * least a tile. */
static uint32_t much_room(const struct case_spec *s) {
    enum { ELEMENT = 16, TILE = 128 << 10, MOST = 16 << 20 };
    return s->n < (MOST - TILE) / ELEMENT ? TILE + ELEMENT * (uint32_t)s->n
                                          : MOST;
}

/* A few bytes past the end are a slip, and so are any number of them that are
 * only read. What is stored far past the end damages another array: that costs
 * the correct checks half. */
static void give_room(const struct case_spec *s, struct case_result *r) {
    const struct lab_check *by = who_charges_slip(s, r);
    struct case_spec again = *s;
    if (!by || !leaves_array(r)) return;
    again.slack_bytes = SLACK_BYTES;
    take_slip(&again, by, 1, r);
    if (r->charged_by) return;
    again.slack_bytes = much_room(s);
    take_slip(&again, by, s->check->kind == CHECK_CORRECT ? OF_FAR_STORES : 1,
              r);
}

/* The virtual GPU copies as if by way of another array. */
static void let_overlap(const struct case_spec *s, struct case_result *r) {
    const struct lab_check *by = who_charges_slip(s, r);
    struct case_spec again = *s;
    if (!by || !failed_by(r, VGPU_CHECK_MEMCHECK) ||
        r->outcome.finding->kind != VGPU_FINDING_OVERLAPPING_COPY)
        return;
    again.overlaps_are_told = true;
    take_slip(&again, by, 1, r);
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
    if (one_warp) take_slip(&again, by, 1, r);
}

/* ---- what is built on a wrong function ---- */

/* Which threads work is this function's own. */
bool case_is_of_sharing(const struct case_result *r) {
    static const int rows[] = {FACT_WATCH_UNSEEN,      FACT_WATCH_IN_TURN,
                               FACT_WATCH_SHARED,      FACT_WATCH_TWO_PASSES,
                               FACT_WATCH_LATE_OUTPUT, FACT_WATCH_NO_AGGREGATE,
                               FACT_WATCH_NO_PREFIX};
    const struct outcome *o = &r->outcome;
    for (size_t i = 0; o->n_facts && i < sizeof rows / sizeof *rows; i++)
        if ((int)o->facts[0].row == rows[i]) return true;
    return false;
}

/* With a right one in its place. Then the case stays failed, for a cause that
 * the other check charges. */
static void give_function(const struct case_spec *s, struct case_result *r) {
    const struct lab_function *mine = &s->lab->functions[s->check->function];
    size_t n = s->known && !case_is_of_sharing(r) ? s->known->n_wrong : 0;
    for (size_t i = 0; i < n && !r->charged_by; i++) {
        const struct lab_function *f = s->known->wrong[i].function;
        struct case_spec again = *s;
        if (f == mine) continue;
        again.given = f;
        take_slip(&again, s->known->wrong[i].check, 1, r);
        if (!r->charged_by) continue;
        outcome_free(&r->outcome);
        r->verdict = CASE_PASS;
        outcome_add(case_fail(s, r), FACT(GIVEN, {V(f->symbol)}));
    }
}

/* ---- the counts of a wrong answer ---- */

/* Of the points of its counts. */
#define OF_WRONG 0.5

/* A slip that makes the answer wrong costs the correct checks all of their
 * points, and the counts a half, if the algorithm that they count is there.
 * The same where the function leaves its arrays by more than a slip, and would
 * go on if there were room. */
static void take_counts_of_wrong(const struct case_spec *s,
                                 struct case_result *r) {
    enum {
        ENOUGH = 2, /* one part of so many of the words */
        MOST_SHARED = 96 << 10
    };
    struct case_spec again = *s;
    if (s->check->kind != CHECK_EFFICIENT || r->verdict != CASE_FAIL ||
        r->charged_by || r->earned > 0)
        return;
    if (leaves_array(r) || leaves_shared(r)) {
        struct case_result second;
        again.slack_bytes = much_room(s);
        again.shared_slack = MOST_SHARED;
        bool is_right = decides(&again, &second);
        double earned = second.verdict == CASE_PASS ? 1 : second.earned;
        r->wrong_earned = is_right ? earned : second.wrong_earned;
        if (is_right) {
            r->earned = earned * OF_WRONG;
            case_result_free(&second);
            return;
        }
    }
    if (r->wrong_earned > 0 && influence_of(&again) * ENOUGH >= 1)
        r->earned = r->wrong_earned * OF_WRONG;
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
        double earned = r->verdict == CASE_PASS ? 1 : r->earned;
        case_result_free(r);
        *r = second;
        r->is_of_that_order = true;
        r->earned = earned * OF_WRONG;
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
    if (s->device == WIRE_HOST && !s->is_rerun && !s->check->errors &&
        (r->verdict == CASE_FAIL || r->verdict == CASE_TODO))
        give_function(s, r);
    if (s->is_rerun || s->device != WIRE_VGPU || !counts || s->check->errors ||
        s->check->refused)
        return;
    reach_take(s, r);
    if (r->verdict == CASE_FAIL) count_messages(s, r);
    if (r->verdict == CASE_FAIL) give_room(s, r);
    if (r->verdict == CASE_FAIL && !r->charged_by) let_overlap(s, r);
    if (r->verdict == CASE_FAIL && !r->charged_by) keep_step(s, r);
    take_counts_of_wrong(s, r);
    if (s->wrong_in && !r->wrong_earned &&
        (r->verdict == CASE_PASS || r->earned > 0))
        ask_in_that_order(s, r);
}
