/* SPDX-License-Identifier: MIT
 *
 * check.c: see check.h. case_plan.h says which cases there are.
 *
 * Two cases run at a time, on the virtual GPU and on the host: each has a
 * device and a process of its own. Cases of timed checks and on a real GPU run
 * alone, and so does every case where memory is short. In a group of sizes the
 * failing case with the lowest number decides, not the one that failed first;
 * the report is about the failed case with the lowest number of all.
 */
#include "check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fast.h"
#include "machine_memory.h"
#include "case_plan.h"
#include "ran.h"
#include "reruns.h"
#include "run_case.h"
#include "step_view.h"
#include "time_limit.h"
#include "trouble.h"

enum { AT_A_TIME = 2 };

struct job {
    struct planned_case planned;
    bool wanted;
    struct pool *pool;
    atomic_bool ran, done;
    struct case_result result;
};

static void show(const struct check_run *r, const struct plan *p, size_t index,
                 const struct case_spec *s) {
    const struct tried tried = case_tried(s);
    const struct judge_progress step = {.lab = r->lab->id,
                                        .check = r->check->id,
                                        .case_index = index,
                                        .n_cases = p->n_cases,
                                        .tried = &tried};
    if (r->options->progress) r->options->progress(r->options->user, &step);
}

static void take_measured(struct measured *from, struct measured *to) {
    if (!from->n_bounds && !from->ratio) return;
    measured_free(to);
    *to = *from;
    *from = (struct measured){0};
}

/* ---- run ---- */

/* What the workers of one check share. */
struct pool {
    const struct check_run *run;
    const struct plan *plan;
    struct job *jobs;
    atomic_size_t next;
    atomic_size_t *first_bad; /* of each group; n_cases: none */
    atomic_size_t stopped;    /* nothing behind this case says anything new */
    atomic_uint n_late;
    atomic_bool cut; /* the grade's time was over */
    pthread_mutex_t showing;
};

/* Would the case say nothing that an earlier one has not said? */
static bool is_known(const struct pool *pool, size_t index) {
    size_t group = plan_group(pool->run, pool->plan, index);
    return atomic_load(&pool->first_bad[group]) < index ||
           atomic_load(&pool->stopped) < index;
}

static enum turn turn_of(void *user) {
    struct job *job = user;
    const struct pool *pool = job->pool;
    size_t index = (size_t)(job - pool->jobs);
    if (is_known(pool, index)) return TURN_OVER;
    for (size_t i = 0; i < index; i++)
        if (!atomic_load(&pool->jobs[i].done)) return TURN_WAIT;
    return TURN_GO_ON;
}

static void lower(atomic_size_t *least, size_t index) {
    size_t seen = atomic_load(least);
    while (index < seen && !atomic_compare_exchange_weak(least, &seen, index)) {
    }
}

/* In a group of answers the first wrong one decides; in a group of counts each
 * size has its share. A function that is not written, or cannot be run, needs
 * only one case. */
static void take_verdict(struct pool *pool, struct job *job, size_t index) {
    const struct case_result *c = &job->result;
    bool late = outcome_is_late(&c->outcome);
    if (c->verdict == CASE_PASS || c->charged_by) return;
    if (c->verdict != CASE_FAIL || outcome_loads_late(&c->outcome))
        lower(&pool->stopped, index);
    if (late) atomic_fetch_add(&pool->n_late, 1);
    if (late || pool->run->check->kind != CHECK_EFFICIENT)
        lower(&pool->first_bad[plan_group(pool->run, pool->plan, index)],
              index);
}

/* How host threads share their work also depends on when the machine runs them.
 * So such a case fails only if it fails in every try: a function that does not
 * share its work fails each time. One that ran out of time is tried once more,
 * because threads that wait for each other may take long on a busy machine. */
