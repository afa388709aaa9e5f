/* SPDX-License-Identifier: MIT
 *
 * repairs.c: see repairs.h. Which repairs are tried, and in which order, is
 * repairs_list.c's.
 */
#include "repairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "related_threads.h"
#include "repairs_parts.h"
#include "run_case.h"
#include "spots.h"
#include "time_limit.h"

enum {
    MOST_N = 1 << 14, /* of other cases that are asked, or the failed one's */
    MOST_CASES = 40,  /* of these; each k-th where there are more */
    LEAST_WORK = 200000,  /* limit of a try's call */
    SLOW_WORK = 14000000, /* a case that takes more is not tried again: of
                             threads, */
    SLOW_WARPS = 1000000, /* or of warps; */
    SLOW_N = 1 << 20,     /* one of so many elements does */
    LIMIT_MS = 1500       /* many times what so much work takes */
};

bool mending_is_over(const struct mending *m) {
    return m->all->left_us <= m->spare || clock_ms() >= m->until ||
           check_is_over(m->run);
}

void mending_share(struct mending *m, uint64_t part, uint64_t of) {
    uint64_t left = m->all->left_us;
    m->spare = left - left / of * part;
}

void mending_pay(struct mending *m, uint64_t us) {
    uint64_t *left = &m->all->left_us;
    *left -= us < *left ? us : *left;
}

bool mending_pays(struct mending *m, uint64_t us) {
    bool enough = m->all->left_us > m->spare + us;
    if (enough) mending_pay(m, us);
    return enough;
}

static void digest(uint64_t *all, uint64_t value) {
    enum { MULTIPLIER = 1000003 };
    *all = (*all ^ value) * MULTIPLIER + (*all >> 40);
}

void mending_count(struct mending *m, uint64_t kind, uint64_t line,
                   uint64_t number) {
    struct repairs_tried *t = &m->all->tried;
    t->tries++;
    digest(&t->which, kind);
    digest(&t->which, line);
    digest(&t->which, number);
}

/* A call's limit, within the time that is left. */
static unsigned limit_of(const struct mending *m, unsigned ms) {
    long long left = m->until - clock_ms();
    return left < 1 ? 1 : left < ms ? (unsigned)left : ms;
}

/* ---- the failed case ---- */

/* Races and barriers that are not for all count, whatever the check looks for:
 * right by luck is not right. */
static unsigned more_checks(const struct outcome *o) {
    unsigned checks =
        VGPU_CHECK_MEMCHECK | VGPU_CHECK_RACECHECK | VGPU_CHECK_SYNCCHECK;
    if (o->finding && o->finding->kind == VGPU_FINDING_UNINITIALISED)
        checks |= VGPU_CHECK_INITCHECK;
    return checks;
}

static void repairs_count(void *user, vgpu_device *device,
                          const uint64_t counts[VGPU_N_COUNTERS]) {
    struct mending *m = user;
    (void)device;
    m->counted += counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
    m->warps += counts[VGPU_COUNT_WARP_INSTRUCTIONS];
}

static void look_for_sites(void *user, vgpu_device *device,
                           const uint64_t counts[VGPU_N_COUNTERS]) {
    struct mending *m = user;
    repairs_count(m, device, counts);
    repair_sites_take(&m->sites, device, m->run->lab->source);
}

/* Its host code computed too long. */
static bool ran_too_long(const struct outcome *o) {
    bool late = false;
    for (size_t i = 0; i < OUTCOME_FACTS; i++)
        late |= o->facts[i].row == FACT_LATE ||
                o->facts[i].row == FACT_LATE_IN_ALL ||
                o->facts[i].row == FACT_LATE_LOADING;
    return late;
}

