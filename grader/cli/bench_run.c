/* SPDX-License-Identifier: MIT
 *
 * bench_run.c: the calls of scanlab bench --clock, and the file of their model
 * times. Sizes rise, and at each all contestants have their turn, so that all
 * curves begin when time runs out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "clean_text.h"
#include "oracle.h"
#include "timed.h"
#include "words.h"

#ifndef SCANLAB_VERSION
#define SCANLAB_VERSION "development"
#endif

/* ---- one call ---- */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void describe(const struct contestant *c, size_t n, struct text *t) {
    const char *function = c->lab->functions[c->function].id;
    text_add(t, "%s, %s, %s", c->lab->id, function, type_name(c->type));
    if (c->order > 1) text_add(t, ", order %d", c->order);
    if (c->tuple > 1) text_add(t, ", tuple %d", c->tuple);
    text_add(t, ", n = %zu", n);
}

/* Not drawn, and why: in the file, and told. */
static void note(struct bench *b, struct contestant *c, size_t n,
                 const char *why) {
    struct text line = {0};
    describe(c, n, &line);
    text_add(&line, ": %s", why);
    char *clean = clean_text(text_string(&line));
    progress_free(b->progress);
    b->progress = progress_new(stderr);
    if (clean) {
        fprintf(b->out.stream, "# note: %s\n", clean);
        fprintf(stderr, "scanlab bench: %s\n", clean);
    }
    free(clean);
    text_free(&line);
    c->gone = true;
}

/* The fewest that must move, as scanlab-bench counts them. */
static uint64_t bytes_of(const struct contestant *c, size_t n, size_t kept) {
    const struct lab_function *f = &c->lab->functions[c->function];
    bool compact = oracle_shape(f->oracle) == OUTPUT_COMPACT;
    uint64_t words = 0;
    for (enum buffer i = 0; i < N_BUFFERS; i++)
        words += element_words(signature_element(f->signature, i)) *
                 (i >= BUFFER_OUT && compact ? kept : n);
    return words * sizeof(int32_t);
}

static void put_row(struct bench *b, const struct contestant *c, size_t n,
                    size_t kept) {
    uint64_t ns = b->model_ns;
    fprintf(b->out.stream,
            "%s/%s,%s,%s,%d,%d,%zu,1,%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64 ",1,model %s\n",
            b->folder, c->lab->id, operation_name(c->operation),
            type_name(c->type), c->order, c->tuple, n, ns, ns, ns, ns,
            bytes_of(c, n, kept), b->judge.clock);
    b->n_rows++;
}

static void inspect(void *user, vgpu_device *device,
                    const uint64_t counts[VGPU_N_COUNTERS]) {
    struct bench *b = user;
    (void)device;
    b->model_ns = counts[VGPU_COUNT_MODEL_NS];
}

static void judge_result(struct bench *b, struct contestant *c, size_t n,
                         const struct case_result *r,
                         const struct unbuilt *unbuilt) {
    struct text why = {0};
    if (unbuilt->why) {
        text_add(&why, "%s%s", c->lab->source, lab_state_words(unbuilt->state));
    } else if (r->verdict == CASE_TODO) {
        b->n_todo++;
        c->gone = true;
        return;
    } else if (r->verdict == CASE_PASS) {
        put_row(b, c, n, r->kept);
        return;
    } else if (c->n && outcome_is_late(&r->outcome)) {
        text_add(&why, "not drawn: it takes this machine too long");
    } else {
        text_add(&why, "not right: ");
        words_outcome(&why, &r->outcome, &r->measured);
    }
    /* What was right at another size may be too much for this machine. */
    b->n_wrong += c->n == 0;
    note(b, c, n, text_string(&why));
    text_free(&why);
}

static bool bench_run_call(struct bench *b, struct contestant *c, size_t n) {
    struct case_result result;
    char error[JUDGE_ERROR_BYTES] = "";
    struct unbuilt unbuilt;
    b->judge.lab = c->lab;
    b->judge.function = c->function;
    b->judge.n = n;
    parameters_usual(&b->judge.parameters);
    b->judge.parameters.value[PARAMETER_order] = c->order;
    b->judge.parameters.value[PARAMETER_tuple] = c->tuple;
    double start = seconds_now();
    if (!judge_single(&b->judge, &result, &unbuilt, error)) {
        cli_fail("%s", error);
        return false;
    }
    if (c->n) c->seconds = seconds_now() - start; /* the first one compiles */
    judge_result(b, c, n, &result, &unbuilt);
    c->n = n;
    case_result_free(&result);
    free(unbuilt.why);
    return true;
}

/* ---- all ---- */

/* Would it end in time, if it takes so much longer as it is larger? */
static bool in_time(struct bench *b, struct contestant *c, size_t n) {
    double next = c->n ? c->seconds * (double)n / (double)c->n : 0;
    if (seconds_now() + next <= b->end) return true;
    note(b, c, n, "not run: the time is over (--seconds)");
    return false;
}

static bool run_all(struct bench *b) {
    struct text what = {0};
    bool ok = true;
    size_t done = 0, total = b->n_items * b->n_sizes;
    for (size_t s = 0; ok && s < b->n_sizes; s++)
        for (size_t i = 0; ok && i < b->n_items; i++, done++) {
            struct contestant *c = &b->items[i];
            text_free(&what);
            describe(c, b->sizes[s], &what);
            progress_show(b->progress, done, total, text_string(&what));
            if (!c->gone && in_time(b, c, b->sizes[s]))
                ok = bench_run_call(b, c, b->sizes[s]);
        }
    text_free(&what);
    return ok;
}

static void put_head(const struct bench *b) {
    FILE *f = b->out.stream;
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fprintf(f, "# SPDX-License-Identifier: MIT\n# machine: the virtual GPU\n");
    fprintf(f, "# model: %s\n# device: %s\n# scanlab: %s\n# date: %s\n",
            b->judge.clock,
            b->judge.profile ? b->judge.profile
                             : vgpu_clock_device(b->judge.clock),
            SCANLAB_VERSION, date);
    fprintf(f, "# method: model time of one call each on the profile of the "
               "line model, not measured on a GPU (vgpu/docs/clock.md)\n");
    fprintf(f, "who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns,"
               "min_ns,bytes,ok,time\n");
}

int bench_run(struct bench *b) {
    if (!output_open(&b->out, b->output)) return EXIT_TROUBLE;
    b->judge.inspect = inspect;
    b->judge.user = b;
    b->end = seconds_now() + (double)b->seconds;
    b->progress = progress_new(stderr);
    put_head(b);
    bool ok = run_all(b);
    progress_free(b->progress);
    if (!ok) output_abandon(&b->out);
    if (!ok || !output_close(&b->out)) return EXIT_TROUBLE;
    if (b->n_todo)
        fprintf(stderr, "scanlab bench: %zu not implemented yet\n", b->n_todo);
    return b->n_wrong || !b->n_rows ? EXIT_MISSING : EXIT_FULL;
}
