/* SPDX-License-Identifier: MIT
 *
 * explain.c: see explain.h. How to read this: explain_call goes through
 * `rules`, the first that has something to say is the message; explain_stop
 * goes through one function per process_event.
 */
#include "explain.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "place.h"

enum { STACK_NEAR = 1 << 16, CUDA_NO_ERROR = 0 };

/* ---- pieces ---- */

static const char *symbol_of(const struct live *l) {
    return l->settings.function->symbol;
}

static char *place_of(const struct live *l, const struct wire_report *report) {
    if (!l->settings.library) return NULL;
    return place_find(l->settings.library, l->settings.lab->source,
                      report->places, report->n_places);
}

static char *finding_place(const struct vgpu_finding *f) {
    struct text t = {0};
    if (f->where.line && f->where.file)
        text_add(&t, "%s:%u", text_base(f->where.file), f->where.line);
    else if (f->kernel)
        text_add(&t, "%s", f->kernel);
    if (f->has_thread && t.size)
        text_add(&t, ", block (%u,%u,%u), thread (%u,%u,%u)", f->block[0],
                 f->block[1], f->block[2], f->thread[0], f->thread[1],
                 f->thread[2]);
    return t.bytes;
}

/* Which findings fail a case: those of checks it switched on; misuse of a
 * runtime call, which returned an error, only where cleanness is the point. */
static bool counts_against(const struct live *l, const struct vgpu_finding *f,
                           bool clean) {
    unsigned check = vgpu_finding_check(f->kind);
    if (f->kind == VGPU_FINDING_HOST_MISUSE) return clean;
    return check == VGPU_CHECK_ALWAYS ||
           (check & (l->settings.vgpu_checks | VGPU_CHECK_MEMCHECK));
}

static void say_finding(struct live *l, bool clean, struct explanation *e) {
    const struct vgpu_finding *found;
    size_t n = l->vgpu ? vgpu_findings(l->vgpu, &found) : 0;
    size_t others = 0;
    const struct vgpu_finding *first = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!counts_against(l, &found[i], clean)) continue;
        if (first)
            others++;
        else
            first = &found[i];
    }
    if (!first) return;
    text_sentence(&e->message, first->message);
    if (first->repeats)
        text_add(&e->message, " The same %" PRIu64 " more times at this line.",
                 first->repeats);
    if (others)
        text_add(&e->message, " %zu other finding%s.", others,
                 others == 1 ? "" : "s");
    e->where = finding_place(first);
}

static void say_refused(struct live *l, struct explanation *e) {
    static const char *const words[] = {
#define X(name, scope, text) text,
#include "refusals.def"
#undef X
    };
    struct text list = {0};
    for (size_t i = 0; i < WIRE_N_REFUSALS; i++)
        if (l->process.refused >> i & 1)
            text_add(&list, "%s%s", list.size ? ", to " : "", words[i]);
    if (!list.size) return;
    text_add(&e->message,
             "%sThe program tried to %s; a submission may not, the call was "
             "refused.",
             e->message.size ? " " : "", list.bytes);
    text_free(&list);
}

/* ---- why there was no answer ---- */

static void say_address(const struct live *l, const struct wire_report *r,
                        struct explanation *e) {
    const struct arena *a = &l->arena;
    size_t page = (size_t)getpagesize();
    uint64_t at = r->address;
    if (at >= VGPU_ADDRESS_BASE && at < VGPU_ADDRESS_LIMIT) {
        text_add(&e->message,
                 ": host code used the device pointer 0x%" PRIx64
                 " as its own; device memory can be reached by kernels and "
                 "cudaMemcpy only",
                 at);
        return;
    }
    if (at && at < page) {
        text_add(&e->message, ": it used a null pointer");
        return;
    }
    const struct {
        const char *name;
        uint64_t base;
        const struct arena_map *map;
        size_t words;
    } maps[] = {{"in", l->in_base, &a->in, a->in_place ? 0 : a->n_in},
                {"out", l->out_base, &a->out, a->n_out}};
    for (int i = 0; l->has_arena && at && i < 2; i++) {
        uint64_t first = maps[i].base + maps[i].map->data;
        uint64_t bytes = maps[i].words * sizeof(int32_t);
        if (at < maps[i].base || at >= maps[i].base + maps[i].map->bytes)
            continue;
        if (at >= first + bytes)
            text_add(&e->message, ": it accessed %s[%" PRIu64 "], past the end",
                     maps[i].name, (at - first) / sizeof(int32_t));
        else if (at < first)
            text_add(&e->message,
                     ": it accessed %" PRIu64 " bytes before the start of %s",
                     first - at, maps[i].name);
        else
            text_add(&e->message, ": it wrote to %s", maps[i].name);
        return;
    }
    if (at && r->stack && at + STACK_NEAR > r->stack &&
        at < r->stack + STACK_NEAR)
        text_add(&e->message,
                 ": the stack is full (a recursion without end, or a local "
                 "array that is too large)");
}