static void run_shared(const struct case_spec *s, struct case_result *result) {
    enum { TIMES = 4, TIMES_LATE = 2 };
    bool hangs_on_threads = s->check->watch >> WIRE_WATCH_SHARED;
    case_run(s, result);
    for (int i = 1, late = outcome_is_late(&result->outcome);
         i < TIMES && hangs_on_threads && result->verdict == CASE_FAIL &&
         late < TIMES_LATE;
         i++, late += outcome_is_late(&result->outcome)) {
        case_result_free(result);
        case_run(s, result);
    }
}

static void run_job(struct pool *pool, size_t index) {
    const struct check_run *r = pool->run;
    struct job *job = &pool->jobs[index];
    struct case_spec *spec = &job->planned.spec;
    job->pool = pool;
    job->wanted = plan_case(r, pool->plan, index, &job->planned);
    if (job->wanted && !is_known(pool, index)) {
        spec->turns = (struct turns){turn_of, job};
        spec->n_late += atomic_load(&pool->n_late);
        pthread_mutex_lock(&pool->showing);
        show(r, pool->plan, index, spec);
        pthread_mutex_unlock(&pool->showing);
        if (r->check->kind == CHECK_FAST)
            trouble_run(r->device == WIRE_GPU ? fast_gpu_run : fast_run, spec,
                        &job->result);
        else
            run_shared(spec, &job->result);
        atomic_store(&job->ran, true);
        take_verdict(pool, job, index);
    }
    atomic_store(&job->done, true);
}

void check_rest_free(struct check_rest *rest) {
    free(rest->output);
    free(rest->trouble);
}

bool check_is_over(const struct check_run *r) {
    return r->until && clock_ms() >= r->until;
}

struct fact check_not_reached(const struct check_run *r) {
    return FACT(NOT_REACHED, {V(r->options->time_limit_s)});
}

static void *work(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        size_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= pool->plan->n_cases) return NULL;
        if (check_is_over(pool->run)) {
            atomic_store(&pool->cut, true);
            return NULL;
        }
        run_job(pool, index);
    }
}

/* Is there memory for cases of this lab at the same time, if each takes all
 * that it may, of the host and of a device? */
static bool has_memory_for_all(const struct lab *lab) {
    return machine_memory() >> 20 >= AT_A_TIME * 2ull * lab->memory_limit_mib;
}

static void work_together(struct pool *pool) {
    const struct check_run *r = pool->run;
    bool alone = r->check->kind == CHECK_FAST || r->device == WIRE_GPU ||
                 sysconf(_SC_NPROCESSORS_ONLN) < 2 ||
                 !has_memory_for_all(r->lab);
    pthread_t others[AT_A_TIME - 1];
    int started = 0;
    while (!alone && started < AT_A_TIME - 1 &&
           pthread_create(&others[started], NULL, work, pool) == 0)
        started++;
    work(pool);
    while (started > 0) pthread_join(others[--started], NULL);
}

/* ---- the verdict ---- */

static bool decides(const struct pool *pool, size_t index) {
    const struct job *job = &pool->jobs[index];
    return job->ran && job->result.verdict != CASE_PASS;
}

/* The number of the case that the report is about; n_cases: none failed. Cases
 * that were ended because an earlier one of their group had failed do not
 * count. */
static size_t first_failure(const struct pool *pool) {
    size_t n = pool->plan->n_cases, i = 0;
    while (i < n && !(decides(pool, i) && !is_known(pool, i))) i++;
    return i;
}

/* As first_failure; a slip that another check charges comes only where no other
 * case failed. */
static size_t worst_failure(const struct pool *pool) {
    size_t n = pool->plan->n_cases, first = first_failure(pool), i = first;
    while (i < n && (pool->jobs[i].result.charged_by || !decides(pool, i) ||
                     is_known(pool, i)))
        i++;
    return i < n ? i : first;
}

