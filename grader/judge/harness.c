/* SPDX-License-Identifier: MIT
 *
 * harness.c: see harness.h.
 */
#include "harness.h"
#include "oracle.h"
#include "surplus.h"
#include "time_limit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOAD_LIMIT_MS = 20000, THREAD_GRACE_MS = 50, PRINTED_BYTES = 16384 };

/* What libraries keep for later, such as what belongs to a thread's stack, they
 * take in the first calls: so many calls in a row may leave more without a
 * leak. */
enum { HEAP_CALLS = 12 };

/* Of which racecheck keeps who accessed it, in eight times as much. */
enum { RACED_MIB = 48 };

static enum harness_result
environment_failed(struct harness *h, const char *what, const char *why) {
    snprintf(h->reply.u.text, sizeof h->reply.u.text, "%s: %s", what, why);
    return HARNESS_ENVIRONMENT;
}

static void on_print(void *user, const char *bytes, size_t size) {
    struct harness *h = user;
    text_append(&h->printed, bytes, size, PRINTED_BYTES);
}

/* A case that holds the surplus memory goes on instead of waiting: other cases
 * wait for that memory. */
static enum turn turn(void *user) {
    const struct harness *h = user;
    const struct turns *t = &h->settings.turns;
    enum turn now = t->ask ? t->ask(t->user) : TURN_GO_ON;
    return now == TURN_WAIT && h->has_surplus ? TURN_GO_ON : now;
}

static bool should_stop(void *user) {
    struct harness *h = user;
    return process_should_stop(&h->process);
}

/* While another case has it, this one's time stands still. */
static bool more_memory(void *user) {
    struct harness *h = user;
    if (!h->settings.surplus) return true;
    time_limit_forgive(&h->process.limit, surplus_take(h->settings.surplus));
    return h->has_surplus = true;
}

static void take_change(const struct change *c, struct vgpu_options *options) {
    if (!c) return;
    options->edits = c->edits;
    options->n_edits = c->n_edits;
    options->clears_memory = c->clears_memory;
    options->clears_shared = c->clears_shared;
    options->numbers_as_started = c->numbers_as_started;
}

/* As many as the parts need, and as many as the profile has. */
static unsigned gpus_of(const char *profile, int signature,
                        const struct parameters *parameters) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    unsigned most = (unsigned)parts_count(signature, parameters);
    for (size_t i = 0; profile && i < n; i++)
        if (strcmp(list[i].name, profile) == 0 &&
            most < (unsigned)list[i].n_gpus)
            most = (unsigned)list[i].n_gpus;
    return most;
}

static enum harness_result open_device(struct harness *h) {
    struct vgpu_options options = {
        .checks = h->settings.vgpu_checks | h->settings.also_watched,
        .reads_want_release = true,
        .contents = h->settings.contents,
        .contents_seed = h->settings.contents_seed,
        .profile = h->settings.profile,
        .clock = h->settings.clock,
        .all_messages = h->settings.all_messages,
        .slack_bytes = h->settings.slack_bytes,
        .shared_slack_bytes = h->settings.shared_slack,
        .states = h->settings.states,
        .feeds = h->settings.feeds,
        .why = h->settings.why,
        .timeline = h->settings.timeline,
        .steps = h->settings.steps,
        .asked_bytes = h->settings.asked_bytes,
        .cache = h->settings.cache,
        .held_limit_bytes =
            surplus_limit(h->settings.was_wrong ? NULL : h->settings.profile)
            << h->settings.alone,
        .held_share_bytes = surplus_share(),
        .more_memory = more_memory,
        .race_memory_mib = RACED_MIB,
        .budget_in_all = h->settings.budget,
        .memory_limit_bytes = (uint64_t)h->settings.lab->memory_limit_mib << 20,
        .should_stop = should_stop,
        .stop_is_finding = true,
        .names_allocations = true,
        .print = on_print,
        .user = h};
    if (parts_has(h->settings.function->signature) && h->settings.parameters)
        options.n_gpus =
            gpus_of(h->settings.profile, h->settings.function->signature,
                    h->settings.parameters);
    if (h->settings.trace) options.trace = *h->settings.trace;
    take_change(h->settings.change, &options);
    vgpu_status status;
    const char *schedule = h->settings.schedule;
    if (schedule && !vgpu_parse_schedule(schedule, &options))
        return environment_failed(h, "no such schedule", schedule);
    const char *model = h->settings.memory_model;
    if (model && !vgpu_parse_memory_model(model, &options))
        return environment_failed(h, "no such memory model", model);
    h->vgpu = vgpu_open(&options, &status);
    return h->vgpu ? HARNESS_OK
                   : environment_failed(h, "cannot open the virtual GPU",
                                        vgpu_status_text(status));
}

