/* SPDX-License-Identifier: MIT
 *
 * explain.c: see explain.h. How to read this: explain_call goes through
 * `rules`, the first that finds something wrong is the outcome; explain_stop
 * goes through one function per process_event.
 */
#include "explain_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "findings.h"
#include "place.h"
#include "ran.h"
#include "translate.h"

enum { STACK_NEAR = 1 << 16, CUDA_NO_ERROR = 0 };

/* ---- pieces ---- */

static const char *symbol_of(const struct harness *h) {
    return h->settings.function->symbol;
}

struct place explain_place(const struct harness *h,
                           const struct wire_report *report) {
    struct place place = {0};
    if (h->settings.library)
        place_find(h->settings.walled, h->settings.library,
                   h->settings.lab->source, report->places, report->n_places,
                   &place);
    return place;
}

void explain_wrong(const struct harness *h, struct outcome *o) {
    ran_take(h, o);
    if (o->finding) return;
    findings_take(h, h->settings.also_watched, true, o);
    o->kind = OUTCOME_NONE; /* it is the answer that decides */
}

/* ---- why there was no answer ---- */

static struct fact address_in(const struct harness *h, uint64_t at) {
    const struct arena *a = &h->arena;
    const struct {
        const char *name;
        uint64_t base;
        const struct arena_map *map;
        size_t words;
    } maps[] = {{"in", h->in_base, &a->in, a->in_place ? 0 : a->n_in},
                {"out", h->out_base, &a->out, a->n_out}};
    for (int i = 0; h->has_arena && i < 2; i++) {
        uint64_t first = maps[i].base + maps[i].map->data;
        uint64_t bytes = maps[i].words * sizeof(int32_t);
        if (at < maps[i].base || at >= maps[i].base + maps[i].map->bytes)
            continue;
        if (at >= first + bytes)
            return FACT(PAST_END,
                        {V(maps[i].name), V((at - first) / sizeof(int32_t))});
        if (at < first)
            return FACT(BEFORE_START, {V(first - at), V(maps[i].name)});
        return FACT(WROTE_TO, {V(maps[i].name)});
    }
    return FACT(NONE);
}

static struct fact address_fact(const struct harness *h,
                                const struct wire_report *r) {
    uint64_t at = r->address;
    if (at >= VGPU_ADDRESS_BASE && at < VGPU_ADDRESS_LIMIT)
        return FACT(DEVICE_POINTER, {V(at)});
    if (!at) return FACT(NONE);
    if (at < (size_t)getpagesize()) return FACT(NULL_POINTER);
    struct fact fact = address_in(h, at);
    if (fact.row == FACT_NONE && r->stack && at + STACK_NEAR > r->stack &&
        at < r->stack + STACK_NEAR)
        return FACT(STACK_FULL);
    return fact;
}

/* What glibc says before it aborts: the last line of this kind. */
static char *heap_words(const struct text *output) {
    static const char *const begins[] = {
        "free(): ",   "malloc(): ",  "realloc(): ",     "calloc(): ",
        "corrupted ", "double free", "munmap_chunk(): "};
    const char *found = NULL, *text = text_string(output);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = strstr(text, begins[i]);
        if (at && (!found || at < found)) found = at;
    }
    return found ? text_format("%.*s", (int)strcspn(found, "\n"), found) : NULL;
}

static void explain_signal(const struct harness *h, int signal,
                           struct outcome *o) {
    char *words = signal == SIGABRT ? heap_words(&h->process.output) : NULL;
    bool freed = words && (strstr(words, "double free") ||
                           strstr(words, "invalid pointer"));
    if (words)
        outcome_add(o, freed ? FACT(HEAP_FREED, {V(words)})
                             : FACT(HEAP_BROKEN, {V(words)}));
    free(words);
    if (signal == SIGSEGV && h->has_arena && h->arena_n == 0)
        outcome_add(o, FACT(NOTHING_THERE));
}

