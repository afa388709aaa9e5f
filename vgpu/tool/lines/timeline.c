/* SPDX-License-Identifier: MIT
 *
 * timeline.c: a timeline as trace events in JSON, which Perfetto and
 * chrome://tracing show: spans as complete events (ph X), messages as flows
 * (s and f), names of tracks as metadata (M). Times are microseconds, with
 * whole nanoseconds: Perfetto keeps no more, and drops a span that, rounded,
 * begins before the one in front of it ends.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* Processes, in the viewer's words. */
enum { HOST = 1, DEVICE, WARPS };
/* Tracks have other numbers than processes: Perfetto calls the one that has its
 * process' number "main thread". */
enum { CALLS_TRACK = 11, QUEUE_TRACK = 11, FIRST_PLACE = 12, FIRST_WARP = 11 };

struct trace {
    FILE *f;
    const struct vgpu_timeline *t;
    uint64_t n;                        /* events so far */
    const struct vgpu_span **blocks;   /* by launch and block */
    uint32_t places, warps_of_a_block; /* most that there are */
};

/* Names come from programs that nobody trusts. */
static void put_text(FILE *f, const char *text) {
    fputc('"', f);
    for (; text && *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fputc('\\', f);
        fputc(c < 32 || c > 126 ? '?' : c, f);
    }
    fputc('"', f);
}

static void put_time(const struct trace *x, const char *name, uint64_t ns) {
    fprintf(x->f, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ns / 1000, ns % 1000);
}

/* In ns. */
static uint64_t since_origin(const struct trace *x, uint64_t ps) {
    return ps > x->t->origin ? (ps - x->t->origin) / 1000 : 0;
}

static void begin_event(struct trace *x, const char *ph, int pid,
                        uint64_t tid) {
    fprintf(x->f, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64,
            x->n++ ? "," : "", ph, pid, tid);
}

static void put_span(struct trace *x, int pid, uint64_t tid, const char *name,
                     const char *category, const struct vgpu_span *s) {
    begin_event(x, "X", pid, tid);
    uint64_t from = since_origin(x, s->from);
    put_time(x, "ts", from);
    put_time(x, "dur", since_origin(x, s->to) - from);
    fputs(",\"name\":", x->f);
    put_text(x->f, name);
    fprintf(x->f, ",\"cat\":\"%s\"", category);
    if (s->launch) fprintf(x->f, ",\"args\":{\"launch\":%" PRIu32, s->launch);
    if (s->launch && s->line) {
        char place[160];
        lines_place(s->file, s->line, place, sizeof place);
        fputs(",\"line\":", x->f);
        put_text(x->f, place);
    }
    fputs(s->launch ? "}}" : "}", x->f);
}