static enum harness_result ask(struct harness *h, struct wire_message *request,
                               const int *fds, size_t n_fds,
                               unsigned limit_ms) {
    h->event =
        process_ask(&h->process, request, fds, n_fds, limit_ms, &h->reply);
    return h->event == PROCESS_ANSWERED ? HARNESS_OK : HARNESS_STOPPED;
}

static void library_request(const struct harness *h, enum wire_kind kind,
                            struct wire_message *request) {
    const char *library = h->settings.library;
    *request = (struct wire_message){.kind = kind};
    snprintf(request->symbol, sizeof request->symbol, "%s",
             h->settings.function->symbol);
    snprintf(request->u.text, sizeof request->u.text, "%s",
             library ? library : "");
}

/* Nothing of the submission's has run yet: what goes wrong is ours. */
static enum harness_result lock_in(struct harness *h) {
    struct wire_message request;
    char why[WIRE_TEXT_BYTES - 100];
    library_request(h, WIRE_LOCK, &request);
    if (ask(h, &request, NULL, 0, LOAD_LIMIT_MS) == HARNESS_OK)
        return HARNESS_OK;
    bool told = h->event == PROCESS_FAILED;
    snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1,
             told ? h->reply.u.text : "it ended before it was locked in");
    return environment_failed(h, "the runner", why);
}

static enum harness_result load_submission(struct harness *h) {
    struct wire_message request;
    library_request(h, WIRE_LOAD, &request);
    h->stage = HARNESS_LOADING;
    enum harness_result result =
        ask(h, &request, NULL, 0, h->settings.load_limit_ms);
    if (result == HARNESS_OK && h->reply.value != 0) result = HARNESS_NO_SYMBOL;
    return result;
}

