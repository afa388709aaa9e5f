/* SPDX-License-Identifier: MIT
 *
 * reruns.c: see reruns.h. The table at the end has a row for each thing that
 * may be otherwise; what an earlier row found, a later one sees.
 */
#include "reruns.h"

#include "findings.h"
#include "oracle.h"
#include "run_case.h"

enum { LIMIT_MS = 3000, OP_XOR = 2, OP_AFFINE = 3 /* as in parameters.def */ };

/* The case, which may be changed; so may the check that it points to. */
struct attempt {
    struct case_spec spec;
    struct lab_check check;
};

/* ---- other contents of memory that nothing has written ---- */

/* The case read such memory, which fails none by itself: right kernels do so,
 * too, and make no use of it. Shared memory has no contents that could be
 * others; a later call of a case depends on those before it. */
static bool with_other_contents(struct attempt *again,
                                const struct case_result *r) {
    struct case_spec *s = &again->spec;
    const struct finding *f = r->outcome.finding;
    bool may_tell = r->outcome.difference && f &&
                    f->kind == VGPU_FINDING_UNINITIALISED &&
                    f->address >= VGPU_ADDRESS_BASE && s->device == WIRE_VGPU &&
                    !(case_vgpu_checks(s) & VGPU_CHECK_INITCHECK) &&
                    again->check.repeat == 1 &&
                    oracle_shape(case_function(s)->oracle) == OUTPUT_SCAN;
    s->other_contents = s->unwritten_is_unused = true;
    return may_tell;
}

/* What reaches the output, an address or a branch changes the answer. So does a
 * word that the kernel never writes: the rerun hands over other contents. */
static void if_same_answer(struct case_result *second, struct case_result *r) {
    if (second->left != r->left) return;
    r->unwritten_is_unused = true;
    outcome_take_finding(&r->outcome, &(struct outcome){0}); /* none */
}

/* ---- every check of the virtual GPU ---- */

static bool is_of_check(const struct finding *f) {
    return f && vgpu_finding_check(f->kind) != VGPU_CHECK_ALWAYS;
}

/* What nothing had written may be written too late: racecheck tells. */
static bool may_be_early(const struct case_spec *s, const struct finding *f) {
    return f->kind == VGPU_FINDING_UNINITIALISED &&
           !(case_vgpu_checks(s) & VGPU_CHECK_RACECHECK);
}

/* Could a check of the virtual GPU explain it? */
static bool check_may_tell(const struct case_spec *s, const struct outcome *o) {
    static const enum fact_row rows[] = {FACT_CRASHED, FACT_LATE,
                                         FACT_RETURNED_ERROR, FACT_SAME_TWICE,
                                         FACT_SAME_SCHEDULE};
    if (s->device != WIRE_VGPU || o->unnamed || s->limit_ms || s->n_late)
        return false;
    if (o->finding && o->finding->reason == REASON_TOO_MUCH_WORK) return false;
    if (is_of_check(o->finding)) return may_be_early(s, o->finding);
    bool worth = o->kind == OUTCOME_DIFFERENCE || o->kind == OUTCOME_FINDING;
    for (size_t i = 0; o->n_facts && i < sizeof rows / sizeof *rows; i++)
        worth |= o->facts[0].row == rows[i];
    return worth;
}

static bool with_every_check(struct attempt *again,
                             const struct case_result *r) {
    struct case_spec *s = &again->spec;
    if (!check_may_tell(s, &r->outcome)) return false;
    s->more_checks = VGPU_CHECK_ALL & ~VGPU_CHECK_LEAKCHECK;
    s->unwritten_is_unused = r->unwritten_is_unused;
    if (r->unwritten_is_unused)
        s->more_checks &= ~(unsigned)VGPU_CHECK_INITCHECK;
    /* What never ends fills racecheck's memory; why, it says by itself. */
    if (outcome_is_late(&r->outcome))
        s->more_checks &= ~(unsigned)VGPU_CHECK_RACECHECK;
    return true;
}

/* Does racecheck tell why nothing had written there? */
static bool says_more(const struct finding *second) {
    return second->reason == REASON_READ_EARLY ||
           second->reason == REASON_OWN_TARGET ||
           second->reason == REASON_NEVER_STORED ||
           second->reason == REASON_TWO_STORES ||
           second->reason == REASON_TWO_WARPS;
}