static void stop_died(struct harness *h, int signal, struct outcome *o) {
    const struct process *p = &h->process;
    const char *name = sigdescr_np(signal);
    if (!name) name = _("unknown signal");
    outcome_add(o, FACT(CRASHED, {V(symbol_of(h)), V(name), V(signal)}));
    if (signal == SIGXCPU || (signal == SIGKILL && !p->crash_signal))
        outcome_add(o, FACT(KILLED));
    if (signal == SIGSYS) outcome_add(o, FACT(FORBIDDEN));
    if (p->crash_signal == 0) {
        explain_signal(h, signal, o);
        return;
    }
    struct fact address = address_fact(h, &p->crash);
    if (address.row != FACT_NONE) outcome_add(o, address);
    explain_signal(h, signal, o);
    o->place = explain_place(h, &p->crash);
}

static void stop_ended(struct harness *h, struct outcome *o) {
    const struct process *p = &h->process;
    if (p->status_known && WIFSIGNALED(p->status)) {
        stop_died(h, WTERMSIG(p->status), o);
        return;
    }
    const char *stage = h->stage == HARNESS_RETURNED
                            ? N_("was asked for its output")
                        : h->stage == HARNESS_CALLING ? N_("returned")
                                                      : N_("was called");
    int status = p->status_known ? WEXITSTATUS(p->status) : -1;
    outcome_add(o, FACT(ENDED, {V(status), V(symbol_of(h)), V(stage)}));
}

static void stop_late(struct harness *h, struct outcome *o) {
    const struct harness_settings *s = &h->settings;
    bool own = h->process.own_is_over;
    double seconds = (own ? s->host_limit_ms : s->limit_ms) / 1000.0;
    if (h->stage == HARNESS_LOADING)
        outcome_add(o, FACT(LATE_LOADING, {V(h->settings.lab->source)}));
    else if (h->computed >= h->settings.limit_ms / 2) /* the calls before */
        outcome_add(
            o, FACT(LATE_IN_ALL, {V(h->calls), V(symbol_of(h)), V(seconds)}));
    else
        outcome_add(o, FACT(LATE, {V(symbol_of(h)), V(seconds)}));
    if (h->process.has_at) o->place = explain_place(h, &h->process.at);
    if (o->place.file)
        outcome_add(o, FACT(LATE_AT, {V(o->place.file), V(o->place.line)}));
}

static void stop_garbage(struct harness *h, struct outcome *o) {
    (void)h;
    outcome_add(o, FACT(CONTROL_MISUSED, {V(WIRE_CONTROL_FD)}));
}

static void stop_device(struct harness *h, struct outcome *o) {
    (void)h;
    outcome_add(o, FACT(DEVICE_MISUSED, {V(WIRE_DEVICE_FD)}));
}

static void stop_threads(struct harness *h, struct outcome *o) {
    outcome_add(o,
                FACT(MANY_THREADS, {V(symbol_of(h)), V(PROCESS_MOST_THREADS)}));
}

/* The loader's and the driver's words, without our paths. */
static void stop_failed(struct harness *h, struct outcome *o) {
    char *text = h->reply.u.text;
    const char *library = h->settings.library ? h->settings.library : "";
    char *at = *library ? strstr(text, library) : NULL;
    struct text said = {0};
    if (at)
        text_add(&said, "%.*s%s%s", (int)(at - text), text,
                 h->settings.lab->source, at + strlen(library));
    else
        text_add(&said, "%s", text);
    outcome_add(o, FACT(NOT_LOADED, {V(said.bytes)}));
    text_free(&said);
}

static void (*const stops[])(struct harness *, struct outcome *) = {
    [PROCESS_FAILED] = stop_failed,   [PROCESS_ENDED] = stop_ended,
    [PROCESS_LATE] = stop_late,       [PROCESS_GARBAGE] = stop_garbage,
    [PROCESS_DEVICE] = stop_device,   [PROCESS_THREADS] = stop_threads,
    [PROCESS_ANSWERED] = stop_garbage};

void explain_stop(struct harness *h, enum harness_result result,
                  struct outcome *o) {
    if (result == HARNESS_NO_SYMBOL) {
        const char *source = h->settings.lab->source;
        outcome_add(o, FACT(NO_SYMBOL, {V(source), V(symbol_of(h))}));
        return;
    }
    /* A crash on a device pointer is explained better from the host's side,
     * where the line is known; threads are no kernel's. */
    if (h->event != PROCESS_ENDED && h->event != PROCESS_THREADS)
        findings_take(h, h->settings.vgpu_checks, false, o);
    if (o->kind == OUTCOME_NONE && h->event == PROCESS_ENDED)
        explain_watched(h, o); /* what it died of */
    if (o->kind == OUTCOME_NONE) stops[h->event](h, o);
    o->refused = h->process.refused;
}

