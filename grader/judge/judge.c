/* SPDX-License-Identifier: MIT
 *
 * judge.c: see judge.h. The rules of a grade: which labs and checks run, what a
 * failed parent, a function not yet written or a file that does not build means
 * for the others. Checks run one after the other, since one may need another.
 */
#include "judge.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "check.h"
#include "compile.h"
#include "host.h"
#include "profile.h"
#include "real_gpu.h"
#include "record_runs.h"
#include "repairs.h"
#include "shown.h"
#include "spots.h"
#include "step_view.h"
#include "time_limit.h"
#include "walls_words.h"

struct session {
    const struct judge_options *options;
    struct host host;
    struct sources sources; /* the submission's */
    bool use_gpu;           /* the real one alone */
    bool also_gpu;          /* beside the virtual one */
    enum gpu_note gpu_note;
    const struct lab **labs; /* those to be graded */
    struct compiled *compiled;
    size_t n_labs;
    long long until; /* the grade's end by clock_ms; 0: none */
    size_t steps_left;
    struct step_view_left lines_left;
    struct repairs repairs;
    char *error;
};

/* ---- which labs ---- */

static bool named(const struct judge_options *o, const char *id) {
    for (size_t i = 0; i < o->n_labs; i++)
        if (strcmp(o->labs[i], id) == 0) return true;
    return o->n_labs == 0;
}

static bool choose_labs(struct session *s, struct lab **labs, size_t n) {
    s->labs = calloc(n + 1, sizeof *s->labs);
    s->compiled = calloc(n + 1, sizeof *s->compiled);
    if (!s->labs || !s->compiled) return false;
    for (size_t i = 0; i < n; i++)
        if (named(s->options, labs[i]->id)) s->labs[s->n_labs++] = labs[i];
    if (s->n_labs) return true;
    snprintf(s->error, JUDGE_ERROR_BYTES, "no lab of that name");
    return false;
}

/* ---- set-up ---- */

static bool folder_there(struct session *s) {
    DIR *folder = opendir(s->options->submission);
    if (folder) {
        closedir(folder);
        return true;
    }
    snprintf(s->error, JUDGE_ERROR_BYTES, "cannot read the submission %s: %s",
             s->options->submission, strerror(errno));
    return false;
}

static bool fast_possible(struct session *s, const char *device) {
    const char *why =
        strcmp(device, "vgpu") == 0 ? "--device vgpu leaves it out"
        : !s->host.gpu ? "there is none here (nvidia-smi names none)"
        : !s->host.toolkit
            ? "the CUDA runtime library was not found beside nvcc"
            : NULL;
    if (why)
        snprintf(s->error, JUDGE_ERROR_BYTES,
                 "--fast times on a real GPU, but %s; without --fast these "
                 "checks are no part of the grade",
                 why);
    return why == NULL;
}

/* A check that was named, and is timed on a GPU, without --fast. */
static bool asked_for_fast(struct session *s) {
    for (size_t i = 0; s->options->check && i < s->n_labs; i++)
        for (size_t k = 0; k < s->labs[i]->n_checks; k++) {
            const struct lab_check *c = &s->labs[i]->checks[k];
            if (s->options->fast || strcmp(c->id, s->options->check) != 0 ||
                !lab_check_needs_gpu(s->labs[i], c))
                continue;
            snprintf(s->error, JUDGE_ERROR_BYTES,
                     "check %s of lab %s is timed on a real GPU and part of a "
                     "grade only with --fast",
                     c->id, s->labs[i]->id);
            return false;
        }
    return true;
}

/* A real GPU that nobody asked for by name is left out where it must not be
 * used, and the report says so. */
static bool gpu_for_this(struct session *s) {
    char why[REAL_GPU_BYTES];
    bool root = geteuid() == 0;
    if (real_gpu_may(s->options, &s->host.walled, why)) {
        s->gpu_note = root ? GPU_AS_ROOT : GPU_NO_NOTE;
        return true;
    }
    s->also_gpu = false;
    s->gpu_note = GPU_LEFT_OUT;
    if (s->use_gpu || s->options->fast)
        snprintf(s->error, JUDGE_ERROR_BYTES, "%s", why);
    return !s->use_gpu && !s->options->fast;
}

