/* SPDX-License-Identifier: MIT
 *
 * compile.c: see compile.h. Opens what all jobs of a grade share, and has a few
 * of them under way at a time; compile_job.c does one.
 */
#include "compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile_job.h"
#include "text.h"
#include "tree.h"

enum { AT_A_TIME = 2 };

static bool open_shared(struct compile_shared *s, char error[]) {
    const struct compile_settings *c = s->settings;
    char *common = text_format("%s/labs/common", c->root);
    char *reference = text_format("%s/reference", c->root);
    s->is_reference = c->is_reference || tree_is(c->submission, reference);
    s->walled = c->walled ? c->walled : &s->own_walled;
    bool ok =
        common &&
        (c->walled || walled_open(&s->own_walled, c->build_folder, error)) &&
        cache_open(&s->cache, c->cache, c->build_folder, c->cache_mib, error) &&
        compile_read_headers(&s->common, common, error);
    if (ok && !sources_read(&s->own, c->submission, false, &s->too_many) &&
        !s->own.are_too_many) {
        ok = false;
        if (s->too_many)
            snprintf(error, COMPILE_ERROR_BYTES, "%s", s->too_many);
    }
    free(reference);
    free(common);
    return ok;
}

static void close_shared(struct compile_shared *s) {
    if (s->kept) cache_trim(&s->cache);
    if (s->settings->read)
        *s->settings->read = s->own;
    else
        sources_free(&s->own);
    sources_free(&s->common);
    cache_close(&s->cache);
    walled_free(&s->own_walled);
    free(s->too_many);
}

/* Has the lab checks that look at a watched build? Then one of the others does,
 * too, to say where a call crashed. */
static bool is_watched(const struct compile_settings *s,
                       const struct lab *lab) {
    for (size_t i = 0; i < lab->n_checks && s->wants_watched; i++)
        if (lab->checks[i].watch) return true;
    return false;
}

/* A job for each lab and each watched build; how many. */
static size_t list_jobs(struct compile_shared *shared, struct lab *const *labs,
                        size_t n, struct compiled *out,
                        struct compiled *watched, struct compile_job *jobs) {
    size_t n_jobs = 0;
    for (size_t i = 0; i < n; i++) {
        jobs[n_jobs++] = (struct compile_job){
            .shared = shared, .lab = labs[i], .out = &out[i]};
        if (is_watched(shared->settings, labs[i]))
            jobs[n_jobs++] = (struct compile_job){.shared = shared,
                                                  .lab = labs[i],
                                                  .watched = true,
                                                  .out = &watched[i]};
    }
    return n_jobs;
}

/* Of a watched build only the library counts: what the compiler says of the
 * source it says of the other one, too. */
static void take_watched(struct compiled *out, struct compiled *watched,
                         size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i].watched = watched[i].library;
        out[i].watched_held = watched[i].held;
        watched[i].library = NULL;
        watched[i].held = 0;
    }
    compile_free(watched, n);
}

static bool run_jobs(struct compile_job *jobs, size_t n, char error[]) {
    size_t running = 0, next = 0;
    bool ok = true;
    /* Jobs finish in the order they start. */
    for (size_t i = 0; ok && (i < n || next < i);) {
        if (i < n && running < AT_A_TIME) {
            ok = compile_job_prepare(&jobs[i], error);
            running += jobs[i++].started;
            continue;
        }
        while (next < i && !jobs[next].started) next++;
        if (next == i) continue;
        for (size_t k = next + 1; k < i; k++)
            if (jobs[k].started) jobs[next].beside = &jobs[k];
        ok = compile_job_finish(&jobs[next], error);
        running--;
    }
    return ok;
}

bool compile_labs(const struct compile_settings *s, struct lab *const *labs,
                  size_t n, struct compiled *out,
                  char error[COMPILE_ERROR_BYTES]) {
    struct compile_job *jobs = calloc(2 * n + 1, sizeof *jobs);
    struct compiled *watched = calloc(n + 1, sizeof *watched);
    struct compile_shared shared = {.settings = s};
    size_t n_jobs = 0;
    memset(out, 0, n * sizeof *out);
    snprintf(error, COMPILE_ERROR_BYTES, "out of memory");
    bool ok = jobs && watched && open_shared(&shared, error);
    if (jobs && watched)
        n_jobs = list_jobs(&shared, labs, n, out, watched, jobs);
    ok = ok && run_jobs(jobs, n_jobs, error);
    for (size_t i = 0; i < n_jobs; i++) compile_job_free(&jobs[i]);
    free(jobs);
    close_shared(&shared);
    if (watched) take_watched(out, watched, n);
    free(watched);
    if (!ok) compile_free(out, n);
    return ok;
}

void compile_free(struct compiled *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(out[i].library);
        free(out[i].error);
        free(out[i].warnings);
        free(out[i].watched);
        if (out[i].held) close(out[i].held);
        if (out[i].watched_held) close(out[i].watched_held);
        out[i] = (struct compiled){0};
    }
}