/* ---- what an answered call did wrong ---- */

static void rule_finding(struct harness *h, const struct lab_check *check,
                         const struct harness_call *call, struct outcome *o) {
    findings_take(h, h->settings.vgpu_checks,
                  check->kind == CHECK_CLEAN || call->status, o);
}

static const char *error_text(const struct harness *h, int64_t status) {
    if (status < 0 || status > INT32_MAX) return NULL;
    if (h->settings.lab->language == LAB_C) return strerrordesc_np((int)status);
    for (int i = 0; i < VGPU_N_STATUS; i++)
        if (vgpu_status_cuda_error((vgpu_status)i) == status)
            return vgpu_status_text((vgpu_status)i);
    return NULL;
}

/* The first call of the function that answered this error. */
static void say_call(const struct harness *h, int64_t error,
                     struct outcome *o) {
    const struct vgpu_call_error *list;
    size_t n = h->vgpu ? vgpu_call_errors(h->vgpu, &list) : 0, i = 0;
    while (i < n && list[i].error != error) i++;
    if (i == n) return;
    if (error == vgpu_status_cuda_error(VGPU_PEER_ENABLED))
        outcome_add(o, FACT(ERROR_OF_PEERS, {V(list[i].call)}));
    else
        outcome_add(o, FACT(ERROR_OF_CALL, {V(list[i].call)}));
    if (!o->place.line) findings_place(h, list[i].callers, &o->place);
}

static void rule_status(struct harness *h, const struct lab_check *check,
                        const struct harness_call *call, struct outcome *o) {
    if (check->refused && !call->status)
        outcome_add(o, FACT(NOT_REFUSED, {V(symbol_of(h)), V(call->n)}));
    if (check->refused || call->status == CUDA_NO_ERROR) return;
    const char *text = error_text(h, call->status);
    if (call->status == vgpu_status_cuda_error(VGPU_INVALID_VALUE) &&
        h->settings.lab->language != LAB_C) {
        outcome_add(o, FACT(RETURNED_REFUSAL,
                            {V(symbol_of(h)), V(call->status), V(text)}));
        return;
    }
    outcome_add(
        o, FACT(RETURNED_ERROR, {V(symbol_of(h)), V(call->status), V(text)}));
    if (!text) outcome_add(o, FACT(NO_ERROR_NUMBER));
    say_call(h, call->status, o);
}

/* One mistake of all functions: the first one's check asks for it. */
static void rule_device(struct harness *h, const struct lab_check *check,
                        const struct harness_call *call, struct outcome *o) {
    if (check->kind == CHECK_CLEAN && check->function == 0 && call->left_device)
        outcome_add(o,
                    FACT(DEVICE_LEFT, {V(call->left_device), V(symbol_of(h))}));
}

static void rule_refused(struct harness *h, const struct lab_check *check,
                         const struct harness_call *call, struct outcome *o) {
    (void)check, (void)call;
    o->refused = h->process.refused;
    if (o->refused) o->kind = OUTCOME_REFUSED;
}

/* By the outermost part of its name, as a whole: mycub is no library. */
static bool is_of_library(const char *kernel) {
    static const char *const names[] = {"cub", "thrust"};
    size_t size = strcspn(kernel, ":");
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found = found || (kernel[size] && strlen(names[i]) == size &&
                          memcmp(kernel, names[i], size) == 0);
    return found;
}

static void rule_library(struct harness *h, const struct lab_check *check,
                         const struct harness_call *call, struct outcome *o) {
    const struct vgpu_launch_record *records;
    size_t n = h->vgpu ? vgpu_launch_records(h->vgpu, &records) : 0;
    (void)check, (void)call;
    for (size_t i = 0; i < n; i++) {
        if (!records[i].kernel || !is_of_library(records[i].kernel)) continue;
        outcome_add(o, FACT(LIBRARY_KERNEL, {V(records[i].kernel)}));
        return;
    }
}

