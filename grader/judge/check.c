/* SPDX-License-Identifier: MIT
 *
 * check.c: see check.h. Cases are counted over all sizes, schedules and thread
 * counts, smaller sizes first, whether filters leave them out or not: a case
 * keeps its number, and with it its seed and input, when it is run alone.
 *
 * Two cases run at a time, on the virtual GPU and on the host: each has a
 * device and a process of its own. Timed checks and a real GPU want to be
 * alone. The first failing case by number decides, not the first by time.
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
#include "fast.h"
#include "time_limit.h"

enum { SCHEDULE_BYTES = 64, AT_A_TIME = 2 };

/* ---- what there is to run ---- */

struct job {
    struct case_spec spec;
    char schedule[SCHEDULE_BYTES], memory_model[SCHEDULE_BYTES];
    bool wanted;
    struct case_result result;
};

struct plan {
    size_t *order; /* indices of sizes, smallest first */
    size_t n_schedules;
    size_t n_combinations; /* of parameters */
    size_t n_cases;
};

static bool plan_open(struct plan *p, const struct check_run *r) {
    const struct lab_check *c = r->check;
    bool vgpu = r->device == WIRE_VGPU;
    *p = (struct plan){.order = calloc(c->n_sizes + 1, sizeof *p->order)};
    if (!p->order) return false;
    for (size_t i = 0; i < c->n_sizes; i++) {
        size_t at = i;
        for (; at > 0 && c->sizes[p->order[at - 1]] > c->sizes[i]; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
    p->n_schedules = vgpu && c->n_schedules ? c->n_schedules : 1;
    p->n_combinations = 1;
    for (int i = 0; i < N_PARAMETERS; i++)
        p->n_combinations *= c->parameters[i].n ? c->parameters[i].n : 1;
    p->n_cases = c->n_sizes * p->n_schedules * p->n_combinations;
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

/* One value of each parameter; the last one changes fastest. */
static void parameters_of(const struct lab_check *c, size_t combination,
                          struct parameters *p) {
    parameters_usual(p);
    for (int i = N_PARAMETERS; i-- > 0;) {
        const struct int_list *list = &c->parameters[i];
        if (list->n == 0) continue;
        p->value[i] = list->values[combination % list->n];
        combination /= list->n;
    }
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

/* Case `index` of the plan; false: filtered out. */
static bool case_of(const struct check_run *r, const struct plan *p,
                    size_t index, struct job *job) {
    const struct lab_check *c = r->check;
    struct case_spec *spec = &job->spec;
    size_t combination = index % p->n_combinations;
    size_t order = index / p->n_combinations % p->n_schedules;
    size_t size = p->order[index / p->n_combinations / p->n_schedules];
    char *label = text_format("%s/%s", r->lab->id, c->id);
    /* Under another schedule, the same input where the same bits are asked. */
    uint64_t seed =
        inputs_seed(r->options->seed, label ? label : c->id,
                    c->same ? index - order * p->n_combinations : index);
    free(label);
    *spec = (struct case_spec){.world = r->world,
                               .lab = r->lab,
                               .check = c,
                               .library = r->library,
                               .n = c->sizes[size],
                               .schedule = job->schedule,
                               .seed = seed,
                               .device = r->device};
    parameters_of(c, combination, &spec->parameters);
    schedule_of(r, order, seed, job->schedule);
    if (c->memory_model == LAB_MEMORY_WEAK) {
        snprintf(job->memory_model, sizeof job->memory_model, "weak:%" PRIu64,
                 inputs_seed(seed, "memory", order) & UINT32_MAX);
        spec->memory_model = job->memory_model;
    }
    return (!r->options->has_n || r->options->n == spec->n) &&
           parameters_wanted(r, &spec->parameters) &&
           schedule_wanted(r, order, job->schedule);
}

/* ---- texts ---- */

static char *copy(const char *text) {
    return text && *text ? text_format("%s", text) : NULL;
}

char *check_reproduce(const struct check_run *r, const struct case_spec *s) {
    struct text t = {0};
    text_add(&t, "%s grade %s --check %s --seed %" PRIu64 " --submission %s",
             r->program, r->lab->id, r->check->id, r->options->seed,
             r->options->submission);
    if (r->options->labs_folder)
        text_add(&t, " --labs %s", r->options->labs_folder);
    if (r->options->arch) text_add(&t, " --arch %d", r->options->arch);
    if (lab_check_needs_gpu(r->lab, r->check))
        text_add(&t, " --fast");
    else if (r->device == WIRE_GPU)
        text_add(&t, " --device gpu");
    if (s) text_add(&t, " -n %zu", s->n);
    if (s && r->device == WIRE_VGPU && strcmp(s->schedule, "in-order") != 0)
        text_add(&t, " --schedule %s", s->schedule);
    for (enum parameter p = 0; s && p < N_PARAMETERS; p++) {
        char value[24];
        if (r->check->parameters[p].n < 2) continue;
        parameter_print(p, s->parameters.value[p], value, sizeof value);
        text_add(&t, " --set %s=%s", parameter_name(p), value);
    }
    return t.bytes;
}

static void tell(const struct check_run *r, const struct plan *p, size_t index,
                 const struct case_spec *s) {
    char text[CASE_WORDS];
    struct judge_progress step = {.lab = r->lab->id,
                                  .check = r->check->id,
                                  .case_index = index,
                                  .n_cases = p->n_cases,
                                  .text = text};
    if (!r->options->progress) return;
    case_describe(s, text, sizeof text);
    r->options->progress(r->options->user, &step);
}

static void take_failure(const struct check_run *r, const struct case_spec *s,
                         struct case_result *c, struct check_result *result) {
    bool todo = c->verdict == CASE_TODO;
    result->status = STATUS_FAIL;
    /* Half a point counts as one. */
    result->score = todo ? 0 : (int)(r->check->points * c->earned + 0.5);
    free(result->message);
    result->message = c->message;
    result->where = c->where;
    result->cause = todo ? NULL : c->cause ? c->cause : copy(r->check->cause);
    if (!result->cause || result->cause != c->cause) free(c->cause);
    result->read = copy(r->check->read);
    result->reproduce = check_reproduce(r, todo ? NULL : s);
    c->message = c->where = c->cause = NULL;
}

static void keep(char **place, char **from) {
    if (!*from) return;
    free(*place);
    *place = *from;
    *from = NULL;
}

/* ---- run ---- */

static const char trust_clock[] =
    "timed by the judge's clock, in turns with the baseline; output checked "
    "after each call";
static const char trust_fast_gpu[] = "on a real GPU, timed by the judge's "
                                     "clock from a change of the input, made "
                                     "by another process, to a look at the "
                                     "output by that process; in turns with "
                                     "the baseline, which goes the same way";
static const char trust_gpu[] =
    "on a real GPU the submission shares a process with its device, and what "
    "it "
    "copies to the host is not counted; inputs, answers and comparison are the "
    "judge's";

/* What the workers of one check share. */
struct pool {
    const struct check_run *run;
    const struct plan *plan;
    struct job *jobs;
    atomic_size_t next, first_bad; /* numbers; first_bad: n_cases for none */
    pthread_mutex_t telling;
};

static void run_job(struct pool *pool, size_t index) {
    const struct check_run *r = pool->run;
    struct job *job = &pool->jobs[index];
    job->wanted = case_of(r, pool->plan, index, job);
    if (!job->wanted) return;
    pthread_mutex_lock(&pool->telling);
    tell(r, pool->plan, index, &job->spec);
    pthread_mutex_unlock(&pool->telling);
    if (r->check->kind == CHECK_FAST)
        (r->device == WIRE_GPU ? fast_gpu_run : fast_run)(&job->spec,
                                                          &job->result);
    else
        case_run(&job->spec, &job->result);
    size_t bad = atomic_load(&pool->first_bad);
    while (job->result.verdict != CASE_PASS && index < bad &&
           !atomic_compare_exchange_weak(&pool->first_bad, &bad, index)) {
    }
}

/* Cases before the first bad one are all run, those behind it need not be. */
static void *work(void *argument) {
    struct pool *pool = argument;
    for (;;) {
        size_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= atomic_load(&pool->first_bad)) return NULL;
        run_job(pool, index);
    }
}

static void work_together(struct pool *pool) {
    const struct check_run *r = pool->run;
    bool alone = r->check->kind == CHECK_FAST || r->device == WIRE_GPU ||
                 sysconf(_SC_NPROCESSORS_ONLN) < 2;
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
        struct job *job = &pool->jobs[i];
        const struct job *first = &pool->jobs[i - order * p->n_combinations];
        char what[CASE_WORDS];
        if (!job->wanted || !first->wanted ||
            job->result.left == first->result.left)
            continue;
        case_describe(&job->spec, what, sizeof what);
        job->result.verdict = CASE_FAIL;
        job->result.message = text_format(
            "%s: other bits than under schedule %s for the same input: the "
            "order of additions depends on which block comes first",
            what, first->schedule);
        pool->first_bad = i;
        return;
    }
}

static enum check_outcome conclude(const struct pool *pool,
                                   struct check_result *result, char **output) {
    const struct check_run *r = pool->run;
    size_t bad = pool->first_bad, n = pool->plan->n_cases, ran = 0;
    for (size_t i = 0; i < n && i <= bad; i++) {
        if (!pool->jobs[i].wanted) continue;
        ran++;
        if (r->options->verbose)
            keep(&result->detail, &pool->jobs[i].result.detail);
    }
    if (bad < n) {
        struct case_result *c = &pool->jobs[bad].result;
        enum case_verdict verdict = c->verdict;
        keep(output, &c->output);
        if (verdict == CASE_WORLD)
            keep(&result->message, &c->message);
        else
            take_failure(r, &pool->jobs[bad].spec, c, result);
        return verdict == CASE_WORLD  ? CHECK_WORLD
               : verdict == CASE_TODO ? CHECK_TODO
                                      : CHECK_DONE;
    }
    result->status = ran ? STATUS_PASS : STATUS_SKIP;
    result->score = ran ? r->check->points : 0;
    result->message =
        text_format("%s", ran ? "" : "no case of it was asked for");
    return CHECK_DONE;
}

static enum check_outcome run_cases(const struct check_run *r,
                                    const struct plan *p,
                                    struct check_result *result,
                                    char **output) {
    struct pool pool = {.run = r,
                        .plan = p,
                        .jobs = calloc(p->n_cases + 1, sizeof *pool.jobs),
                        .first_bad = p->n_cases,
                        .telling = PTHREAD_MUTEX_INITIALIZER};
    if (!pool.jobs) {
        result->message = text_format("out of memory");
        return CHECK_WORLD;
    }
    work_together(&pool);
    compare_schedules(&pool);
    enum check_outcome outcome = conclude(&pool, result, output);
    for (size_t i = 0; i < p->n_cases; i++)
        case_result_free(&pool.jobs[i].result);
    free(pool.jobs);
    return outcome;
}

enum check_outcome check_run(const struct check_run *r,
                             struct check_result *result, char **output) {
    struct plan plan;
    long long start = clock_ms();
    enum check_outcome outcome = CHECK_WORLD;
    if (plan_open(&plan, r))
        outcome = run_cases(r, &plan, result, output);
    else
        result->message = text_format("out of memory");
    if (r->check->kind == CHECK_FAST)
        result->trust =
            copy(r->device == WIRE_GPU ? trust_fast_gpu : trust_clock);
    else if (r->device == WIRE_GPU)
        result->trust = copy(trust_gpu);
    result->seconds = (double)(clock_ms() - start) / 1000;
    free(plan.order);
    return outcome;
}
