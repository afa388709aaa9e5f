/* SPDX-License-Identifier: MIT
 *
 * live.c: see live.h.
 */
#include "live.h"
#include "time_limit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LOAD_LIMIT_MS = 20000, THREAD_GRACE_MS = 50, PRINTED_BYTES = 16384 };

/* malloc keeps up to seven blocks of a size for each thread that frees them,
 * and counts them as in use: so many calls in a row may leave more without a
 * leak. */
enum { HEAP_CALLS = 12 };

static enum live_result environment_failed(struct live *l, const char *what,
                                           const char *why) {
    snprintf(l->reply.u.text, sizeof l->reply.u.text, "%s: %s", what, why);
    return LIVE_ENVIRONMENT;
}

static void on_print(void *user, const char *bytes, size_t size) {
    struct live *l = user;
    text_append(&l->printed, bytes, size, PRINTED_BYTES);
}

static bool should_stop(void *user) {
    struct live *l = user;
    return process_should_stop(&l->process);
}

static enum live_result open_device(struct live *l) {
    struct vgpu_options options = {
        .checks = l->settings.vgpu_checks | l->settings.also_watched,
        .reads_want_release = true,
        .contents_seed = l->settings.contents_seed,
        .profile = l->settings.profile,
        .cache = l->settings.cache,
        .memory_limit_bytes = (uint64_t)l->settings.lab->memory_limit_mib << 20,
        .should_stop = should_stop,
        .stop_is_finding = true,
        .names_allocations = true,
        .print = on_print,
        .user = l};
    if (l->settings.trace) options.trace = *l->settings.trace;
    vgpu_status status;
    const char *schedule = l->settings.schedule;
    if (schedule && !vgpu_parse_schedule(schedule, &options))
        return environment_failed(l, "no such schedule", schedule);
    const char *model = l->settings.memory_model;
    if (model && !vgpu_parse_memory_model(model, &options))
        return environment_failed(l, "no such memory model", model);
    l->vgpu = vgpu_open(&options, &status);
    return l->vgpu ? LIVE_OK
                   : environment_failed(l, "cannot open the virtual GPU",
                                        vgpu_status_text(status));
}

static enum live_result ask(struct live *l, struct wire_message *request,
                            const int *fds, size_t n_fds, unsigned limit_ms) {
    l->event =
        process_ask(&l->process, request, fds, n_fds, limit_ms, &l->reply);
    return l->event == PROCESS_ANSWERED ? LIVE_OK : LIVE_STOPPED;
}

static enum live_result load(struct live *l) {
    struct wire_message request = {.kind = WIRE_LOAD};
    const char *library = l->settings.library;
    snprintf(request.symbol, sizeof request.symbol, "%s",
             l->settings.function->symbol);
    snprintf(request.u.text, sizeof request.u.text, "%s",
             library ? library : "");
    l->stage = LIVE_LOADING;
    enum live_result result = ask(l, &request, NULL, 0, LOAD_LIMIT_MS);
    if (result == LIVE_OK && l->reply.value != 0) result = LIVE_NO_SYMBOL;
    return result;
}

enum live_result live_open(struct live *l, const struct live_settings *s) {
    *l = (struct live){.settings = *s, .stage = LIVE_STARTING};
    l->process =
        (struct process){.control = -1, .device_fd = -1, .out = -1, .err = -1};
    if (s->device == WIRE_VGPU) {
        enum live_result result = open_device(l);
        if (result != LIVE_OK) return result;
    }
    struct process_settings p = {.runner = s->runner,
                                 .client = s->client,
                                 .library = s->library,
                                 .device = s->device,
                                 .vgpu = l->vgpu,
                                 .time_limit_ms = s->limit_ms,
                                 .memory_limit_mib = s->lab->memory_limit_mib};
    int error = process_start(&l->process, &p);
    if (error) return environment_failed(l, s->runner, strerror(error));
    return load(l);
}

void live_close(struct live *l) {
    if (!l->settings.lab) return; /* never opened */
    process_stop(&l->process);
    process_free(&l->process);
    vgpu_close(l->vgpu);
    text_free(&l->printed);
    if (l->has_arena) arena_close(&l->arena);
    *l = (struct live){0};
}

/* ---- one call ---- */