/* Other bits under another schedule: that case fails. */
static void compare_schedules(struct pool *pool) {
    const struct plan *p = pool->plan;
    if (!pool->run->check->same || first_failure(pool) < p->n_cases) return;
    for (size_t i = 0; i < p->n_cases; i++) {
        size_t order = plan_order(p, i);
        if (p->has_bounded && i == p->n_cases - 1) break;
        struct job *job = &pool->jobs[i];
        const struct job *first = &pool->jobs[i - order * p->n_combinations];
        if (!job->ran || !first->ran || job->result.left == first->result.left)
            continue;
        outcome_add(case_fail(&job->planned.spec, &job->result),
                    FACT(SAME_SCHEDULE, {V(first->planned.schedule)}));
        take_verdict(pool, job, i);
        return;
    }
}

/* The share of a group's points: of answers all or nothing, or what is left of
 * a slip; of counts and times what each size earns. */
static void group_result(const struct pool *pool, size_t group,
                         struct group_result *g) {
    size_t wanted = 0;
    double sum = 0, least = 1;
    bool failed = false;
    for (size_t i = 0; i < pool->plan->n_cases; i++) {
        const struct job *job = &pool->jobs[i];
        if (!job->wanted || plan_group(pool->run, pool->plan, i) != group)
            continue;
        wanted++;
        bool passed = job->ran && job->result.verdict == CASE_PASS;
        bool slipped = job->ran && job->result.charged_by;
        double earned = passed ? 1 : job->ran ? job->result.earned : 0;
        sum += earned;
        if (!passed && !slipped) least = 0;
        if (earned < least) least = earned;
        if (!passed && !failed) g->tried = case_tried(&job->planned.spec);
        failed |= !passed;
    }
    g->ran = wanted > 0;
    enum check_kind kind = pool->run->check->kind;
    bool counts = kind == CHECK_EFFICIENT || kind == CHECK_FAST;
    g->earned = counts && wanted ? sum / (double)wanted : least;
    g->failed = failed;
}

/* Half a point counts as one; a failed check loses at least one. */
static int points_of(const struct check_run *r, double earned, bool failed) {
    int points = (int)floor(r->check->points * earned + 0.5);
    return failed && points > 0 && points == r->check->points ? points - 1
                                                              : points;
}

/* Where threads do not share the work of the largest sizes, no size earns
 * anything: that small sizes pass does not show that their work is shared. */
static void earn_nothing_unshared(const struct pool *pool,
                                  struct check_result *result) {
    struct group_result *last = &result->groups[result->n_groups - 1];
    bool shares = true;
    for (size_t i = 0; i < pool->plan->n_cases; i++) {
        const struct job *job = &pool->jobs[i];
        shares &= !job->ran || job->result.verdict != CASE_FAIL ||
                  !case_is_of_sharing(&job->result) ||
                  plan_group(pool->run, pool->plan, i) !=
                      pool->run->check->n_groups - 1;
    }
    for (struct group_result *g = result->groups; !shares && g < last; g++) {
        if (!g->failed) g->tried = last->tried;
        g->earned = 0;
        g->failed = true;
    }
    if (!shares) last->earned = 0;
}

/* false: no memory. */
static bool take_groups(const struct pool *pool, struct check_result *result) {
    const struct lab_check *c = pool->run->check;
    double all = 0, earned = 0;
    bool failed = false;
    result->groups = calloc(c->n_groups, sizeof *result->groups);
    if (!result->groups) return false;
    for (size_t g = 0; g < c->n_groups; g++) {
        struct group_result *group = &result->groups[result->n_groups];
        group->group = &c->groups[g];
        group_result(pool, g, group);
        result->n_groups += group->ran;
    }
    if (result->n_groups && (c->watch >> WIRE_WATCH_SHARED & 1))
        earn_nothing_unshared(pool, result);
    for (size_t g = 0; g < result->n_groups; g++) {
        const struct group_result *group = &result->groups[g];
        double points = c->groups[0].name ? group->group->points : 1;
        all += points;
        earned += points * group->earned;
        failed |= group->failed;
    }
    result->score = points_of(pool->run, all > 0 ? earned / all : 0, failed);
    return true;
}