static void rule_traffic(struct harness *h, const struct lab_check *check,
                         const struct harness_call *call, struct outcome *o) {
    const struct lab *lab = h->settings.lab;
    uint64_t up = call->counts[VGPU_COUNT_H2D_BYTES];
    uint64_t down = call->counts[VGPU_COUNT_D2H_BYTES];
    (void)check;
    if (h->vgpu && (up > lab->h2d_limit_bytes || down > lab->d2h_limit_bytes))
        outcome_add(o,
                    FACT(HOST_TRAFFIC, {V(down), V(up), V(lab->d2h_limit_bytes),
                                        V(lab->h2d_limit_bytes)}));
}

/* Answers that the host computed come back as arguments: then these are as many
 * as the answer. Few elements need no more than a few honest launches have, one
 * of them with all the arguments that CUDA lets it have. */
static void rule_told(struct harness *h, const struct lab_check *check,
                      const struct harness_call *call, struct outcome *o) {
    enum { LARGEST = 4096, ANYWAY = LARGEST + 512 };
    (void)check;
    if (h->vgpu && call->told_bytes > ANYWAY &&
        call->told_bytes >= call->n * sizeof(int32_t))
        outcome_add(o, FACT(HOST_TOLD, {V(call->told_bytes), V(call->n)}));
}

static void rule_damage(struct harness *h, const struct lab_check *check,
                        const struct harness_call *call, struct outcome *o) {
    long long end = (long long)(h->arena.n_out * sizeof(int32_t));
    (void)check;
    if (!call->damaged) return;
    if (call->damage_at >= end)
        outcome_add(o, FACT(WROTE_PAST, {V(symbol_of(h)), V(call->damaged)}));
    else
        outcome_add(o, FACT(WROTE_BEFORE, {V(symbol_of(h)), V(call->damaged),
                                           V(-call->damage_at)}));
}

/* A check that the case relies on could not look at everything. */
static void rule_incomplete(struct harness *h, const struct lab_check *check,
                            const struct harness_call *call,
                            struct outcome *o) {
    const struct vgpu_incomplete *list;
    size_t n = h->vgpu ? vgpu_incompletes(h->vgpu, &list) : 0;
    (void)check, (void)call;
    for (size_t i = 0; i < n && o->kind == OUTCOME_NONE; i++)
        if (list[i].check & h->settings.vgpu_checks)
            outcome_add(o,
                        FACT(INCOMPLETE, {V(vgpu_check_name(list[i].check)),
                                          V(list[i].kernel), V(list[i].reason),
                                          V(list[i].mend)}));
}

/* What was left out of the list may be what counts. */
static void rule_left_out(struct harness *h, const struct lab_check *check,
                          const struct harness_call *call, struct outcome *o) {
    uint64_t n = h->vgpu ? vgpu_left_out(h->vgpu)->findings : 0;
    char reason[80];
    (void)check, (void)call;
    snprintf(reason, sizeof reason, _("it is full, and %llu more are left out"),
             (unsigned long long)n);
    if (n)
        outcome_add(
            o, FACT(INCOMPLETE, {V(N_("the list of findings")),
                                 V((const char *)NULL), V((const char *)reason),
                                 V(N_("to mend what `vgpu` finds first"))}));
}

static void rule_threads(struct harness *h, const struct lab_check *check,
                         const struct harness_call *call, struct outcome *o) {
    (void)check;
    if (call->threads_left)
        outcome_add(
            o, FACT(THREADS_LEFT, {V(symbol_of(h)), V(call->threads_left)}));
}

static void rule_watched(struct harness *h, const struct lab_check *check,
                         const struct harness_call *call, struct outcome *o) {
    (void)check, (void)call;
    explain_watched(h, o);
}

static void rule_heap(struct harness *h, const struct lab_check *check,
                      const struct harness_call *call, struct outcome *o) {
    (void)check;
    if (call->lost_bytes)
        outcome_add(o, FACT(HOST_LEAK, {V(symbol_of(h)), V(call->lost_bytes)}));
}

bool explain_call(struct harness *h, const struct lab_check *check,
                  const struct harness_call *call, struct outcome *o) {
    static void (*const rules[])(struct harness *, const struct lab_check *,
                                 const struct harness_call *,
                                 struct outcome *) = {
        rule_finding, rule_status,     rule_device,  rule_refused, rule_library,
        rule_traffic, rule_told,       rule_damage,  rule_threads, rule_watched,
        rule_heap,    rule_incomplete, rule_left_out};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        rules[i](h, check, call, o);
        if (o->kind != OUTCOME_NONE) return true;
    }
    return false;
}