static bool choose_device(struct session *s) {
    const char *device = s->options->device ? s->options->device : "auto";
    s->use_gpu = strcmp(device, "gpu") == 0;
    if (!host_open(&s->host, s->options->root, s->options->build_folder,
                   strcmp(device, "vgpu") != 0, s->error))
        return false;
    s->host.environment.arch = s->options->arch;
    s->host.environment.weaker_walls = s->options->weaker_walls;
    s->also_gpu = !s->use_gpu && s->host.gpu && s->host.toolkit;
    if (s->options->fast && !fast_possible(s, device)) return false;
    if (s->host.gpu && s->host.toolkit) return gpu_for_this(s);
    if (!s->use_gpu) return true;
    if (!s->host.gpu)
        snprintf(s->error, JUDGE_ERROR_BYTES,
                 "--device gpu: no GPU here (nvidia-smi names none); without "
                 "--device the virtual GPU judges");
    else if (!s->host.toolkit)
        snprintf(
            s->error, JUDGE_ERROR_BYTES,
            "--device gpu: the CUDA runtime library was not found beside nvcc");
    return false;
}

static bool look_at_walls(struct session *s, struct grade *out) {
    out->walls_of_build = s->host.walled.stands;
    walled_of_run(&s->host.walled, s->use_gpu || s->also_gpu,
                  &out->walls_of_run);
    char *missing =
        s->options->require_walls
            ? walls_missing(&out->walls_of_build, &out->walls_of_run)
            : NULL;
    if (missing)
        snprintf(s->error, JUDGE_ERROR_BYTES,
                 "--require-walls: missing on this machine %s; see "
                 "docs/robustness.md",
                 missing);
    free(missing);
    return missing == NULL;
}

static void tell_compiling(void *user, const struct lab *lab,
                           const char *text) {
    const struct judge_options *o = user;
    struct judge_progress step = {.lab = lab->id, .text = text};
    if (o->progress) o->progress(o->user, &step);
}

static struct compile_settings settings_of(struct session *s) {
    return (struct compile_settings){
        .root = s->host.root,
        .submission = s->options->submission,
        .build_folder = s->host.build_folder,
        .walled = &s->host.walled,
        .cache = s->options->cache,
        .cache_mib = (unsigned)s->options->cache_mib,
        .wants_watched = true,
        .arch = s->options->arch,
        .capability = s->host.capability,
        .limit_ms = (unsigned)(s->options->compile_limit_s * 1000),
        .slowness = s->host.environment.slowness,
        .until = s->until,
        .progress = tell_compiling,
        .user = (void *)s->options,
        .read = &s->sources};
}

static bool compile(struct session *s) {
    const struct compile_settings settings = settings_of(s);
    return compile_labs(&settings, (struct lab *const *)s->labs, s->n_labs,
                        s->compiled, s->error);
}

/* ---- one lab ---- */

struct lab_run {
    struct session *session;
    struct grade *grade; /* so far */
    const struct lab *lab;
    const struct compiled *compiled;
    struct lab_result *result;
    struct ran_lines passed; /* lines that cases ran which passed */
    bool *todo, *works;      /* per function: it says "not implemented yet", and
                                did so from the first check on; it has passed one */
    char **wrong_in;         /* per function: a schedule in which it
                                failed a correct check; NULL: none */
    struct known known;
    const struct lab_check *late; /* the first that ran out of time */
    unsigned n_late;
    bool loads_late;    /* time ran out while its library was loaded */
    bool failed_output; /* the result's is of a check that failed */
};

static void decide(struct check_result *r, enum check_status status,
                   struct fact why) {
    r->status = status;
    outcome_add(&r->outcome, why);
}

static struct check_result *result_of(const struct lab_run *l, int check) {
    for (size_t i = 0; i < l->result->n_checks; i++)
        if (l->result->checks[i].check == &l->lab->checks[check])
            return &l->result->checks[i];
    return NULL;
}

/* The check that this one builds on. Skips parents that are not run at the size
 * that was asked for. */
static const struct check_result *parent_of(const struct lab_run *l,
                                            const struct check_result *r) {
    bool passed_over;
    do {
        int parent = r->check->parent;
        r = parent >= 0 ? result_of(l, parent) : NULL;
        passed_over = r && r->status == STATUS_SKIP &&
                      r->outcome.facts[0].row == FACT_OTHER_SIZE;
    } while (passed_over);
    return r;
}

