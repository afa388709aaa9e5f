/* SPDX-License-Identifier: MIT
 *
 * check.c: see check.h. Cases are counted over all sizes, schedules and thread
 * counts, smaller sizes first, whether filters leave them out or not: a case
 * keeps its number, and with it its seed and input, when it is run alone.
 *
 * Two cases run at a time, on the virtual GPU and on the host: each has a
 * device and a process of its own. Timed checks and a real GPU want to be
 * alone, and where memory is short each case is. The first failing case by
 * number decides, not the first by time.
 */
#include "check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"
#include "machine_memory.h"
#include "reruns.h"
#include "run_case.h"
#include "step_view.h"
#include "fast.h"
#include "time_limit.h"

enum { SCHEDULE_BYTES = 64, AT_A_TIME = 2 };

/* ---- what there is to run ---- */

struct job {
    struct case_spec spec;
    char schedule[SCHEDULE_BYTES], memory_model[SCHEDULE_BYTES];
    bool wanted;
    struct pool *pool;
    atomic_bool done;
    struct case_result result;
};

struct plan {
    const size_t *sizes; /* the check's, or the one that was asked for */
    size_t n_sizes;
    size_t *order; /* indices of sizes, smallest first */
    size_t n_schedules;
    size_t n_combinations; /* of parameters */
    size_t n_cases;
    bool has_bounded; /* the last case: a correct check's under its clock */
};