static void say_death(struct live *l, int signal, struct explanation *e) {
    const struct process *p = &l->process;
    const char *name = sigdescr_np(signal);
    text_add(&e->message, "%s crashed (%s)", symbol_of(l),
             name ? name : "unknown signal");
    if (signal == SIGXCPU || (signal == SIGKILL && !p->crash_signal))
        text_add(&e->message, ": it was killed, for memory or processor time");
    if (signal == SIGSYS)
        text_add(&e->message, ": it asked the system for what it may not have");
    if (p->crash_signal == 0) return;
    say_address(l, &p->crash, e);
    e->where = place_of(l, &p->crash);
}

static const char *stage_words(const struct live *l) {
    return l->stage == LIVE_CALLING ? "returned" : "was called";
}

static void stop_ended(struct live *l, struct explanation *e) {
    const struct process *p = &l->process;
    if (p->status_known && WIFSIGNALED(p->status)) {
        say_death(l, WTERMSIG(p->status), e);
        return;
    }
    text_add(&e->message, "the program ended with exit code %d before %s %s",
             p->status_known ? WEXITSTATUS(p->status) : -1, symbol_of(l),
             l->stage == LIVE_RETURNED ? "was asked for its output"
                                       : stage_words(l));
    text_add(&e->message,
             "; a result counts only when the function returns, whatever is "
             "printed and whatever the exit code");
}

static void stop_late(struct live *l, struct explanation *e) {
    unsigned ms = l->settings.lab->time_limit_ms;
    if (l->stage == LIVE_LOADING)
        text_add(&e->message,
                 "loading %s did not end in time: does a constructor or a "
                 "global initialiser loop?",
                 l->settings.lab->source);
    else
        text_add(&e->message,
                 "%s did not return within %g s: is there a loop "
                 "that never ends?",
                 symbol_of(l), ms / 1000.0);
    if (l->process.has_at) e->where = place_of(l, &l->process.at);
    if (e->where) text_add(&e->message, " It was at %s then.", e->where);
}

static void stop_garbage(struct live *l, struct explanation *e) {
    (void)l;
    text_add(&e->message,
             "the program wrote to, or closed, the descriptor over which the "
             "grader speaks with it (%d); what it says there is not a result",
             WIRE_CONTROL_FD);
}

static void stop_device(struct live *l, struct explanation *e) {
    (void)l;
    text_add(&e->message,
             "the program wrote to the descriptor of its device (%d) what is "
             "not a request of the CUDA runtime",
             WIRE_DEVICE_FD);
}

static void stop_threads(struct live *l, struct explanation *e) {
    text_add(&e->message, "%s started more than %d threads", symbol_of(l),
             PROCESS_MOST_THREADS);
}

/* The loader's and the driver's words, without our paths. */
static void stop_failed(struct live *l, struct explanation *e) {
    char *text = l->reply.u.text;
    const char *library = l->settings.library ? l->settings.library : "";
    char *at = *library ? strstr(text, library) : NULL;
    if (at)
        text_add(&e->message, "%.*s%s%s", (int)(at - text), text,
                 l->settings.lab->source, at + strlen(library));
    else
        text_add(&e->message, "%s", text);
}

static void (*const stops[])(struct live *, struct explanation *) = {
    [PROCESS_FAILED] = stop_failed,   [PROCESS_ENDED] = stop_ended,
    [PROCESS_LATE] = stop_late,       [PROCESS_GARBAGE] = stop_garbage,
    [PROCESS_DEVICE] = stop_device,   [PROCESS_THREADS] = stop_threads,
    [PROCESS_ANSWERED] = stop_garbage};

void explain_stop(struct live *l, enum live_result result,
                  struct explanation *e) {
    *e = (struct explanation){0};
    if (result == LIVE_NO_SYMBOL) {
        text_add(&e->message, "%s does not define %s", l->settings.lab->source,
                 symbol_of(l));
        return;
    }
    /* A crash on a device pointer is told better from the host's side, where
     * the line is known. */
    if (l->event != PROCESS_ENDED) say_finding(l, false, e);
    if (!e->message.size) stops[l->event](l, e);
    say_refused(l, e);
}