static void put_name(struct trace *x, int pid, uint64_t tid, const char *what,
                     const char *name) {
    begin_event(x, "M", pid, tid);
    fprintf(x->f, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    put_text(x->f, name);
    fputs("}}", x->f);
}

static void put_order(struct trace *x, int pid, uint64_t tid) {
    begin_event(x, "M", pid, tid);
    fprintf(x->f,
            ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRIu64
            "}}",
            tid);
}

/* ---- tracks ---- */

static uint64_t timeline_place_of(const struct trace *x,
                                  const struct vgpu_span *s) {
    return FIRST_PLACE + (uint64_t)s->sm * x->places + s->place;
}

static uint64_t warp_of(const struct trace *x, const struct vgpu_span *s) {
    return ((uint64_t)s->sm * x->places + s->place) * x->warps_of_a_block +
           s->warp + FIRST_WARP;
}

/* Names each track that has a span, once. */
static bool name_tracks(struct trace *x, enum vgpu_track track) {
    bool warps = track == VGPU_TRACK_WARPS;
    uint64_t most = 0;
    const struct vgpu_span *list = x->t->spans[track];
    for (size_t k = 0; k < x->t->n[track]; k++) {
        uint64_t at =
            warps ? warp_of(x, &list[k]) : timeline_place_of(x, &list[k]);
        if (at > most) most = at;
    }
    bool *named = calloc(most + 1, 1);
    for (size_t k = 0; named && k < x->t->n[track]; k++) {
        uint64_t at =
            warps ? warp_of(x, &list[k]) : timeline_place_of(x, &list[k]);
        char name[96];
        if (named[at]) continue;
        named[at] = true;
        int n = snprintf(name, sizeof name, "SM %" PRIu32 ", place %" PRIu32,
                         list[k].sm, list[k].place);
        if (warps)
            snprintf(name + n, sizeof name - (size_t)n, ", warp %" PRIu32,
                     list[k].warp);
        put_name(x, warps ? WARPS : DEVICE, at, "thread_name", name);
        put_order(x, warps ? WARPS : DEVICE, at);
    }
    free(named);
    return named != NULL;
}

static void put_all(struct trace *x) {
    const struct vgpu_timeline *t = x->t;
    char name[256], place[160];
    for (size_t k = 0; k < t->n[VGPU_TRACK_HOST]; k++) {
        const struct vgpu_span *s = &t->spans[VGPU_TRACK_HOST][k];
        put_span(x, HOST, CALLS_TRACK, s->name, "call", s);
    }
    for (size_t k = 0; k < t->n[VGPU_TRACK_QUEUE]; k++) {
        const struct vgpu_span *s = &t->spans[VGPU_TRACK_QUEUE][k];
        put_span(x, DEVICE, QUEUE_TRACK, s->name, "command", s);
    }
    for (size_t k = 0; k < t->n[VGPU_TRACK_BLOCKS]; k++) {
        const struct vgpu_span *s = &t->spans[VGPU_TRACK_BLOCKS][k];
        snprintf(name, sizeof name, "block %" PRIu32, s->block);
        put_span(x, DEVICE, timeline_place_of(x, s), name, "block", s);
    }
    for (size_t k = 0; k < t->n[VGPU_TRACK_WARPS]; k++) {
        const struct vgpu_span *s = &t->spans[VGPU_TRACK_WARPS][k];
        bool runs = s->cause == VGPU_CAUSE_ISSUE;
        lines_place(s->file, s->line, place, sizeof place);
        snprintf(name, sizeof name, "%s%s%s",
                 runs ? "runs" : vgpu_cause_words((vgpu_cause)s->cause),
                 s->line ? ", " : "", s->line ? place : "");
        put_span(x, WARPS, warp_of(x, s), name, runs ? "run" : "wait", s);
    }
}

/* ---- messages ---- */

static int by_block(const void *a, const void *b) {
    const struct vgpu_span *x = *(const struct vgpu_span *const *)a,
                           *y = *(const struct vgpu_span *const *)b;
    if (x->launch != y->launch) return x->launch < y->launch ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static const struct vgpu_span *find_block(const struct trace *x,
                                          uint32_t launch, uint32_t block) {
    const struct vgpu_span key = {.launch = launch, .block = block}, *at = &key;
    const struct vgpu_span **found =
        bsearch(&at, x->blocks, x->t->n[VGPU_TRACK_BLOCKS], sizeof *x->blocks,
                by_block);
    return found ? *found : NULL;
}

/* A flow's end lies in a span, or nothing is drawn. */
static void put_end(struct trace *x, const char *ph, size_t id,
                    const struct vgpu_span *block, uint64_t time) {
    if (time > block->to) time = block->to;
    if (time < block->from) time = block->from;
    begin_event(x, ph, DEVICE, timeline_place_of(x, block));
    put_time(x, "ts", since_origin(x, time));
    fprintf(x->f, ",\"id\":%zu,\"name\":\"message\",\"cat\":\"message\"%s}", id,
            *ph == 'f' ? ",\"bp\":\"e\"" : "");
}

/* How many have a block that is not in the list. */
static uint64_t put_messages(struct trace *x) {
    uint64_t lost = 0;
    for (size_t k = 0; k < x->t->n_arrows; k++) {
        const struct vgpu_arrow *a = &x->t->arrows[k];
        const struct vgpu_span *from = find_block(x, a->launch, a->from_block),
                               *to = find_block(x, a->launch, a->to_block);
        lost += !from || !to;
        if (!from || !to) continue;
        put_end(x, "s", k + 1, from, a->from);
        put_end(x, "f", k + 1, to, a->to);
    }
    return lost;
}

/* ---- all ---- */

static void find_sizes(struct trace *x) {
    for (int track = VGPU_TRACK_BLOCKS; track <= VGPU_TRACK_WARPS; track++)
        for (size_t k = 0; k < x->t->n[track]; k++) {
            const struct vgpu_span *s = &x->t->spans[track][k];
            if (s->place >= x->places) x->places = s->place + 1;
            if (s->warp >= x->warps_of_a_block)
                x->warps_of_a_block = s->warp + 1;
        }
}

static bool sort_blocks(struct trace *x) {
    size_t n = x->t->n[VGPU_TRACK_BLOCKS];
    x->blocks = malloc((n + 1) * sizeof *x->blocks);
    if (!x->blocks) return false;
    for (size_t k = 0; k < n; k++)
        x->blocks[k] = &x->t->spans[VGPU_TRACK_BLOCKS][k];
    qsort(x->blocks, n, sizeof *x->blocks, by_block);
    return true;
}

uint64_t timeline_left_out(const struct vgpu_timeline *t) {
    uint64_t n = t->arrows_left_out;
    for (int k = 0; k < VGPU_N_TRACKS; k++) n += t->left_out[k];
    return n;
}

bool timeline_print(FILE *f, const struct vgpu_timeline *t, const char *clock) {
    struct trace x = {.f = f, .t = t, .places = 1, .warps_of_a_block = 1};
    find_sizes(&x);
    if (!sort_blocks(&x)) return false;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f);
    put_name(&x, HOST, 0, "process_name", "host");
    put_name(&x, HOST, CALLS_TRACK, "thread_name", "calls");
    put_name(&x, DEVICE, 0, "process_name", "device: multiprocessors");
    put_name(&x, DEVICE, QUEUE_TRACK, "thread_name", "queue");
    put_name(&x, WARPS, 0, "process_name", "device: warps");
    bool named =
        name_tracks(&x, VGPU_TRACK_BLOCKS) && name_tracks(&x, VGPU_TRACK_WARPS);
    put_all(&x);
    uint64_t lost = put_messages(&x);
    fputs("\n],\"otherData\":{\"profile\":", f);
    put_text(f, clock);
    fprintf(f,
            ",\"time\":\"model time: no GPU's time\",\"left_out\":{\"calls\":"
            "%" PRIu64 ",\"commands\":%" PRIu64 ",\"blocks\":%" PRIu64
            ",\"phases\":%" PRIu64 ",\"messages\":%" PRIu64 "}}}\n",
            t->left_out[VGPU_TRACK_HOST], t->left_out[VGPU_TRACK_QUEUE],
            t->left_out[VGPU_TRACK_BLOCKS], t->left_out[VGPU_TRACK_WARPS],
            t->arrows_left_out + lost);
    free(x.blocks);
    return named && !ferror(f);
}
