/* SPDX-License-Identifier: MIT
 *
 * case.c: see case.h.
 */
#include "case.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explain.h"
#include "profile.h"
#include "speed.h"

enum {
    TODO_STATUS = 31,     /* SCANLAB_TODO in labs/common/scanlab.h */
    VGPU_LIMIT_MS = 5000, /* ten times what the slowest reference takes */
    LOADING_MS = 5000,    /* of a library; a whole small case takes some ms */
    /* Warp instructions. The most that a right submission of tests/ has taken:
     * 743,000 with n = 1024, 61 for an element of 2^18. */
    CALL_BUDGET = 20000000,
    ELEMENT_BUDGET = 500,
    BUDGET_SHARE = 8, /* 1 / BUDGET_SHARE of it, after a call that was late */
    WATCHED_LONGER = 3
};

const struct lab_function *case_function(const struct case_spec *s) {
    return &s->lab->functions[s->check->function];
}

struct tried case_tried(const struct case_spec *s) {
    struct tried t = {.function = case_function(s),
                      .n = s->n,
                      .parameters = s->parameters,
                      .seed = s->seed,
                      .device = s->device};
    if (s->schedule) snprintf(t.schedule, sizeof t.schedule, "%s", s->schedule);
    if (s->memory_model)
        snprintf(t.memory_model, sizeof t.memory_model, "%s", s->memory_model);
    if (s->clock) snprintf(t.clock, sizeof t.clock, "%s", s->clock);
    return t;
}

/* The clock sees the messages between blocks that the memory model knows; what
 * blocks tell each other in other ways is a race, and shortens its chains. */
static bool looks_for_races(const struct case_spec *s) {
    return s->check->kind == CHECK_EFFICIENT && s->check->clock.name &&
           !s->races_are_told;
}

unsigned case_vgpu_checks(const struct case_spec *s) {
    unsigned also = s->check->kind == CHECK_CORRECT ? VGPU_CHECK_SYNCCHECK : 0;
    if (s->check->errors) also |= VGPU_CHECK_LEAKCHECK;
    if (looks_for_races(s)) also |= VGPU_CHECK_RACECHECK;
    return s->check->vgpu_checks | VGPU_CHECK_MEMCHECK | also | s->more_checks;
}

static unsigned shorter(unsigned limit, unsigned other) {
    return other && other < limit ? other : limit;
}

/* After calls that ran out of time, so that a report does not wait for the same
 * endless loop again and again. Right host code takes a hundredth of that, and
 * where accesses are watched, as of a million elements, a half. */
static unsigned limit_after_late(const struct case_spec *s) {
    unsigned limit = s->n_late == 0 ? 0 : s->n_late == 1 ? 1500 : 500;
    return s->check->watch ? WATCHED_LONGER * limit : limit;
}

/* For a machine as usual (speed.h). How long a kernel takes hangs on the load:
 * after a call that was late, the host code alone has less time, and kernels
 * have less work. */
static unsigned limit_of(const struct case_spec *s) {
    unsigned own = s->check->time_limit_ms;
    unsigned limit = own ? own : s->lab->time_limit_ms;
    if (s->device == WIRE_VGPU && limit > VGPU_LIMIT_MS) limit = VGPU_LIMIT_MS;
    if (s->device != WIRE_VGPU) limit = shorter(limit, limit_after_late(s));
    return shorter(limit, s->limit_ms);
}

/* Counts are the same on every machine, and at every load. */
static uint64_t budget_of(const struct case_spec *s) {
    if (s->work) return s->work;
    uint64_t work = CALL_BUDGET + ELEMENT_BUDGET * (uint64_t)s->n;
    return s->check->repeat * (s->n_late ? work / BUDGET_SHARE : work);
}

bool case_is_bounded(const struct case_spec *s) {
    const struct lab_check *c = s->check;
    return c->n_bounds && (c->kind != CHECK_CORRECT || s->clock);
}

/* All counts hang on it: what works on data does not wait (watch/waiting.c). */
static bool counts_data(const struct case_spec *s) {
    return case_is_bounded(s) || s->inspect || s->look || s->trace;
}

static bool counts_useful(const struct case_spec *s) {
    for (size_t i = 0; case_is_bounded(s) && i < s->check->n_bounds; i++) {
        int c = (int)s->check->bounds[i].counter;
        if (c >= VGPU_COUNT_USEFUL_LAUNCHES && c <= VGPU_COUNT_UNREAD_WORDS)
            return true;
    }
    return false;
}

static const char *profile_of(const struct case_spec *s) {
    if (s->profile) return s->profile;
    bool timed = s->clock && s->check->clock.device;
    return profile_name(timed ? s->check->clock.device : s->check->profile,
                        s->environment->arch);
}