/* Those that ran, each once; cases stand in their order. */
static void take_sizes(const struct pool *pool, struct check_result *result) {
    size_t n = pool->plan->n_cases;
    result->sizes = calloc(n + 1, sizeof *result->sizes);
    for (size_t i = 0; result->sizes && i < n; i++) {
        const struct job *job = &pool->jobs[i];
        size_t *last =
            result->n_sizes ? &result->sizes[result->n_sizes - 1] : NULL;
        if (!job->ran || is_known(pool, i) ||
            (last && *last >= job->planned.spec.n))
            continue;
        result->sizes[result->n_sizes++] = job->planned.spec.n;
    }
}

/* A function that is wrong where memory keeps all accesses in order is no case
 * for fences, though they may change when it is. */
static void doubt_memory(const struct check_run *r, struct diagnosis *d) {
    if (r->wrong_in && d && d->shape.row == FACT_WEAK_ONLY)
        d->cause_fits = false;
}

static enum check_outcome take_failure(const struct pool *pool, size_t bad,
                                       struct check_result *result,
                                       struct check_rest *rest) {
    const struct check_run *r = pool->run;
    const struct case_spec *spec = &pool->jobs[bad].planned.spec;
    struct case_result *c = &pool->jobs[bad].result;
    struct case_spec in_that_order;
    struct lab_check its_check;
    if (c->is_of_that_order) {
        case_in_that_order(spec, &in_that_order, &its_check);
        spec = &in_that_order;
    }
    *rest = (struct check_rest){c->output, c->trouble};
    c->output = c->trouble = NULL;
    if (c->verdict == CASE_ENVIRONMENT) return CHECK_ENVIRONMENT;
    if (r->check->kind != CHECK_FAST) {
        reruns_look(spec, c);
        doubt_memory(r, c->outcome.difference);
        step_view_take(spec, c, r->steps_left, r->lines_left);
        step_view_banks(spec, &result->measured, c, r->steps_left);
        step_view_writer(spec, c, r->lines_left);
        step_view_lineage(spec, c, r->lines_left);
    }
    result->status = STATUS_FAIL;
    result->outcome = c->outcome;
    c->outcome = (struct outcome){0};
    ran_add(&c->ran, &result->outcome.ran);
    result->charged_by = c->charged_by;
    if (c->verdict != CASE_TODO) return CHECK_DONE;
    result->score = 0;
    return CHECK_TODO;
}

static void take_pass(const struct pool *pool, struct check_result *result,
                      struct check_rest *rest) {
    size_t n = pool->plan->n_cases, ran = 0;
    const struct check_run *r = pool->run;
    if (r->check->watch && !r->watched_library)
        outcome_add(&result->outcome, FACT(NOT_WATCHED, {V(r->lab->source)}));
    for (size_t i = 0; i < n; i++) {
        struct case_result *c = &pool->jobs[i].result;
        ran += pool->jobs[i].ran;
        if (!rest->output) {
            rest->output = c->output;
            c->output = NULL;
        }
        if (c->calls && !result->outcome.n_facts)
            outcome_add(&result->outcome,
                        FACT(CALLS_LEFT, {V(c->calls), V(c->failed)}));
    }
    result->status = ran ? STATUS_PASS : STATUS_SKIP;
    if (!ran) outcome_add(&result->outcome, FACT(NO_CASE));
}

/* Takes what was measured in the case that the report is about, or else in the
 * last one. */
static void take_counts(const struct pool *pool, size_t bad,
                        struct check_result *result) {
    size_t n = pool->plan->n_cases;
    for (size_t i = 0; i < n && i <= bad; i++)
        take_measured(&pool->jobs[i].result.measured, &result->measured);
}