/* Of those that it builds on, the nearest that was run and failed. */
static const struct check_result *failed_parent(const struct lab_run *l,
                                                const struct check_result *r) {
    do r = parent_of(l, r);
    while (r && r->status == STATUS_SKIP);
    return r && r->status == STATUS_FAIL ? r : NULL;
}

/* Counts of wrong answers earn something (charged.c), but where nothing ends.
 * Counts that earned nothing are another matter: those behind them are skipped.
 */
static bool counts_all_the_same(const struct lab_run *l,
                                const struct check_result *r) {
    const struct check_result *p = failed_parent(l, r);
    return r->check->kind == CHECK_EFFICIENT && p &&
           p->check->kind != CHECK_EFFICIENT && !check_is_todo(p) &&
           !outcome_is_late(&p->outcome);
}

/* The parent earned nothing, or was skipped for that, and this check calls the
 * same function: it could say nothing new. Checks of other functions run. */
static bool says_nothing_new(const struct lab_run *l,
                             const struct check_result *r) {
    const struct check_result *p = parent_of(l, r);
    return !counts_all_the_same(l, r) && p && p != r &&
           p->status != STATUS_PASS && p->score == 0 && !p->charged_by &&
           p->check->points > 0 && p->check->function == r->check->function &&
           (p->status == STATUS_FAIL || p->outcome.facts[0].row == FACT_NEEDS);
}

static bool asks_for_answers(const struct lab_check *c) {
    return (c->kind == CHECK_CORRECT || c->kind == CHECK_CLEAN) && !c->errors &&
           !c->refused;
}

/* A check of answers, whose sizes may be others than those that are wrong:
 * where the one that it builds on gives wrong answers for all of its own, it is
 * run, and skipped only if it earns nothing. What would take too long again is
 * not tried; nor is what builds on a check of the lab's idea. */
static bool may_earn(const struct lab_run *l, const struct check_result *r) {
    const struct check_result *p = parent_of(l, r);
    const struct lab_check *c = r->check;
    return p && p->status == STATUS_FAIL && p->ran && !check_is_todo(p) &&
           p->outcome.difference && asks_for_answers(p->check) &&
           asks_for_answers(c) && !outcome_is_late(&p->outcome) &&
           !l->todo[c->function];
}

static struct fact not_built(const struct lab_run *l) {
    switch (l->compiled->state) {
    case LAB_NOT_HANDED_IN: return FACT(NOT_HANDED_IN, {V(l->lab->source)});
    case LAB_NEEDS_LOOK: return FACT(NEEDS_LOOK, {V(l->lab->source)});
    default: return FACT(NOT_COMPILED, {V(l->lab->source)});
    }
}

/* Decides the check, if possible, without running a case. */
static bool decided(const struct lab_run *l, const struct check_run *run,
                    struct check_result *r) {
    const struct lab_check *check = r->check;
    const size_t *n = run->options->has_n ? &run->options->n : NULL;
    struct fact too_old;
    const char *symbol = l->lab->functions[check->function].symbol;
    if (check_is_over(run)) {
        decide(r, STATUS_SKIP, check_not_reached(run));
    } else if (l->compiled->error) {
        decide(r, STATUS_FAIL, not_built(l));
    } else if (l->loads_late) {
        decide(r, STATUS_SKIP, FACT(LATE_AGAIN, {V(l->late->id)}));
    } else if (says_nothing_new(l, r) && !may_earn(l, r)) {
        decide(r, STATUS_SKIP, FACT(NEEDS, {V(parent_of(l, r)->check->id)}));
    } else if (l->todo[check->function]) {
        decide(r, STATUS_FAIL, FACT(NOT_IMPLEMENTED, {V(symbol)}));
    } else if (n && !lab_check_takes_size(l->lab, check, *n)) {
        char *sizes = lab_check_sizes(check);
        decide(r, STATUS_SKIP, FACT(OTHER_SIZE, {V(*n), V(sizes)}));
        free(sizes);
    } else if (run->device == WIRE_VGPU &&
               profile_too_old(
                   profile_name(check->profile, run->environment->arch),
                   run->environment->arch, &too_old)) {
        decide(r, STATUS_SKIP, too_old);
    } else if (run->device == WIRE_GPU &&
               (check->kind == CHECK_CLEAN || check->kind == CHECK_EFFICIENT ||
                check->errors)) {
        decide(r, STATUS_SKIP, FACT(VIRTUAL_ONLY));
    } else {
        return false;
    }
    return true;
}