/* The function returned an error, because a call of the runtime was wrong. */
static bool is_failed_call(const struct outcome *o) {
    return o->kind == OUTCOME_FINDING && o->finding &&
           o->finding->kind == VGPU_FINDING_HOST_MISUSE;
}

/* What the checks find leads, but for what made the call fail. */
static void if_found(struct case_result *second, struct case_result *r) {
    const struct finding *f = second->outcome.finding;
    if (f && is_failed_call(&r->outcome))
        findings_add(&r->outcome, &second->outcome);
    else if (is_of_check(f) &&
             (!is_of_check(r->outcome.finding) || says_more(f)))
        outcome_take_finding(&r->outcome, &second->outcome);
}

/* ---- a crash, watched ---- */

static bool is_crash(const struct outcome *o) {
    static const enum fact_row rows[] = {FACT_CRASHED, FACT_HEAP_BROKEN,
                                         FACT_HEAP_FREED};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < o->n_facts; k++)
            if (o->facts[k].row == rows[i]) return true;
    return false;
}

static bool with_watch(struct attempt *again, const struct case_result *r) {
    struct case_spec *s = &again->spec;
    bool may_tell = s->device == WIRE_HOST && s->watched_library &&
                    !again->check.watch && is_crash(&r->outcome);
    again->check.watch = 1u << WIRE_WATCH_ADDRESS | 1u << WIRE_WATCH_UNDEFINED;
    return may_tell;
}

/* Where the first wrong access was leads; that it ends in a crash follows. */
static void if_seen(struct case_result *second, struct case_result *r) {
    static const enum fact_row rows[] = {FACT_WATCH_BEFORE,   FACT_WATCH_PAST,
                                         FACT_WATCH_FREED,    FACT_WATCH_IN,
                                         FACT_WATCH_OUT,      FACT_WATCH_STATIC,
                                         FACT_WATCH_UNDEFINED};
    struct outcome *from = &second->outcome, *to = &r->outcome;
    bool is_seen = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is_seen |= from->n_facts && from->facts[0].row == rows[i];
    if (!is_seen) return;
    outcome_take_finding(to, from); /* none: its place alone */
    for (size_t i = 0; i < to->n_facts; i++) fact_free(&to->facts[i]);
    to->facts[0] = from->facts[0];
    to->n_facts = 1;
    from->facts[0] = (struct fact){0};
    outcome_add(to, FACT(CRASHES_UNWATCHED));
}

/* ---- what makes the answer right ---- */

/* Nothing but the answer is wrong. */
static bool is_only_wrong(const struct case_spec *s,
                          const struct case_result *r) {
    const struct diagnosis *d = r->outcome.difference;
    return s->device != WIRE_GPU && d && d->count && !r->outcome.finding;
}

static void set_shape(struct diagnosis *d, struct fact shape) {
    fact_free(&d->shape);
    d->shape = shape;
    d->cause_fits = true;
}

static bool with_own_output(struct attempt *again,
                            const struct case_result *r) {
    bool in_place = again->check.in_place;
    again->check.in_place = again->check.late = false;
    return in_place && is_only_wrong(&again->spec, r);
}

static void if_right_with_own(struct case_result *second,
                              struct case_result *r) {
    if (second->verdict == CASE_PASS)
        set_shape(r->outcome.difference, FACT(ONLY_IN_PLACE));
}

static bool with_no_slow_thread(struct attempt *again,
                                const struct case_result *r) {
    bool late = again->check.late && !again->check.in_place;
    again->check.late = false;
    return late && is_only_wrong(&again->spec, r);
}

/* What of the inputs before it does the first wrong element lack? */
static struct fact late_fact(const struct diagnosis *d) {
    const struct contents *in = &d->contents;
    const struct window *w = &d->window;
    size_t at = d->first - w->from;
    if (at < w->n_in && (d->got[0] == w->in[at] || d->got[0] == 0))
        return FACT(LATE_NOTHING); /* but its own */
    for (size_t i = 0; i < in->n_counted; i++) {
        const struct counted *c = &in->counted[i];
        bool missed = c->due && c->count == 0 && c->n_runs == 1;
        if (missed && c->from[0] == 0)
            return c->to[0] + 1 < d->first ? FACT(LATE_PART)
                                           : FACT(LATE_NOTHING);
        if (c->due && c->count > 1) return FACT(LATE_TWICE);
    }
    return FACT(ONLY_LATE);
}

static void if_right_in_step(struct case_result *second,
                             struct case_result *r) {
    struct diagnosis *d = r->outcome.difference;
    if (second->verdict == CASE_PASS) set_shape(d, late_fact(d));
}