static void note_passed(const struct pool *pool) {
    struct ran_lines *passed = pool->run->passed;
    for (size_t i = 0; passed && i < pool->plan->n_cases; i++)
        if (pool->jobs[i].ran && pool->jobs[i].result.verdict == CASE_PASS)
            ran_count(&pool->jobs[i].result.ran, passed);
}

static enum check_outcome conclude(const struct pool *pool,
                                   struct check_result *result,
                                   struct check_rest *rest) {
    size_t bad = worst_failure(pool);
    /* A case that could not be run decides, whatever failed before it. */
    for (size_t i = bad; i < pool->plan->n_cases; i++)
        if (decides(pool, i) &&
            pool->jobs[i].result.verdict == CASE_ENVIRONMENT &&
            !is_known(pool, i))
            bad = i;
    note_passed(pool);
    if (!take_groups(pool, result)) return CHECK_ENVIRONMENT;
    take_sizes(pool, result);
    take_counts(pool, bad, result);
    bool failed = bad < pool->plan->n_cases;
    if (failed && pool->run->earns_or_not && !result->score &&
        pool->jobs[bad].result.verdict != CASE_ENVIRONMENT)
        return CHECK_NOTHING;
    if (failed) return take_failure(pool, bad, result, rest);
    if (atomic_load(&pool->cut)) {
        result->status = STATUS_SKIP;
        result->score = 0;
        outcome_add(&result->outcome, check_not_reached(pool->run));
    } else {
        take_pass(pool, result, rest);
    }
    return CHECK_DONE;
}

static enum check_outcome run_cases(const struct check_run *r,
                                    const struct plan *p,
                                    struct check_result *result,
                                    struct check_rest *rest) {
    size_t groups = r->check->n_groups;
    struct pool pool = {.run = r,
                        .plan = p,
                        .jobs = calloc(p->n_cases + 1, sizeof *pool.jobs),
                        .first_bad = calloc(groups, sizeof *pool.first_bad),
                        .stopped = p->n_cases,
                        .showing = PTHREAD_MUTEX_INITIALIZER};
    enum check_outcome outcome = CHECK_ENVIRONMENT;
    if (pool.jobs && pool.first_bad) {
        for (size_t g = 0; g < groups; g++)
            atomic_init(&pool.first_bad[g], p->n_cases);
        work_together(&pool);
        compare_schedules(&pool);
        outcome = conclude(&pool, result, rest);
    }
    for (size_t i = 0; pool.jobs && i < p->n_cases; i++)
        case_result_free(&pool.jobs[i].result);
    free(pool.first_bad);
    free(pool.jobs);
    return outcome;
}

enum check_outcome check_run(const struct check_run *r,
                             struct check_result *result,
                             struct check_rest *rest) {
    struct plan plan;
    long long start = clock_ms();
    enum check_outcome outcome = CHECK_ENVIRONMENT;
    *rest = (struct check_rest){0};
    result->ran = true;
    result->device = r->device;
    if (plan_open(&plan, r)) outcome = run_cases(r, &plan, result, rest);
    result->seconds = (double)(clock_ms() - start) / 1000;
    plan_close(&plan);
    return outcome;
}

void check_run_on_gpu_too(const struct check_run *run, struct check_result *r,
                          struct check_rest *rest) {
    struct judge_options once = *run->options;
    struct check_run again = *run;
    struct check_result on_gpu = {.check = r->check};
    if (!once.has_n) once.n = lab_check_largest(r->check);
    once.has_n = true;
    once.schedule = NULL;
    again.options = &once;
    again.device = WIRE_GPU;
    struct check_rest left;
    enum check_outcome outcome = check_run(&again, &on_gpu, &left);
    if (outcome == CHECK_DONE && on_gpu.status == STATUS_FAIL) {
        struct check_result gone = *r;
        struct check_rest unused = *rest;
        *r = on_gpu;
        *rest = left;
        on_gpu = gone;
        left = unused;
    }
    check_result_free(&on_gpu);
    check_rest_free(&left);
}