/* Notes the first check that ran out of time: a later one's message would be
 * the same. */
static void note_late(struct lab_run *l, struct check_result *r) {
    if (r->status != STATUS_FAIL || !outcome_is_late(&r->outcome)) return;
    /* What students are not to see changes nothing that they see. */
    if (r->check->visibility > VISIBILITY_VISIBLE) return;
    if (l->n_late++ == 0) {
        l->late = r->check;
        l->loads_late = outcome_loads_late(&r->outcome);
    } else if (!r->score) {
        outcome_free(&r->outcome);
        decide(r, STATUS_SKIP, FACT(LATE_AGAIN, {V(l->late->id)}));
    }
}

/* Keeps what the first failing check printed, or else the first output of any
 * check. */
static void keep_output(struct lab_run *l, const struct check_result *r,
                        struct check_rest *rest) {
    bool failed = r->status == STATUS_FAIL;
    if (!rest->output || l->failed_output || (!failed && l->result->output) ||
        r->check->visibility > VISIBILITY_VISIBLE)
        return;
    free(l->result->output);
    l->result->output = rest->output;
    rest->output = NULL;
    l->failed_output = failed;
}

/* Notes the schedule of the first group that failed, and rather one that is not
 * the usual order. */
static void note_order(struct lab_run *l, const struct check_result *r) {
    static const char usual[] = "in-order";
    char **order = &l->wrong_in[r->check->function];
    if (r->check->kind != CHECK_CORRECT || r->check->memory_model ||
        r->check->errors)
        return;
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct group_result *g = &r->groups[i];
        const char *schedule = *g->tried.schedule ? g->tried.schedule : usual;
        bool better = !*order || (strcmp(*order, usual) == 0 &&
                                  strcmp(schedule, usual) != 0);
        if (!g->failed || g->earned >= 1 || !better) continue;
        free(*order);
        *order = text_format("%s", schedule);
    }
}

static struct check_run run_of(struct lab_run *l,
                               const struct check_result *r) {
    struct session *s = l->session;
    bool gpu = s->use_gpu || lab_check_needs_gpu(l->lab, r->check);
    enum wire_device device = l->lab->language == LAB_C ? WIRE_HOST
                              : gpu                     ? WIRE_GPU
                                                        : WIRE_VGPU;
    return (struct check_run){.options = s->options,
                              .environment = &s->host.environment,
                              .lab = l->lab,
                              .check = r->check,
                              .library = l->compiled->library,
                              .watched_library = l->compiled->watched,
                              .steps_left = &s->steps_left,
                              .lines_left = &s->lines_left,
                              .passed = &l->passed,
                              .device = device,
                              .earns_or_not = says_nothing_new(l, r),
                              .was_wrong = counts_all_the_same(l, r),
                              .wrong_in = l->wrong_in[r->check->function],
                              .known = &l->known,
                              .n_late = l->n_late,
                              .until = s->until};
}

static void take_nothing(const struct lab_run *l, struct check_result *r) {
    struct check_result skipped = {.check = r->check, .device = r->device};
    check_result_free(r);
    *r = skipped;
    decide(r, STATUS_SKIP, FACT(NEEDS, {V(parent_of(l, r)->check->id)}));
}