/* Threads of the host that race are right at times. */
static bool with_the_same(struct attempt *again, const struct case_result *r) {
    struct case_spec *s = &again->spec;
    return !again->check.late && !again->check.in_place &&
           signature_takes(case_function(s)->signature, PARAMETER_threads) &&
           s->parameters.value[PARAMETER_threads] > 1 && is_only_wrong(s, r);
}

static void if_right_at_times(struct case_result *second,
                              struct case_result *r) {
    if (second->verdict == CASE_PASS)
        set_shape(r->outcome.difference, FACT(ONLY_AT_TIMES));
}

/* Is the answer right, each time that it is tried, when malloc gives memory
 * that holds zeros? */
static bool with_cleared_memory(struct attempt *again,
                                const struct case_result *r) {
    static const struct change clears = {.clears_memory = true};
    enum { TIMES = 3 };
    struct case_spec *s = &again->spec;
    s->change = &clears;
    if (again->check.repeat < TIMES) again->check.repeat = TIMES;
    return s->device == WIRE_HOST && !again->check.in_place &&
           !again->check.late && is_only_wrong(s, r) &&
           r->outcome.difference->shape.row != FACT_ONLY_AT_TIMES;
}

static void if_right_when_cleared(struct case_result *second,
                                  struct case_result *r) {
    if (second->verdict == CASE_PASS)
        set_shape(r->outcome.difference, FACT(ONLY_UNCLEARED));
}

/* All calls of a late check share one core: of the first of them, nothing is
 * otherwise but that none was before it. */
static bool with_first_call(struct attempt *again,
                            const struct case_result *r) {
    bool late = again->check.late && again->check.repeat > 1;
    again->check.repeat = 1;
    return late && is_only_wrong(&again->spec, r);
}

static void if_right_at_first(struct case_result *second,
                              struct case_result *r) {
    if (second->verdict == CASE_PASS)
        set_shape(r->outcome.difference, FACT(ONLY_AGAIN));
}

/* Is the call itself as usual? */
static bool is_usual(const struct attempt *again) {
    return !again->check.in_place && !again->check.late;
}

/* Wrong indices follow from a value that was seen too early, and leave words
 * empty and others with two writers. */
static bool may_follow(const struct finding *f) {
    return f && (f->kind == VGPU_FINDING_OUT_OF_BOUNDS ||
                 f->kind == VGPU_FINDING_UNINITIALISED ||
                 f->reason == REASON_OVERLAP);
}

static bool with_strong_memory(struct attempt *again,
                               const struct case_result *r) {
    const char *weak = again->spec.memory_model;
    again->spec.memory_model = NULL;
    if (r->outcome.finding) /* none of these, then, may be true of any memory */
        again->spec.more_checks = VGPU_CHECK_ALL & ~VGPU_CHECK_LEAKCHECK;
    return weak && is_usual(again) &&
           (is_only_wrong(&again->spec, r) || may_follow(r->outcome.finding));
}

static bool is_of_devices(const struct tried *t) {
    return signature_takes(t->function->signature, PARAMETER_devices) &&
           t->parameters.value[PARAMETER_devices] > 1;
}