/* ---- what an answered call did wrong ---- */

static void rule_finding(struct live *l, const struct lab_check *check,
                         const struct live_call *call, struct explanation *e) {
    (void)call;
    say_finding(l, check->kind == CHECK_CLEAN, e);
}

static const char *error_text(const struct live *l, int64_t status) {
    if (status < 0 || status > INT32_MAX) return NULL;
    if (l->settings.lab->language == LAB_C) return strerrordesc_np((int)status);
    for (int i = 0; i < VGPU_N_STATUS; i++)
        if (vgpu_status_cuda_error((vgpu_status)i) == status)
            return vgpu_status_text((vgpu_status)i);
    return NULL;
}

static void rule_status(struct live *l, const struct lab_check *check,
                        const struct live_call *call, struct explanation *e) {
    (void)check;
    if (call->status == CUDA_NO_ERROR) return;
    const char *text = error_text(l, call->status);
    text_add(&e->message, "%s returned error %" PRId64 "%s%s%s", symbol_of(l),
             call->status, text ? " (" : "", text ? text : "", text ? ")" : "");
}

static void rule_refused(struct live *l, const struct lab_check *check,
                         const struct live_call *call, struct explanation *e) {
    (void)check, (void)call;
    say_refused(l, e);
}

static void rule_library(struct live *l, const struct lab_check *check,
                         const struct live_call *call, struct explanation *e) {
    static const char *const marks[] = {"cub::", "thrust::", "3cub", "6thrust"};
    const struct vgpu_launch_record *records;
    size_t n = l->vgpu ? vgpu_launch_records(l->vgpu, &records) : 0;
    (void)check, (void)call;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
            if (!records[i].kernel || !strstr(records[i].kernel, marks[k]))
                continue;
            text_add(&e->message,
                     "the lab asks you to write the scan; kernel %.120s came "
                     "from a library",
                     records[i].kernel);
            return;
        }
}

static void rule_traffic(struct live *l, const struct lab_check *check,
                         const struct live_call *call, struct explanation *e) {
    const struct lab *lab = l->settings.lab;
    uint64_t up = call->counts[VGPU_COUNT_H2D_BYTES];
    uint64_t down = call->counts[VGPU_COUNT_D2H_BYTES];
    (void)check;
    if (!l->vgpu ||
        (up <= lab->h2d_limit_bytes && down <= lab->d2h_limit_bytes))
        return;
    text_add(&e->message,
             "your program copied %" PRIu64 " bytes back to the host and "
             "%" PRIu64 " bytes to the device (allowed: %" PRIu64 " and "
             "%" PRIu64 "): the scan must happen on the device",
             down, up, lab->d2h_limit_bytes, lab->h2d_limit_bytes);
}

static void rule_damage(struct live *l, const struct lab_check *check,
                        const struct live_call *call, struct explanation *e) {
    long long end = (long long)(l->arena.n_out * sizeof(int32_t));
    (void)check;
    if (!call->damaged) return;
    if (call->damage_at >= end)
        text_add(&e->message, "%s wrote %zu bytes past the end of out",
                 symbol_of(l), call->damaged);
    else
        text_add(&e->message,
                 "%s wrote outside out: %zu bytes, the first %lld before its "
                 "start",
                 symbol_of(l), call->damaged, -call->damage_at);
}

static void rule_threads(struct live *l, const struct lab_check *check,
                         const struct live_call *call, struct explanation *e) {
    (void)check;
    if (!call->threads_left) return;
    text_add(&e->message,
             "%s returned while %u of its threads still ran; wait for them "
             "(pthread_join): a result counts as it is when the function "
             "returns",
             symbol_of(l), call->threads_left);
}

void explain_call(struct live *l, const struct lab_check *check,
                  const struct live_call *call, struct explanation *e) {
    static void (*const rules[])(struct live *, const struct lab_check *,
                                 const struct live_call *,
                                 struct explanation *) = {
        rule_finding, rule_status, rule_refused, rule_library,
        rule_traffic, rule_damage, rule_threads};
    *e = (struct explanation){0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        rules[i](l, check, call, e);
        if (e->message.size) return;
    }
}

void explanation_free(struct explanation *e) {
    text_free(&e->message);
    free(e->where);
    e->where = NULL;
}