static bool run_check(struct lab_run *l, struct check_result *r) {
    struct session *s = l->session;
    struct check_run run = run_of(l, r);
    enum wire_device device = r->device = run.device;
    if (decided(l, &run, r)) return true;
    struct check_rest rest;
    enum check_outcome outcome = check_run(&run, r, &rest);
    if (outcome == CHECK_NOTHING) {
        take_nothing(l, r);
        return true;
    }
    int function = r->check->function;
    l->works[function] |= r->status == STATUS_PASS;
    if (r->status == STATUS_FAIL && outcome == CHECK_DONE) {
        note_order(l, r);
    }
    if (r->status == STATUS_FAIL) known_add(&l->known, l->lab, r);
    /* One that works says so of a part of it. */
    if (outcome == CHECK_TODO) l->todo[function] = !l->works[function];
    if (s->also_gpu && device == WIRE_VGPU && outcome == CHECK_DONE &&
        r->status == STATUS_PASS && r->check->kind == CHECK_CORRECT &&
        !r->check->errors)
        check_run_on_gpu_too(&run, r, &rest);
    if (outcome == CHECK_ENVIRONMENT)
        snprintf(s->error, JUDGE_ERROR_BYTES, "%s/%s: %s", l->lab->id,
                 r->check->id, rest.trouble ? rest.trouble : "out of memory");
    keep_output(l, r, &rest);
    check_rest_free(&rest);
    note_late(l, r);
    return outcome != CHECK_ENVIRONMENT;
}

/* Without --fast a check that is timed on a real GPU is no part of the grade:
 * neither skipped nor failed. */
static bool wanted(const struct session *s, const struct lab *lab,
                   const struct lab_check *check) {
    if (!s->options->fast && lab_check_needs_gpu(lab, check)) return false;
    return !s->options->check || strcmp(s->options->check, check->id) == 0;
}

/* May the lab's next check be judged? */
static bool goes_on(const struct lab_run *l, const struct check_result *r) {
    const struct judge_options *o = l->session->options;
    return !o->judged || o->judged(o->user, l->grade, l->result, r);
}

/* Called when all checks of the lab have their verdicts. */
static bool look_for_repairs(struct lab_run *l) {
    struct session *s = l->session;
    bool ok = true;
    struct judge_progress step = {.lab = l->lab->id,
                                  .text = "trying small repairs"};
    struct stub_lines stub = {0};
    const char *text = spot_text(l->grade, l->lab->source);
    if (!s->options->repairs_s || !text ||
        !stub_lines_find(l->lab->folder, text, &stub))
        return true;
    const struct compile_settings settings = settings_of(s);
    s->repairs.stub = &stub;
    s->repairs.settings = &settings;
    s->repairs.sources = &s->sources;
    s->repairs.text = text;
    s->repairs.results = l->result->checks;
    s->repairs.n_results = l->result->n_checks;
    for (size_t i = 0; i < l->result->n_checks; i++) {
        struct check_result *r = &l->result->checks[i];
        struct check_run run = run_of(l, r);
        if (r->status != STATUS_FAIL || r->device != run.device) continue;
        step.check = r->check->id;
        if (s->options->progress) s->options->progress(s->options->user, &step);
        repairs_look(&run, r, &s->repairs);
        ok = ok && shown_repair(&s->sources, l->grade, &stub, &r->outcome);
    }
    repairs_close(&s->repairs);
    stub_lines_free(&stub);
    return ok;
}

/* Likewise, for a page that draws and runs what failed. */
static void look_for_runs(struct lab_run *l) {
    struct session *s = l->session;
    long long until = clock_ms() + RECORD_RUNS_MS;
    struct judge_progress step = {.lab = l->lab->id,
                                  .text = "recording for the page"};
    for (size_t i = 0; s->options->pages && i < l->result->n_checks; i++) {
        struct check_result *r = &l->result->checks[i];
        struct check_run run = run_of(l, r);
        if (r->status != STATUS_FAIL || r->device != run.device) continue;
        step.check = r->check->id;
        if (s->options->progress) s->options->progress(s->options->user, &step);
        record_runs(&run, r, until);
    }
}