static void if_right_in_order(struct case_result *second,
                              struct case_result *r) {
    struct diagnosis *d = r->outcome.difference;
    if (second->verdict != CASE_PASS) return;
    if (r->outcome.finding) {
        r->outcome.finding->reason = REASON_WEAK_ONLY;
        r->outcome.advice = NULL;
        return;
    }
    bool is_long = element_words(d->element) == 2;
    if (d->shape.row == FACT_CARRY_BITS && is_long) /* the same values */
        d->shape.row = FACT_CARRY_OTHER_HALF;
    else if (d->shape.row != FACT_CARRY_OTHER_HALF)
        set_shape(d, is_of_devices(&r->outcome.tried) ? FACT(WEAK_ONLY_DEVICES)
                                                      : FACT(WEAK_ONLY));
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

/* XOR asks for no order of operands. Memory that is late makes its answers
 * wrong as well, so this says more than with_strong_memory: there, all tiles
 * may have been read in an order in which nothing is joined the wrong way
 * round. */
static bool with_any_order(struct attempt *again, const struct case_result *r) {
    struct case_spec *s = &again->spec;
    int *op = &s->parameters.value[PARAMETER_op];
    bool is_affine = *op == OP_AFFINE;
    *op = OP_XOR;
    return is_affine && is_usual(again) &&
           signature_takes(case_function(s)->signature, PARAMETER_op) &&
           is_only_wrong(s, r) && factors_are_right(r->outcome.difference);
}

static void if_right_unordered(struct case_result *second,
                               struct case_result *r) {
    struct diagnosis *d = r->outcome.difference;
    if (second->verdict != CASE_PASS) return;
    if (d->shape.row == FACT_PART_EDGE)
        d->shape.row = FACT(CARRY_ORDER).row; /* the same values */
    else
        set_shape(d, FACT(JOINED_ANYHOW));
}

/* Blocks that use one word of a race, and what parts take over: is that wrong
 * only for the sums of higher orders? */
static bool with_first_order(struct attempt *again,
                             const struct case_result *r) {
    struct case_spec *s = &again->spec;
    const struct finding *f = r->outcome.finding;
    const struct diagnosis *d = r->outcome.difference;
    int *order = &s->parameters.value[PARAMETER_order];
    bool higher =
        signature_takes(case_function(s)->signature, PARAMETER_order) &&
        *order > 1;
    bool may = f ? f->kind == VGPU_FINDING_GLOBAL_RACE
                 : d && d->shape.row == FACT_PART_EDGE;
    *order = 1;
    return higher && may && is_usual(again) && d && d->count;
}

static void if_right_of_first(struct case_result *second,
                              struct case_result *r) {
    struct diagnosis *d = r->outcome.difference;
    if (second->verdict != CASE_PASS) return;
    if (d->shape.row == FACT_PART_EDGE && !r->outcome.finding)
        d->shape.row = FACT(CARRY_HIGHER).row; /* the same values */
    else
        set_shape(d, FACT(ONLY_ORDERS));
}

/* Two elements that change places stand in another order, or each one place too
 * far: more elements tell. */
static bool with_more_elements(struct attempt *again,
                               const struct case_result *r) {
    enum { FEW = 8, MORE = 33 };
    struct case_spec *s = &again->spec;
    const struct diagnosis *d = r->outcome.difference;
    bool may = d && s->n < FEW &&
               (d->shape.row == FACT_PARTITION_FORWARDS ||
                d->shape.row == FACT_PARTITION_ORDER) &&
               lab_check_takes_size(s->lab, s->check, MORE);
    s->n = MORE;
    s->asks_for_shape = true;
    return may && is_usual(again);
}

static void if_told_by_more(struct case_result *second, struct case_result *r) {
    struct diagnosis *d = second->outcome.difference;
    bool told = d && (d->shape.row == FACT_PARTITION_FURTHER ||
                      d->shape.row == FACT_PARTITION_NEARER);
    if (!told) return;
    set_shape(r->outcome.difference, d->shape);
    d->shape = FACT(NONE);
}

/* ---- all of them ---- */

static const struct rerun {
    /* Changes the case; false: that can tell nothing here. */
    bool (*change)(struct attempt *, const struct case_result *);
    void (*learn)(struct case_result *second, struct case_result *);
} reruns[] = {
    {with_other_contents, if_same_answer},
    {with_every_check, if_found},
    {with_watch, if_seen},
    {with_own_output, if_right_with_own},
    {with_no_slow_thread, if_right_in_step},
    {with_the_same, if_right_at_times},
    {with_cleared_memory, if_right_when_cleared},
    {with_first_call, if_right_at_first},
    {with_strong_memory, if_right_in_order},
    {with_any_order, if_right_unordered},
    {with_first_order, if_right_of_first},
    {with_more_elements, if_told_by_more},
};

static void run_again(const struct rerun *rerun, const struct case_spec *s,
                      struct case_result *r) {
    struct attempt again = {*s, *s->check};
    struct case_result second;
    again.spec.check = &again.check;
    if (!rerun->change(&again, r)) return;
    again.spec.is_rerun = true;
    again.spec.inspect = NULL;
    again.spec.look = NULL;
    again.spec.trace = NULL;
    if (!s->limit_ms || s->limit_ms > LIMIT_MS) again.spec.limit_ms = LIMIT_MS;
    case_run(&again.spec, &second);
    rerun->learn(&second, r);
    case_result_free(&second);
}

void reruns_look(const struct case_spec *s, struct case_result *r) {
    for (size_t i = 0; i < sizeof reruns / sizeof *reruns; i++)
        if (r->verdict == CASE_FAIL) run_again(&reruns[i], s, r);
}