void case_settings(const struct case_spec *s, struct harness_settings *h) {
    *h = (struct harness_settings){
        .lab = s->lab,
        .function = case_function(s),
        .runner = s->environment->runner,
        .client = s->device == WIRE_VGPU  ? s->environment->client
                  : s->device == WIRE_GPU ? s->environment->toolkit
                                          : NULL,
        .library = s->library,
        .walled = s->environment->walled,
        .device = s->device,
        .schedule = s->device == WIRE_VGPU ? s->schedule : NULL,
        .profile = profile_of(s),
        .clock = s->clock,
        .all_messages = s->races_are_told,
        .slack_bytes = s->slack_bytes,
        .shared_slack = s->shared_slack,
        .overlaps_are_told = s->overlaps_are_told,
        .given = s->given,
        .why = s->why,
        .timeline = s->timeline,
        .trace = s->trace,
        .feeds = counts_useful(s),
        .steps = s->look != NULL && !s->asked_bytes && !s->keeps_states,
        .states = s->keeps_states,
        .asked_bytes = s->asked_bytes,
        .watched = s->watched,
        .watched_words = s->watched_words,
        .change = s->change,
        .cache = s->environment->cache,
        .surplus = s->environment->surplus,
        .alone = s->alone,
        .was_wrong = s->was_wrong,
        .weaker_walls = s->environment->weaker_walls,
        .marked = {.all = counts_data(s), .element = s->changed_element},
        .memory_model = s->memory_model,
        .contents = s->other_contents ? VGPU_CONTENTS_RANDOM : 0,
        .contents_seed = s->seed + s->other_contents,
        .vgpu_checks = case_vgpu_checks(s),
        .also_watched = s->check->kind == CHECK_CORRECT &&
                                !s->unwritten_is_unused && !s->clock
                            ? VGPU_CHECK_INITCHECK
                            : 0,
        .limit_ms = speed_limit(limit_of(s), s->environment->slowness),
        .load_limit_ms = speed_limit(shorter(LOADING_MS, limit_after_late(s)),
                                     s->environment->slowness),
        .host_limit_ms =
            s->device == WIRE_VGPU
                ? speed_limit(limit_after_late(s), s->environment->slowness)
                : 0,
        .budget = budget_of(s),
        .turns = s->turns,
        .misalign = s->check->misalign,
        .in_place = s->check->in_place,
        .late = s->check->late,
        .watch =
            s->device == WIRE_HOST && s->watched_library ? s->check->watch : 0,
        .parameters = &s->parameters};
    if (h->watch) h->library = s->watched_library;
}

/* ---- how a case fails ---- */

struct outcome *case_fail(const struct case_spec *s,
                          struct case_result *result) {
    result->verdict = CASE_FAIL;
    result->outcome.tried = case_tried(s);
    return &result->outcome;
}

void case_trouble(struct case_result *result, char *why) {
    result->verdict = CASE_ENVIRONMENT;
    result->trouble = why;
}

/* What a process could not load may have been taken away, which the submission
 * cannot do: build/submissions, or the build itself. */
static char *taken_away(const struct harness *h) {
    const struct harness_settings *s = &h->settings;
    char *client =
             s->client ? text_format("%s/libcudart.so.13", s->client) : NULL,
         *why = NULL;
    const char *const files[] = {s->library, client};
    for (size_t i = 0; i < sizeof files / sizeof *files && !why; i++)
        if (files[i] && access(files[i], R_OK) != 0)
            why = text_format("%s, which was there before, cannot be read: %s",
                              files[i], strerror(errno));
    free(client);
    return why;
}

/* As somebody else's SIGKILL, a loader without memory or a socket that failed
 * would end it; not in time, and not where the code is known to have crashed.
 */
static bool ended_doubtfully(const struct harness *h) {
    const struct process *p = &h->process;
    bool crashed =
        p->crash_signal || (p->status_known && WIFSIGNALED(p->status) &&
                            WTERMSIG(p->status) != SIGKILL);
    return h->event == PROCESS_FAILED || h->event == PROCESS_GARBAGE ||
           h->event == PROCESS_DEVICE ||
           (h->event == PROCESS_ENDED && !crashed);
}

void case_fail_stopped(const struct case_spec *s, struct harness *h,
                       enum harness_result how, struct case_result *result) {
    if (how == HARNESS_ENVIRONMENT) {
        case_trouble(result, text_format("%s", h->reply.u.text));
        return;
    }
    result->is_doubtful |= how == HARNESS_STOPPED && ended_doubtfully(h);
    char *gone = h->event == PROCESS_FAILED ? taken_away(h) : NULL;
    if (gone) {
        case_trouble(result, gone);
        return;
    }
    struct outcome *o = case_fail(s, result);
    explain_stop(h, how, o);
    /* Before any call n plays no part. */
    o->unnamed = h->stage != HARNESS_CALLING && h->stage != HARNESS_RETURNED;
}

bool case_call_failed(const struct case_spec *s, struct harness *h,
                      const struct harness_call *call,
                      struct case_result *result) {
    struct outcome *o = &result->outcome;
    if (call->status == TODO_STATUS) {
        outcome_add(o, FACT(NOT_IMPLEMENTED, {V(case_function(s)->symbol)}));
        result->verdict = CASE_TODO;
        return true;
    }
    if (!explain_call(h, s->check, call, o)) return false;
    /* With nothing else that is wrong, it may have lacked something. */
    if (call->status && !s->check->refused && !o->finding)
        result->is_doubtful = true;
    case_fail(s, result);
    return true;
}

void case_result_free(struct case_result *r) {
    outcome_free(&r->outcome);
    measured_free(&r->measured);
    free(r->trouble);
    free(r->output);
    free(r->ran.marks);
    *r = (struct case_result){0};
}