void live_request(const struct live *l, const struct device_buffers *buffers,
                  size_t n, struct wire_message *request) {
    struct wire_call *c = &request->u.call;
    struct parameters parameters;
    int signature = l->settings.function->signature;
    *request = (struct wire_message){.kind = WIRE_CALL};
    c->signature = (uint32_t)signature;
    c->n = n;
    c->in_place = l->settings.in_place;
    c->one_core = l->one_core;
    uint64_t *const places[N_BUFFERS] = {&c->in, &c->in2, &c->out, &c->out2};
    for (enum buffer b = 0; b < N_BUFFERS; b++)
        *places[b] =
            buffers ? buffers->first[b]
                    : (b < BUFFER_OUT ? l->arena.in : l->arena.out).data +
                          signature_offset(signature, b, n) * sizeof(int32_t);
    parameters_usual(&parameters);
    if (l->settings.parameters) parameters = *l->settings.parameters;
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

static enum live_result timed_ask(struct live *l,
                                  const struct device_buffers *buffers,
                                  size_t n, struct live_call *call) {
    struct wire_message request;
    live_request(l, buffers, n, &request);
    l->stage = LIVE_CALLING;
    double start = seconds_now();
    enum live_result result = ask(l, &request, NULL, 0, l->settings.limit_ms);
    call->seconds = seconds_now() - start;
    if (l->vgpu) vgpu_counts(l->vgpu, call->counts);
    if (result != LIVE_OK) return result;
    l->stage = LIVE_RETURNED;
    call->status = l->reply.status;
    call->n_out = (size_t)l->reply.value;
    return result;
}

static enum live_result call_on_vgpu(struct live *l, const int32_t *in,
                                     size_t n, int32_t poison, int32_t *got,
                                     struct live_call *call) {
    struct device_buffers buffers;
    vgpu_status status =
        device_buffers_open(&buffers, l->vgpu, l->settings.function->signature,
                            n, l->settings.misalign, l->settings.in_place);
    if (status != VGPU_OK)
        return environment_failed(l, "cannot allocate on the virtual GPU",
                                  vgpu_status_text(status));
    enum live_result result = LIVE_OK;
    status = device_buffers_fill(&buffers, in, poison);
    if (status == VGPU_OK) result = timed_ask(l, &buffers, n, call);
    /* After a fault the device answers nothing more; the fault is explained
     * from its finding. */
    if (status == VGPU_OK && result == LIVE_OK && call->status == 0)
        device_buffers_output(&buffers, got);
    device_buffers_close(&buffers);
    return status == VGPU_OK
               ? result
               : environment_failed(l, "cannot use the virtual GPU",
                                    vgpu_status_text(status));
}

static enum live_result open_arena(struct live *l, size_t n) {
    const struct live_settings *s = &l->settings;
    if (l->has_arena) arena_close(&l->arena);
    int signature = s->function->signature;
    size_t words = element_words(signature_element(signature, BUFFER_IN));
    l->has_arena = arena_open(&l->arena, signature_in_words(signature, n),
                              signature_out_words(signature, n),
                              s->misalign * words, s->in_place);
    l->arena_n = n;
    if (!l->has_arena)
        return environment_failed(l, "cannot make buffers", strerror(errno));
    struct wire_message request = {.kind = WIRE_MAP,
                                   .value = l->arena.in.bytes,
                                   .value2 = l->arena.out.bytes};
    int fds[2] = {l->arena.in.fd, l->arena.out.fd};
    enum live_result result = ask(l, &request, fds, 2, LOAD_LIMIT_MS);
    l->in_base = l->reply.value;
    l->out_base = l->reply.value2;
    return result;
}

/* What each of the last calls left allocated. */
static uint64_t lost_bytes(struct live *l) {
    uint64_t now = l->reply.value2;
    bool more = now > l->heap_bytes && l->heap_bytes > 0;
    l->heap_grown = more ? l->heap_grown + 1 : 0;
    if (!more) l->heap_first = now;
    l->heap_bytes = now;
    return l->heap_grown < HEAP_CALLS ? 0
                                      : (now - l->heap_first) / l->heap_grown;
}

static enum live_result call_on_host(struct live *l, const int32_t *in,
                                     size_t n, int32_t poison, int32_t *got,
                                     struct live_call *call) {
    if (!l->has_arena || l->arena_n != n) {
        enum live_result result = open_arena(l, n);
        if (result != LIVE_OK) return result;
    }
    arena_fill(&l->arena, in, poison);
    enum live_result result = timed_ask(l, NULL, n, call);
    if (result != LIVE_OK) return result;
    if (l->settings.device == WIRE_HOST) call->lost_bytes = lost_bytes(l);
    /* Nothing that comes later counts: it may not run while we look. */
    bool frozen = process_freeze(&l->process);
    if (n) memcpy(got, arena_output(&l->arena), l->arena.n_out * sizeof *got);
    call->damaged = arena_damage(&l->arena, &call->damage_at);
    if (frozen) {
        process_thaw(&l->process);
        if (l->settings.device == WIRE_HOST)
            call->threads_left = threads_left(&l->process);
        return result;
    }
    l->event = PROCESS_ENDED;
    return LIVE_STOPPED;
}

enum live_result live_call(struct live *l, const int32_t *in, size_t n,
                           int32_t poison, int32_t *got,
                           struct live_call *call) {
    *call = (struct live_call){0};
    return l->settings.device == WIRE_VGPU
               ? call_on_vgpu(l, in, n, poison, got, call)
               : call_on_host(l, in, n, poison, got, call);
}

enum live_result live_switch(struct live *l, const struct lab_function *f) {
    l->settings.function = f;
    return load(l);
}

enum live_result live_share(struct live *l, const struct wire_share *share) {
    struct wire_message request = {.kind = WIRE_SHARE};
    request.u.share = *share;
    l->stage = LIVE_LOADING;
    return ask(l, &request, NULL, 0, LOAD_LIMIT_MS);
}

enum live_result live_call_shared(struct live *l, size_t n,
                                  struct live_call *call) {
    *call = (struct live_call){0};
    return timed_ask(l, NULL, n, call);
}