static bool run_lab(struct session *s, size_t index, struct grade *grade,
                    struct lab_result *result) {
    const struct lab *lab = s->labs[index];
    s->lines_left = (struct step_view_left){STEP_VIEW_LINEAGES, STEP_VIEW_WORK};
    struct lab_run l = {.session = s,
                        .grade = grade,
                        .lab = lab,
                        .compiled = &s->compiled[index],
                        .result = result,
                        .todo = calloc(lab->n_functions + 1, sizeof *l.todo),
                        .works = calloc(lab->n_functions + 1, sizeof *l.works),
                        .wrong_in =
                            calloc(lab->n_functions + 1, sizeof *l.wrong_in)};
    *result = (struct lab_result){
        .lab = lab,
        .checks = calloc(lab->n_checks + 1, sizeof *result->checks)};
    bool ok = l.todo && l.works && l.wrong_in && result->checks;
    if (!ok) snprintf(s->error, JUDGE_ERROR_BYTES, "out of memory");
    if (ok && l.compiled->error)
        result->build_error = text_format("%s", l.compiled->error);
    if (ok && l.compiled->error)
        result->state =
            l.compiled->state ? l.compiled->state : LAB_NOT_COMPILED;
    if (ok && l.compiled->warnings)
        result->warnings = text_format("%s", l.compiled->warnings);
    known_begin(&l.known, lab, s->options->check);
    for (size_t i = 0; ok && i < lab->n_checks; i++) {
        if (!wanted(s, lab, &lab->checks[i])) continue;
        struct check_result *r = &result->checks[result->n_checks++];
        r->check = &lab->checks[i];
        if (!r->check->bonus) result->max_score += r->check->points;
        ok = run_check(&l, r) &&
             shown_sources(&s->sources, grade, r,
                           (struct choose_from){.lab = lab,
                                                .works = l.works,
                                                .passed = &l.passed});
        result->score += r->score;
        if (ok && !goes_on(&l, r)) break;
    }
    ok = ok && look_for_repairs(&l);
    if (ok) look_for_runs(&l);
    for (size_t i = 0; l.wrong_in && i < lab->n_functions; i++)
        free(l.wrong_in[i]);
    free(l.wrong_in);
    free(l.passed.marks);
    free(l.todo);
    free(l.works);
    return ok;
}

/* ---- the whole ---- */

static bool run_labs(struct session *s, struct grade *out) {
    out->labs = calloc(s->n_labs, sizeof *out->labs);
    out->submission = text_format("%s", s->options->submission);
    const char *named = profile_name(NULL, s->options->arch);
    if (!s->use_gpu) out->profile = text_format("%s", named ? named : "teach");
    if (s->use_gpu || s->also_gpu) out->gpu = text_format("%s", s->host.gpu);
    out->gpu_note = s->gpu_note;
    out->program = host_program(&s->host);
    if (s->options->labs_folder)
        out->labs_folder = text_format("%s", s->options->labs_folder);
    out->arch = s->options->arch;
    out->seed = s->options->seed;
    if (!out->labs || !out->program) return false;
    for (size_t i = 0; i < s->n_labs; i++) {
        struct lab_result *lab = &out->labs[out->n_labs++];
        if (!run_lab(s, i, out, lab)) return false;
        out->score += lab->score;
        out->max_score += lab->max_score;
    }
    return true;
}

int judge_grade(const struct judge_options *options, struct lab **labs,
                size_t n, struct grade *out, char error[JUDGE_ERROR_BYTES]) {
    struct session s = {
        .options = options,
        .error = error,
        .steps_left = STEP_VIEW_ALL,
        .repairs = {.left_us = options->repairs_s * REPAIRS_SECOND,
                    .left_ms =
                        (long long)options->repairs_s * 1000 * REPAIRS_SLOWER,
                    .left_tries = REPAIRS_TRIES,
                    .left_changes = REPAIRS_CHANGES}};
    long long start = clock_ms();
    if (options->time_limit_s)
        s.until = start + (long long)options->time_limit_s * 1000;
    /* Not to be read or traced by what we start, also without Landlock. */
    int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    *out = (struct grade){.points = lab_points_version(labs, n)};
    snprintf(error, JUDGE_ERROR_BYTES, "out of memory");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    for (size_t i = 0; i < n; i++) lab_draw(labs[i], options->seed);
    bool ok = choose_labs(&s, labs, n) && asked_for_fast(&s) &&
              folder_there(&s) && choose_device(&s);
    ok = ok && look_at_walls(&s, out) && compile(&s) && run_labs(&s, out);
    out->repairs = s.repairs.tried;
    out->seconds = (double)(clock_ms() - start) / 1000;
    if (s.compiled) compile_free(s.compiled, s.n_labs);
    sources_free(&s.sources);
    host_free(&s.host);
    free(s.compiled);
    free(s.labs);
    if (dumpable == 1) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (ok) return 0;
    grade_free(out);
    return 1;
}