/* The functions that the runner has. */
static bool find_given(int oracle, enum wire_given *which) {
    static const struct {
        const char *oracle;
        enum wire_given which;
    } rows[] = {{"inclusive_sum", WIRE_GIVEN_INCLUSIVE},
                {"exclusive_sum", WIRE_GIVEN_EXCLUSIVE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(oracle_name(oracle), rows[i].oracle) == 0) {
            *which = rows[i].which;
            return true;
        }
    return false;
}

bool harness_can_give(const struct lab_function *f) {
    enum wire_given which;
    return f->signature == SIGNATURE_scan && find_given(f->oracle, &which);
}

static enum harness_result harness_give(struct harness *h) {
    enum wire_given which;
    struct wire_message request = {.kind = WIRE_GIVE};
    const struct lab_function *f = h->settings.given;
    if (!f || !find_given(f->oracle, &which)) return HARNESS_OK;
    request.value = which;
    snprintf(request.symbol, sizeof request.symbol, "%s", f->symbol);
    return ask(h, &request, NULL, 0, LOAD_LIMIT_MS);
}

enum harness_result harness_open(struct harness *h,
                                 const struct harness_settings *s) {
    *h = (struct harness){.settings = *s, .stage = HARNESS_STARTING};
    h->process =
        (struct process){.control = -1, .device_fd = -1, .out = -1, .err = -1};
    if (s->device == WIRE_VGPU) {
        enum harness_result result = open_device(h);
        if (result != HARNESS_OK) return result;
    }
    struct process_settings p = {.runner = s->runner,
                                 .client = s->client,
                                 .library = s->library,
                                 .device = s->device,
                                 .weaker_walls = s->weaker_walls,
                                 .vgpu = h->vgpu,
                                 .turns = {turn, h},
                                 .time_limit_ms = s->limit_ms,
                                 .own_limit_ms = s->host_limit_ms,
                                 .memory_limit_mib = s->lab->memory_limit_mib};
    int error = process_start(&h->process, &p);
    if (error) return environment_failed(h, s->runner, strerror(error));
    enum harness_result result = lock_in(h);
    if (result == HARNESS_OK) result = load_submission(h);
    return result == HARNESS_OK ? harness_give(h) : result;
}

void harness_close(struct harness *h) {
    if (!h->settings.lab) return; /* never opened */
    process_stop(&h->process);
    process_free(&h->process);
    vgpu_close(h->vgpu);
    if (h->has_surplus) surplus_give(h->settings.surplus);
    text_free(&h->printed);
    if (h->has_arena) arena_close(&h->arena);
    *h = (struct harness){0};
}

/* ---- one call ---- */

static void say_parts(const struct device_buffers *buffers,
                      struct wire_call *c) {
    c->n_parts = buffers->n_parts;
    for (size_t p = 0; p < buffers->n_parts; p++) {
        const struct device_part *part = &buffers->parts[p];
        c->parts[p] = (struct wire_part){.in = part->first[BUFFER_IN],
                                         .out = part->first[BUFFER_OUT],
                                         .n = part->n};
    }
}

/* One CALL request on the arena, or on buffers of the device. */
static void harness_request(const struct harness *h,
                            const struct device_buffers *buffers, size_t n,
                            struct wire_message *request) {
    struct wire_call *c = &request->u.call;
    struct parameters parameters;
    int signature = h->settings.function->signature;
    *request = (struct wire_message){.kind = WIRE_CALL};
    c->signature = (uint32_t)signature;
    c->n = n;
    c->in_place = h->settings.in_place;
    c->one_core = h->one_core;
    c->late = h->settings.late;
    c->watch = h->settings.watch;
    c->fail = h->fail;
    c->clears = h->settings.change && h->settings.change->clears_memory;
    uint64_t *const places[N_BUFFERS] = {&c->in, &c->in2, &c->out, &c->out2};
    for (enum buffer b = 0; b < N_BUFFERS; b++)
        *places[b] =
            buffers ? buffers->parts[0].first[b]
                    : (b < BUFFER_OUT ? h->arena.in : h->arena.out).data +
                          signature_offset(signature, b, n) * sizeof(int32_t);
    if (buffers && parts_has(signature)) say_parts(buffers, c);
    parameters_usual(&parameters);
    if (h->settings.parameters) parameters = *h->settings.parameters;
    memcpy(c->parameters, parameters.value, sizeof c->parameters);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A thread that was joined may take the kernel a moment to be gone. */
static unsigned threads_left(const struct process *p) {
    unsigned threads = process_threads(p);
    long long until = clock_ms() + THREAD_GRACE_MS;
    while (threads > 1 && clock_ms() < until) {
        poll(NULL, 0, 1);
        threads = process_threads(p);
    }
    return threads > 1 ? threads - 1 : 0;
}

/* A GPU's work is bounded in each call: those that repeat one are few. */
static unsigned limit_now(const struct harness *h) {
    unsigned limit = h->settings.limit_ms;
    return h->computed < limit ? limit - h->computed : 1;
}

static enum harness_result timed_ask(struct harness *h,
                                     const struct device_buffers *buffers,
                                     size_t n, struct harness_call *call) {
    struct wire_message request;
    harness_request(h, buffers, n, &request);
    h->stage = HARNESS_CALLING;
    uint64_t told = h->vgpu ? vgpu_told_bytes(h->vgpu) : 0;
    double start = seconds_now();
    h->calls++;
    enum harness_result result = ask(h, &request, NULL, 0, limit_now(h));
    call->seconds = seconds_now() - start;
    if (h->vgpu) vgpu_counts(h->vgpu, call->counts);
    if (h->vgpu) call->told_bytes = vgpu_told_bytes(h->vgpu) - told;
    call->n = n;
    if (result != HARNESS_OK) return result;
    h->stage = HARNESS_RETURNED;
    if (h->settings.device == WIRE_HOST)
        h->computed += (unsigned)process_computed(&h->process);
    call->status = h->reply.status;
    call->n_out = (size_t)h->reply.value;
    if (h->settings.device == WIRE_VGPU)
        call->left_device = (int)h->reply.value2;
    return result;
}

/* What is useful is known when the answer has been copied. */
static void count_useful(const struct harness *h, struct harness_call *call) {
    uint64_t now[VGPU_N_COUNTERS];
    vgpu_counts(h->vgpu, now);
    for (int c = VGPU_COUNT_USEFUL_LAUNCHES; c <= VGPU_COUNT_UNREAD_WORDS; c++)
        call->counts[c] = now[c];
}

static enum harness_result call_on_vgpu(struct harness *h, const int32_t *in,
                                        size_t n, int32_t poison, int32_t *got,
                                        struct harness_call *call) {
    struct device_buffers buffers;
    vgpu_status status = device_buffers_open(
        &buffers, h->vgpu, h->settings.function->signature, n,
        h->settings.misalign, h->settings.in_place, h->settings.parameters);
    if (status != VGPU_OK)
        return environment_failed(h, "cannot allocate on the virtual GPU",
                                  vgpu_status_text(status));
    enum harness_result result = HARNESS_OK;
    status = device_buffers_fill(&buffers, in, poison, h->settings.marked);
    if (h->settings.watched_words)
        vgpu_watch_word(h->vgpu,
                        device_buffers_word(&buffers, h->settings.watched),
                        (uint32_t)(h->settings.watched_words * sizeof *in));
    if (status == VGPU_OK) result = timed_ask(h, &buffers, n, call);
    /* After a fault the device answers nothing more; the fault is explained
     * from its finding. */
    if (status == VGPU_OK && result == HARNESS_OK && call->status == 0)
        device_buffers_output(&buffers, got);
    if (h->settings.feeds) count_useful(h, call);
    if (h->settings.marked.element)
        call->n_marked = device_buffers_marked(&buffers);
    call->slack_is_stored = vgpu_slack_is_stored(h->vgpu);
    device_buffers_close(&buffers);
    return status == VGPU_OK
               ? result
               : environment_failed(h, "cannot use the virtual GPU",
                                    vgpu_status_text(status));
}

static enum harness_result open_arena(struct harness *h, size_t n) {
    const struct harness_settings *s = &h->settings;
    if (h->has_arena) arena_close(&h->arena);
    int signature = s->function->signature;
    size_t words = element_words(signature_element(signature, BUFFER_IN));
    h->has_arena = arena_open(&h->arena, signature_in_words(signature, n),
                              signature_out_words(signature, n),
                              s->misalign * words, s->in_place);
    h->arena_n = n;
    if (!h->has_arena)
        return environment_failed(h, "cannot make buffers", strerror(errno));
    struct wire_message request = {.kind = WIRE_MAP,
                                   .value = h->arena.in.bytes,
                                   .value2 = h->arena.out.bytes};
    int fds[2] = {h->arena.in.fd, h->arena.out.fd};
    enum harness_result result = ask(h, &request, fds, 2, LOAD_LIMIT_MS);
    h->in_base = h->reply.value;
    h->out_base = h->reply.value2;
    return result;
}

/* What each of the last calls left allocated. */
static uint64_t lost_bytes(struct harness *h) {
    uint64_t now = h->reply.value2;
    bool more = now > h->heap_bytes && h->heap_bytes > 0;
    h->heap_grown = more ? h->heap_grown + 1 : 0;
    if (!more) h->heap_first = now;
    h->heap_bytes = now;
    return h->heap_grown < HEAP_CALLS ? 0
                                      : (now - h->heap_first) / h->heap_grown;
}

static enum harness_result call_on_host(struct harness *h, const int32_t *in,
                                        size_t n, int32_t poison, int32_t *got,
                                        struct harness_call *call) {
    if (!h->has_arena || h->arena_n != n) {
        enum harness_result result = open_arena(h, n);
        if (result != HARNESS_OK) return result;
    }
    arena_fill(&h->arena, in, poison);
    enum harness_result result = timed_ask(h, NULL, n, call);
    if (result != HARNESS_OK) return result;
    if (h->settings.device == WIRE_HOST) call->lost_bytes = lost_bytes(h);
    call->did_fail = h->reply.failed;
    /* Nothing that comes later counts: it may not run while we look. */
    bool frozen = process_freeze(&h->process);
    if (n && got)
        memcpy(got, arena_output(&h->arena), h->arena.n_out * sizeof *got);
    call->damaged = arena_damage(&h->arena, &call->damage_at);
    if (frozen) {
        process_thaw(&h->process);
        if (h->settings.device == WIRE_HOST)
            call->threads_left = threads_left(&h->process);
        return result;
    }
    h->event = PROCESS_ENDED;
    return HARNESS_STOPPED;
}

enum harness_result harness_call(struct harness *h, const int32_t *in, size_t n,
                                 int32_t poison, int32_t *got,
                                 struct harness_call *call) {
    *call = (struct harness_call){0};
    h->n = n;
    return h->settings.device == WIRE_VGPU
               ? call_on_vgpu(h, in, n, poison, got, call)
               : call_on_host(h, in, n, poison, got, call);
}

enum harness_result harness_switch(struct harness *h,
                                   const struct lab_function *f) {
    h->settings.function = f;
    return load_submission(h);
}

enum harness_result harness_share(struct harness *h,
                                  const struct wire_share *share) {
    struct wire_message request = {.kind = WIRE_SHARE};
    request.u.share = *share;
    h->stage = HARNESS_LOADING;
    return ask(h, &request, NULL, 0, LOAD_LIMIT_MS);
}

enum harness_result harness_call_shared(struct harness *h, size_t n,
                                        struct harness_call *call) {
    *call = (struct harness_call){0};
    return timed_ask(h, NULL, n, call);
}