/* What is chosen in a changed library needs no other reading of its PTX. */
static void account(struct mending *m, const struct case_spec *s,
                    const struct case_result *r) {
    struct repairs_tried *t = &m->all->tried;
    const struct change *c = s->change;
    const struct finding *f = r->outcome.finding;
    bool ended = f && f->kind == VGPU_FINDING_BUDGET;
    m->was_late = ran_too_long(&r->outcome);
    const struct repairs_run one = {
        .is_cuda = s->device == WIRE_VGPU,
        .is_read = c && c->n_edits && c->edits->kind != VGPU_EDIT_CHOICE,
        .is_slow = s->memory_model || parts_has(case_function(s)->signature),
        .is_stuck = f && f->kind == VGPU_FINDING_DEADLOCK,
        .is_ended = ended,
        .was_slow = ended && m->warps < s->work / 2,
        .was_late = m->was_late,
        .elements = s->n * s->check->repeat,
        .library_bytes = m->library_bytes,
        .warp_instructions = m->warps};
    mending_pay(m, repairs_run_us(&one));
    t->runs++;
    t->late += m->was_late;
    t->warp_instructions += m->warps;
    digest(&t->which, r->verdict == CASE_PASS);
}

static bool passes(struct mending *m, struct case_spec *s) {
    enum { WAS_LATE = 2 }; /* host code has repairs_host_ms then */
    struct case_result r;
    if (!s->inspect) s->inspect = repairs_count;
    s->user = m;
    if (m->library) s->library = m->library;
    s->n_late = WAS_LATE;
    s->limit_ms = limit_of(
        m, s->device == WIRE_HOST ? repairs_host_ms(false, s->n) : LIMIT_MS);
    m->counted = m->warps = 0;
    case_run(s, &r);
    account(m, s, &r);
    bool passed = r.verdict == CASE_PASS;
    const struct finding *f = r.outcome.finding;
    m->raced = f && (f->kind == VGPU_FINDING_SHARED_RACE ||
                     f->kind == VGPU_FINDING_GLOBAL_RACE);
    s->inspect = NULL;
    case_result_free(&r);
    return passed;
}

/* Of a try: four times what the case takes. That is counted in instructions of
 * threads, the limit in those of warps, most of which have many threads. */
static uint64_t limit_of_work(uint64_t counted) {
    enum { TIMES = 4, THREADS = 8 };
    uint64_t limit = counted * TIMES / THREADS;
    return limit > LEAST_WORK ? limit : LEAST_WORK;
}

/* As it is: it must fail again. Fills the sites. */
bool mending_fails(struct mending *m) {
    struct case_spec *s = &m->failed.spec;
    if (!s->is_rerun) m->own_checks = s->more_checks;
    unsigned own = m->own_checks;
    s->is_rerun = true;
    s->more_checks = own | more_checks(&m->result->outcome);
    if (m->ignores_races)
        s->more_checks &= own | ~(unsigned)VGPU_CHECK_RACECHECK;
    s->unwritten_is_unused = true;
    s->work = SLOW_WARPS;
    s->inspect = look_for_sites;
    bool passed = passes(m, s);
    s->work = m->work = limit_of_work(m->counted);
    return !passed && m->counted < SLOW_WORK;
}

/* ---- a try ---- */

static void change_of(const struct mending *m, const struct candidate *c,
                      struct vgpu_edit *edit, struct change *change) {
    const struct repair_row *row = repair_row(c->kind);
    *edit = (struct vgpu_edit){.kind = row->edit,
                               .file = m->run->lab->source,
                               .line = c->line,
                               .only = c->only,
                               .by = row->by};
    *change = (struct change){.clears_memory = c->kind == REPAIR_CLEAR,
                              .clears_shared = c->kind == REPAIR_CLEAR_SHARED,
                              .numbers_as_started = c->kind == REPAIR_TICKET};
    if (row->edit == VGPU_N_EDITS) return;
    change->edits = edit;
    change->n_edits = 1;
}

static bool is_other_case(const struct mending *m, size_t index,
                          struct planned_case *other) {
    size_t most = m->failed.spec.n > MOST_N ? m->failed.spec.n : MOST_N;
    bool bounded = m->plan.has_bounded && index == m->plan.n_cases - 1;
    if (bounded || !plan_case(m->run, &m->plan, index, other)) return false;
    other->spec.is_rerun = true;
    other->spec.unwritten_is_unused = true;
    other->spec.work = 4 * m->work;
    return !other->spec.clock && other->spec.n <= most;
}