static bool plan_open(struct plan *p, const struct check_run *r) {
    const struct lab_check *c = r->check;
    bool vgpu = r->device == WIRE_VGPU;
    *p = (struct plan){.sizes = c->sizes, .n_sizes = c->n_sizes};
    bool other = r->options->has_n && !lab_check_has_size(c, r->options->n);
    if (other) {
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
    p->has_bounded =
        !other && vgpu && c->kind == CHECK_CORRECT && c->clock.name;
    p->n_cases =
        p->n_sizes * p->n_schedules * p->n_combinations + p->has_bounded;
    return true;
}

/* "random" alone takes a seed from the case. */
static void schedule_of(const struct check_run *r, size_t index, uint64_t seed,
                        char text[SCHEDULE_BYTES]) {
    const char *name =
        r->check->n_schedules ? r->check->schedules[index] : "in-order";
    if (strcmp(name, "random") == 0)
        snprintf(text, SCHEDULE_BYTES, "random:%" PRIu64,
                 inputs_seed(seed, "schedule", index) & UINT32_MAX);
    else
        snprintf(text, SCHEDULE_BYTES, "%s", name);
}

/* The schedule asked for replaces the check's of the same kind, or its first.
 */
static bool schedule_wanted(const struct check_run *r, size_t index,
                            char text[SCHEDULE_BYTES]) {
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
    snprintf(text, SCHEDULE_BYTES, "%s", wanted);
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

/* The size that runs under the clock. */
static size_t clocked(const struct plan *p, const struct lab_check *c) {
    size_t size = p->order[p->n_sizes - 1];
    for (size_t i = 0; i < p->n_sizes; i++)
        if (c->clock_size && p->sizes[i] == c->clock_size) size = i;
    return size;
}

/* Case `index` of the plan; false: filtered out. */
static bool case_of(const struct check_run *r, const struct plan *p,
                    size_t index, struct job *job) {
    const struct lab_check *c = r->check;
    struct case_spec *spec = &job->spec;
    bool bounded = p->has_bounded && index == p->n_cases - 1;
    size_t combination = index % p->n_combinations;
    size_t order = index / p->n_combinations % p->n_schedules;
    size_t size = index / p->n_combinations / p->n_schedules;
    size = bounded ? clocked(p, c) : p->order[size];
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
                               .n = p->sizes[size],
                               .schedule = job->schedule,
                               .seed = seed,
                               .limit_ms = r->limit_ms,
                               .device = r->device};
    lab_check_combination(c, combination, &spec->parameters);
    schedule_of(r, order, seed, job->schedule);
    if (bounded || c->kind == CHECK_EFFICIENT) spec->clock = c->clock.name;
    if (c->memory_model == LAB_MEMORY_WEAK && !bounded) {
        snprintf(job->memory_model, sizeof job->memory_model, "weak:%" PRIu64,
                 inputs_seed(seed, "memory", order) & UINT32_MAX);
        spec->memory_model = job->memory_model;
    }
    return (!r->options->has_n || r->options->n == spec->n) &&
           parameters_wanted(r, &spec->parameters) &&
           (bounded ? !r->options->schedule
                    : schedule_wanted(r, order, job->schedule));
}

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

static void take_failure(const struct check_run *r, struct case_result *c,
                         struct check_result *result) {
    result->status = STATUS_FAIL;
    /* Half a point counts as one. */
    result->score =
        c->verdict == CASE_TODO ? 0 : (int)(r->check->points * c->earned + 0.5);
    result->outcome = c->outcome;
    c->outcome = (struct outcome){0};
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
    atomic_size_t next, first_bad; /* numbers; first_bad: n_cases for none */
    atomic_bool cut;               /* the grade's time was over */
    pthread_mutex_t showing;
};

static enum turn turn_of(void *user) {
    struct job *job = user;
    const struct pool *pool = job->pool;
    size_t index = (size_t)(job - pool->jobs);
    if (atomic_load(&pool->first_bad) < index) return TURN_OVER;
    for (size_t i = 0; i < index; i++)
        if (!atomic_load(&pool->jobs[i].done)) return TURN_WAIT;
    return TURN_GO_ON;
}

static void run_job(struct pool *pool, size_t index) {
    const struct check_run *r = pool->run;
    struct job *job = &pool->jobs[index];
    job->pool = pool;
    job->wanted = case_of(r, pool->plan, index, job);
    if (!job->wanted) {
        atomic_store(&job->done, true);
        return;
    }
    job->spec.turns = (struct turns){turn_of, job};
    pthread_mutex_lock(&pool->showing);
    show(r, pool->plan, index, &job->spec);
    pthread_mutex_unlock(&pool->showing);
    if (r->check->kind == CHECK_FAST)
        (r->device == WIRE_GPU ? fast_gpu_run : fast_run)(&job->spec,
                                                          &job->result);
    else
        case_run(&job->spec, &job->result);
    size_t bad = atomic_load(&pool->first_bad);
    while (job->result.verdict != CASE_PASS && index < bad &&
           !atomic_compare_exchange_weak(&pool->first_bad, &bad, index)) {
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

/* Cases before the first bad one are all run, those behind it need not be. */
static void *work(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        size_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= atomic_load(&pool->first_bad)) return NULL;
        if (check_is_over(pool->run)) {
            atomic_store(&pool->cut, true);
            return NULL;
        }
        run_job(pool, index);
    }
}

/* For cases that each take what they may, of the host and of a device. */
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

/* Other bits under another schedule: that case counts as the first bad one. */
static void compare_schedules(struct pool *pool) {
    const struct plan *p = pool->plan;
    if (!pool->run->check->same || pool->first_bad < p->n_cases) return;
    for (size_t i = 0; i < p->n_cases; i++) {
        size_t order = i / p->n_combinations % p->n_schedules;
        if (p->has_bounded && i == p->n_cases - 1) break;
        struct job *job = &pool->jobs[i];
        const struct job *first = &pool->jobs[i - order * p->n_combinations];
        if (!job->wanted || !first->wanted ||
            job->result.left == first->result.left)
            continue;
        outcome_add(case_fail(&job->spec, &job->result),
                    FACT(SAME_SCHEDULE, {V(first->schedule)}));
        pool->first_bad = i;
        return;
    }
}

static enum check_outcome conclude(const struct pool *pool,
                                   struct check_result *result,
                                   struct check_rest *rest) {
    const struct check_run *r = pool->run;
    size_t bad = pool->first_bad, n = pool->plan->n_cases, ran = 0;
    for (size_t i = 0; i < n && i <= bad; i++) {
        if (!pool->jobs[i].wanted) continue;
        ran++;
        take_measured(&pool->jobs[i].result.measured, &result->measured);
    }
    if (bad < n) {
        struct case_result *c = &pool->jobs[bad].result;
        *rest = (struct check_rest){c->output, c->trouble};
        c->output = c->trouble = NULL;
        if (c->verdict == CASE_ENVIRONMENT) return CHECK_ENVIRONMENT;
        if (r->check->kind != CHECK_FAST) {
            reruns_look(&pool->jobs[bad].spec, c);
            step_view_take(&pool->jobs[bad].spec, c, r->steps_left);
            step_view_writer(&pool->jobs[bad].spec, c);
        }
        take_failure(r, c, result);
        return c->verdict == CASE_TODO ? CHECK_TODO : CHECK_DONE;
    }
    if (atomic_load(&pool->cut)) {
        result->status = STATUS_SKIP;
        outcome_add(&result->outcome, check_not_reached(r));
        return CHECK_DONE;
    }
    for (size_t i = 0; i < n && !rest->output; i++) {
        rest->output = pool->jobs[i].result.output;
        pool->jobs[i].result.output = NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const struct case_result *c = &pool->jobs[i].result;
        if (c->calls && !result->outcome.n_facts)
            outcome_add(&result->outcome,
                        FACT(CALLS_LEFT, {V(c->calls), V(c->failed)}));
    }
    result->status = ran ? STATUS_PASS : STATUS_SKIP;
    result->score = ran ? r->check->points : 0;
    if (!ran) outcome_add(&result->outcome, FACT(NO_CASE));
    return CHECK_DONE;
}

static enum check_outcome run_cases(const struct check_run *r,
                                    const struct plan *p,
                                    struct check_result *result,
                                    struct check_rest *rest) {
    struct pool pool = {.run = r,
                        .plan = p,
                        .jobs = calloc(p->n_cases + 1, sizeof *pool.jobs),
                        .first_bad = p->n_cases,
                        .showing = PTHREAD_MUTEX_INITIALIZER};
    if (!pool.jobs) return CHECK_ENVIRONMENT;
    work_together(&pool);
    compare_schedules(&pool);
    enum check_outcome outcome = conclude(&pool, result, rest);
    for (size_t i = 0; i < p->n_cases; i++)
        case_result_free(&pool.jobs[i].result);
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
    free(plan.order);
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