static size_t common_divisor(size_t a, size_t b) {
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Each k-th case, so that all schedules and values of parameters come by. */
static size_t step_of(const struct plan *p) {
    size_t step = 1 + p->n_cases / MOST_CASES;
    size_t per_size = p->n_combinations * p->n_schedules;
    while (step > 1 && common_divisor(step, per_size) != 1) step++;
    return step;
}

/* Do the check's other cases pass, too? *n: how many were asked. The first
 * comes first, then the largest: most changes that help by chance fail there.
 */
static bool others_pass(struct mending *m, const struct change *change,
                        size_t *n) {
    size_t step = step_of(&m->plan), all = m->plan.n_cases;
    struct planned_case other;
    *n = 0;
    for (size_t k = 0; k < all; k++) {
        size_t i = k ? all - k : 0;
        bool last = i == all - 1 - m->plan.has_bounded;
        if ((i % step && !last) || !is_other_case(m, i, &other)) continue;
        other.spec.change = change;
        if (mending_is_over(m) || !passes(m, &other.spec)) return false;
        ++*n;
    }
    return true;
}

bool mending_works(struct mending *m, const struct change *change,
                   size_t *others) {
    struct case_spec *s = &m->failed.spec;
    s->change = change;
    bool works = passes(m, s);
    m->failed_still = !works;
    works = works && others_pass(m, change, others);
    s->change = NULL;
    return works;
}

/* In one order of blocks. */
static bool passes_in(struct mending *m, const struct change *change,
                      uint64_t seed) {
    struct case_spec *s = &m->failed.spec;
    char schedule[PLAN_SCHEDULE_BYTES];
    const char *own = s->schedule;
    snprintf(schedule, sizeof schedule, "random:%" PRIu64, seed);
    s->schedule = schedule;
    s->change = change;
    bool passed = passes(m, s);
    s->schedule = own;
    s->change = NULL;
    return passed;
}

bool mending_holds(struct mending *m, const struct change *change) {
    enum { ORDERS = 6, LEAST = 3 };
    const struct vgpu_edit none = {.kind = VGPU_EDIT_CHOICE};
    const struct change unchanged = {.edits = &none, .n_edits = 1};
    uint64_t failed[ORDERS];
    size_t n = 0;
    struct changed *all = m->all->changed;
    if (m->failed.spec.device != WIRE_VGPU || !changed_choose(all, 0))
        return true;
    for (uint64_t k = 1; k <= ORDERS; k++)
        if (!passes_in(m, &unchanged, k)) failed[n++] = k;
    if (!changed_choose(all, (unsigned)change->edits->by)) return false;
    if (n == ORDERS) return true;
    for (size_t i = 0; i < n; i++)
        if (!passes_in(m, change, failed[i])) return false;
    return n >= LEAST;
}

/* Does the check pass with the change, in so many of its cases, two or more? */
static bool still_passes(struct mending *m, const struct lab_check *check,
                         const struct change *change, size_t cases) {
    enum { WORK = 8000000 };
    struct check_run run = *m->run;
    struct plan plan;
    bool passed = true;
    run.check = check;
    bool open = plan_open(&plan, &run);
    for (size_t i = 0; open && i < cases && passed; i++) {
        struct planned_case one;
        size_t end = plan.n_cases - plan.has_bounded;
        size_t at = i == 0 ? end / 2 : i == 1 ? end - 1 : (i - 1) * end / cases;
        if (at >= end || !plan_case(&run, &plan, at, &one) || one.spec.clock ||
            one.spec.n > MOST_N)
            continue;
        one.spec.is_rerun = true;
        one.spec.unwritten_is_unused = true;
        one.spec.work = WORK;
        one.spec.change = change;
        passed = passes(m, &one.spec);
    }
    plan_close(&plan);
    return passed;
}

/* Is it another check in whose cases a change can be tried? Not where calls are
 * made to fail, are to be refused, are repeated, or have a clock. */
static bool can_be_asked(const struct mending *m,
                         const struct check_result *r) {
    const struct lab_check *c = r->check;
    return r->ran && r->device == m->result->device && !c->errors &&
           !c->refused && !c->clock.name && c->repeat <= 1 &&
           c != m->run->check;
}

bool mending_keeps_others(struct mending *m, const struct change *change,
                          unsigned line) {
    enum { CHECKS = 6, CASES = 2 };
    const struct repairs *all = m->all;
    size_t asked = 0;
    for (size_t i = 0; i < all->n_results && asked < CHECKS; i++) {
        const struct check_result *r = &all->results[i];
        const struct lab_check *c = r->check;
        size_t n = 0;
        if (r->status != STATUS_PASS || !can_be_asked(m, r)) continue;
        const char *symbol = m->run->lab->functions[c->function].symbol;
        bool *reached = changes_reached(all->text, symbol, &n);
        bool runs = reached && line < n && reached[line];
        free(reached);
        if (!runs) continue;
        asked++;
        if (!still_passes(m, c, change, CASES)) return false;
    }
    return true;
}

/* The largest n of a check's cases; the last case, of bounds, does not count.
 */
static size_t largest_of(const struct check_run *run, const struct plan *p) {
    struct planned_case one;
    size_t most = 0;
    for (size_t i = 0; i < p->n_cases - p->has_bounded; i++)
        if (plan_case(run, p, i, &one) && one.spec.n > most) most = one.spec.n;
    return most;
}

static bool is_larger(struct mending *m, const struct lab_check *check) {
    struct check_run run = *m->run;
    struct plan plan;
    run.check = check;
    bool open = plan_open(&plan, &run);
    bool larger =
        open && largest_of(&run, &plan) > largest_of(m->run, &m->plan);
    plan_close(&plan);
    return larger;
}

bool mending_helps_larger(struct mending *m, const struct change *change) {
    enum { CHECKS = 3, CASES = 6, FEW = 2 };
    const struct repairs *all = m->all;
    size_t asked = 0;
    for (size_t i = 0; i < all->n_results && asked < CHECKS; i++) {
        const struct check_result *r = &all->results[i];
        const struct lab_check *c = r->check;
        if (r->status != STATUS_FAIL || !r->outcome.difference ||
            c->function != m->run->check->function || !can_be_asked(m, r) ||
            !is_larger(m, c))
            continue;
        asked++;
        if (still_passes(m, c, change, CASES)) return true;
    }
    /* One element or two say too little: much that is wrong is right there. */
    return !asked && largest_of(m->run, &m->plan) > FEW;
}

void mending_keep(struct mending *m, const struct repair *repair) {
    struct repair *r = calloc(1, sizeof *r);
    if (!r) return;
    *r = *repair;
    r->file = text_format("%s", m->run->lab->source);
    m->result->outcome.repair = r;
}

/* One of the threads that come by, which no barrier is. */
static bool is_meeting(vgpu_edit_kind edit) {
    return edit == VGPU_EDIT_MEET_BEFORE || edit == VGPU_EDIT_MEET_AFTER;
}

/* A barrier put before the instructions of a loop's head runs in every round;
 * of a loop whose rounds are not the same for all threads it stands in front.
 */
static bool begins_loop(const char *text, unsigned line) {
    size_t bytes, blanks;
    const char *at = text ? spot_line(text, line, &bytes) : NULL;
    if (!at) return false;
    blanks = strspn(at, " \t}");
    at += blanks;
    size_t word = strncmp(at, "for", 3) == 0     ? 3
                  : strncmp(at, "while", 5) == 0 ? 5
                                                 : 0;
    return blanks < bytes && word &&
           (at[word] == '(' || at[word] == ' ' || at[word] == '\t');
}

static void keep(struct mending *m, const struct candidate *c, size_t others) {
    const struct repair_row *row = repair_row(c->kind);
    struct repair r = {
        .kind = c->kind, .line = c->line, .said = {.row = row->fact}};
    size_t value = 0;
    uint64_t line = c->line;
    unsigned head = is_meeting(row->edit) && m->all->text
                        ? related_parts_threads(m->all->text, c->line)
                        : 0;
    if (line) r.said.values[value++] = V(line);
    r.said.values[value++] = V(others);
    bool is_barrier = row->fact == FACT_REPAIR_BARRIER_BEFORE ||
                      row->fact == FACT_REPAIR_BARRIER_AFTER;
    if (is_barrier && begins_loop(m->all->text, c->line) &&
        related_parts_threads(m->all->text, c->line) != c->line)
        r.said = FACT(REPAIR_BARRIER_LOOP, {V(line), V(others)});
    if (head) {
        uint64_t n = others, at = head;
        r.said = FACT(REPAIR_MEET_OUTSIDE, {V(line), V(n), V(at)});
        r.line = head;
    }
    mending_keep(m, &r);
    struct repairs *all = m->all;
    bool known = false;
    for (size_t i = 0; i < all->n_known; i++)
        known |= memcmp(&all->known[i], c, sizeof *c) == 0;
    if (!known && all->n_known < REPAIRS_KNOWN) all->known[all->n_known++] = *c;
}

/* true: it mends the check. */
static bool try_one(struct mending *m, const struct candidate *c) {
    struct vgpu_edit edit;
    struct change change;
    size_t others = 0;
    change_of(m, c, &edit, &change);
    m->all->left_tries--;
    mending_count(m, c->kind, c->line, c->only);
    bool works = mending_works(m, &change, &others);
    if (works) keep(m, c, others > 0 ? others - 1 : 0);
    return works;
}

static void try_all(struct mending *m) {
    struct repair_list list;
    repair_list_make(&m->result->outcome, &m->sites, m->all, &list);
    for (size_t i = 0; i < list.n; i++)
        if (mending_is_over(m) || !m->all->left_tries ||
            try_one(m, &list.items[i]))
            return;
}

/* ---- which checks ---- */

/* An address that wider words may not have: no number or name is wrong for
 * that, and what makes nobody come by is no repair. */
static bool is_misaligned(const struct outcome *o) {
    return o->finding && o->finding->kind == VGPU_FINDING_MISALIGNED;
}

static bool may_be_mended(const struct check_run *r,
                          const struct check_result *result) {
    const struct outcome *o = &result->outcome;
    return r->lab->repairs && result->status == STATUS_FAIL && result->ran &&
           result->device != WIRE_GPU && o->tried.function &&
           !*o->tried.clock && !o->unnamed && !r->check->errors &&
           !(o->finding && o->finding->is_full) && !r->check->refused &&
           (repair_fits(o) || o->finding || o->difference) &&
           !is_misaligned(o) && r->check->visibility <= VISIBILITY_VISIBLE;
}

static size_t repairs_bytes(const char *path) {
    struct stat file;
    return stat(path, &file) == 0 ? (size_t)file.st_size : 0;
}

/* A third of what is left: the source's changes need a build, too. */
static void try_program(struct mending *m) {
    enum { PART = 1, OF = 3 };
    m->library = NULL;
    m->failed.spec.library = m->run->library;
    m->library_bytes = repairs_bytes(m->run->library);
    mending_share(m, PART, OF);
    if (m->result->device == WIRE_VGPU && m->all->left_tries &&
        !mending_is_over(m) && mending_fails(m) && !m->was_late)
        try_all(m);
}

static bool takes_too_long(const struct case_spec *s) {
    return s->device == WIRE_VGPU && s->n > SLOW_N;
}

/* What orders accesses is tried first where something was found; of a wrong
 * answer the source tells more. */
void repairs_look(const struct check_run *run, struct check_result *result,
                  struct repairs *all) {
    struct mending m = {.run = run, .result = result, .all = all};
    long long start = clock_ms();
    const struct repair *const *found =
        (const struct repair *const *)&result->outcome.repair;
    if (!may_be_mended(run, result) || all->left_ms <= 0) return;
    if (all->lab != run->lab) all->n_known = 0;
    all->lab = run->lab;
    m.until = start + all->left_ms;
    if (plan_open(&m.plan, run) &&
        plan_find(run, &m.plan, &result->outcome.tried, &m.failed) &&
        !takes_too_long(&m.failed.spec)) {
        bool later = repair_is_of_answer(&result->outcome);
        if (!later) try_program(&m);
        m.spare = 0;
        if (!*found) mending_change(&m);
        /* What the source has been tried for, the program is not. */
        if (!*found && later && !all->changed) try_program(&m);
    }
    plan_close(&m.plan);
    all->left_ms -= clock_ms() - start;
}
