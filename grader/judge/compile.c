/* SPDX-License-Identifier: MIT
 *
 * compile.c: see compile.h. How to read this: a `job` is one lab's source on
 * its way to a library. prepare looks into the cache; start makes a place with
 * copies of what the compiler is to see and runs it there, inside walls; finish
 * takes the message or keeps the library. What all share is in `shared`.
 */
#include "compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_place.h"
#include "cache.h"
#include "compile_words.h"
#include "compiler_says.h"
#include "digest.h"
#include "text.h"
#include "time_limit.h"
#include "toolchain.h"
#include "tree.h"
#include "walled.h"

enum {
    AT_A_TIME = 2,
    LIST_BYTES = 4 << 20,
    SAID_BYTES = 256 << 10 /* much more than is shown */
};

struct shared {
    const struct compile_settings *settings;
    struct walled own_walled;
    const struct walled *walled;
    struct cache cache;
    struct sources own, common;
    char *too_many; /* why none of its files are read; NULL: they are */
    bool is_reference, kept;
};

struct job {
    struct shared *shared;
    const struct lab *lab;
    struct compiled *out;
    const char *source; /* its text */
    struct sources headers;
    char *toolkit; /* to be read with the compiler; NULL: none */
    struct compile_words words;
    char keys[2][KEY_TEXT]; /* without and with sources of other labs */
    bool all_units;
    struct build_place place;
    struct walled_words command_words;
    struct command command;
    struct command_run run;
    struct job *beside;   /* started, and not waited for yet; or NULL */
    unsigned computed_ms; /* by compilers that have ended */
    bool started;
};

static bool environment_error(char error[COMPILE_ERROR_BYTES], const char *what,
                              const char *path) {
    snprintf(error, COMPILE_ERROR_BYTES, "cannot %s %s: %s", what, path,
             strerror(errno));
    return false;
}

/* ---- the cache ---- */

static void make_key(struct job *j, bool all_units) {
    struct key key;
    key_start(&key);
    compile_words_key(&j->words, &key);
    sources_key(&j->shared->own, &key, j->lab->source, all_units);
    sources_key(&j->headers, &key, "", false);
    sources_key(&j->shared->common, &key, "", false);
    key_end(&key, j->keys[all_units]);
}

/* false: out of memory. Takes the entry. */
static bool take_entry(struct job *j, char *entry) {
    j->out->library = text_format("%s/library.so", entry);
    j->out->warnings = compiler_warnings_read(entry);
    free(entry);
    return j->out->library != NULL;
}

static bool look_into_cache(struct job *j) {
    bool more = sources_has_other_units(&j->shared->own, j->lab->source);
    for (int all = 0; all <= more; all++) {
        make_key(j, all);
        char *entry =
            cache_take(&j->shared->cache, j->keys[all], &j->out->held);
        if (entry) return take_entry(j, entry);
    }
    return false;
}

/* ---- one job ---- */

/* The source must be a readable file of sensible size; else the lab's error.
 * *gone: the folder is none any more, or cannot be read: set-up error. */
static bool find_source(struct job *j, bool *gone, char error[]) {
    const struct shared *s = j->shared;
    const char *folder = s->settings->submission, *name = j->lab->source;
    const struct source_file *file = sources_find(&s->own, name);
    bool its_fault = true;
    j->source = file ? file->bytes : NULL;
    if (!file && s->too_many) {
        j->out->error = text_format("%s", s->too_many);
    } else if (!file) {
        const char *why = sources_why_not(folder, name, &its_fault);
        snprintf(error, COMPILE_ERROR_BYTES, "cannot read %s in %s: %s", name,
                 folder, why);
        if (its_fault)
            j->out->error =
                text_format("cannot read %s in the submission: %s", name, why);
    }
    *gone = !its_fault;
    return file != NULL;
}

/* Of all compilers that a source needs, one after the other: of processors, for
 * others may want them, too. */
static unsigned limit_of(const struct job *j) {
    unsigned own = j->shared->settings->limit_ms;
    return own ? own : COMPILE_LIMIT_MS;
}

static bool start_compiler(struct job *j, char error[]) {
    /* What stands in for nvcc most likely calls the usual one. */
    const struct walled_tool tool = {
        .arguments = j->words.at,
        .folder = j->place.own,
        .reads = {j->place.folder.path, j->toolkit,
                  j->toolkit ? "/usr/local/cuda" : NULL},
        .writes = {j->place.out, j->place.temporary},
        .temporary = j->place.temporary,
        .limit_ms =
            j->computed_ms < limit_of(j) ? limit_of(j) - j->computed_ms : 1,
        .until = j->shared->settings->until,
        .output_limit = SAID_BYTES};
    walled_words_free(&j->command_words);
    errno = walled_start(j->shared->walled, &tool, &j->command_words,
                         &j->command, &j->run);
    j->started = errno == 0;
    return j->started || environment_error(error, "start", j->words.at[0]);
}

static bool start(struct job *j, bool all_units, char error[]) {
    const struct build_files files = {.own = &j->shared->own,
                                      .lab = &j->headers,
                                      .common = &j->shared->common,
                                      .lab_name = text_base(j->lab->folder),
                                      .unit = j->lab->source,
                                      .all_units = all_units};
    const char *in = j->shared->cache.folder;
    j->all_units = all_units;
    build_place_remove(&j->place);
    if (!build_place_make(&j->place, in, &files))
        return environment_error(error, "make a folder in", in);
    return start_compiler(j, error);
}

static void take_message(struct job *j) {
    const struct command *c = &j->command;
    bool shown = c->output.bytes && (!c->stopped || c->stopped == COMMAND_TALK);
    long long whole = j->shared->settings->until;
    char *why = compiler_stopped(c, limit_of(j), whole && clock_ms() >= whole);
    char *said =
        shown ? compiler_words(c->output.bytes, j->place.folder.path) : NULL;
    const char *left_out =
        c->stopped ? "" : text_string(&j->shared->own.left_out);
    j->out->error = text_format(
        "%s%s%s%s", why ? why : "",
        said         ? said
        : c->stopped ? ""
                     : "the compiler failed without a message",
        *left_out ? "\nleft out of the submission:\n" : "", left_out);
    free(why);
    free(said);
}

/* A library's header found before or after compiling. */
static bool told_of_library(struct job *j, char *header) {
    if (!header) return false;
    j->out->error = text_format(
        "%s includes <%s>: the lab asks you to write the scan yourself, "
        "without CUB or Thrust",
        j->lab->source, header);
    free(header);
    return true;
}

static char *header_of_build(const struct job *j) {
    char *path = text_format("%s/depends", j->place.out);
    size_t bytes;
    char *list = path ? tree_read(path, LIST_BYTES, &bytes) : NULL;
    char *header = list ? digest_library_in_depends(list) : NULL;
    free(list);
    free(path);
    return header;
}

static bool end_compiler(struct job *j) {
    if (j->beside) {
        j->command.beside = &j->beside->command;
        j->command.beside_run = &j->beside->run;
    }
    command_finish(&j->command, &j->run);
    j->started = false;
    j->computed_ms += j->command.computed_ms;
    return command_worked(&j->command);
}

static void forget_said(struct job *j) {
    text_free(&j->command.output);
    text_free(&j->command.trouble);
}

static bool keep(struct job *j, char error[]) {
    char *said = j->command.output.bytes;
    char *words = said ? compiler_words(said, j->place.folder.path) : NULL;
    char *entry = cache_keep(&j->shared->cache, j->keys[j->all_units],
                             j->place.out, words, &j->out->held);
    free(words);
    j->shared->kept = true;
    if (entry) return take_entry(j, entry);
    if (errno == EINVAL || errno == ENOENT || errno == ELOOP) {
        j->out->error = text_format("the compiler made no library of less than "
                                    "%d MiB",
                                    CACHE_ENTRY_MIB);
        return true;
    }
    return environment_error(error, "keep the library in",
                             j->shared->cache.folder);
}

/* Does it speak of a file that it may have been missing? */
static bool misses_unit(const struct job *j) {
    const struct sources *own = &j->shared->own;
    const char *said = text_string(&j->command.output);
    for (size_t i = 0; !j->all_units && i < own->n; i++)
        if (own->files[i].unit &&
            strcmp(own->files[i].name, j->lab->source) != 0 &&
            strstr(said, text_base(own->files[i].name)))
            return true;
    return false;
}

/* With all headers; with the sources of other labs. */
static bool try_again(struct job *j, bool *built, char error[]) {
    const struct command *c = &j->command;
    bool stopped = c->stopped || c->trouble.size;
    if (!*built && !stopped && compile_words_complete(&j->words)) {
        forget_said(j);
        if (!start_compiler(j, error)) return false;
        *built = end_compiler(j);
        stopped = c->stopped || c->trouble.size;
    }
    if (!*built && !stopped && misses_unit(j)) {
        forget_said(j);
        if (!start(j, true, error)) return false;
        *built = end_compiler(j);
    }
    return true;
}

static bool finish(struct job *j, char error[]) {
    struct command *c = &j->command;
    bool built = end_compiler(j);
    if (!try_again(j, &built, error)) return false;
    bool ok = true;
    if (c->trouble.size) {
        snprintf(error, COMPILE_ERROR_BYTES, "scanlab-walls: %s",
                 text_string(&c->trouble));
        ok = false;
    } else if (!build_place_stands(&j->place, j->lab->source)) {
        ok = environment_error(error, "compile in", j->shared->cache.folder);
    } else if (told_of_library(j, header_of_build(j))) {
        /* the error is set */
    } else if (built) {
        ok = keep(j, error);
    } else if (c->output.bytes && strstr(c->output.bytes, strerror(ENOSPC))) {
        errno = ENOSPC;
        ok = environment_error(error, "compile in", j->shared->cache.folder);
    } else {
        take_message(j);
    }
    forget_said(j);
    build_place_remove(&j->place);
    return ok;
}

static void job_free(struct job *j) {
    if (j->started) {
        command_finish(&j->command, &j->run);
        forget_said(j);
    }
    build_place_remove(&j->place);
    walled_words_free(&j->command_words);
    compile_words_free(&j->words);
    sources_free(&j->headers);
    free(j->toolkit);
}

/* ---- all jobs ---- */

/* Headers of ours that cannot be read are a set-up error. */
static bool read_ours(struct sources *to, const char *folder, char error[]) {
    char *why;
    if (sources_read(to, folder, true, &why)) return true;
    snprintf(error, COMPILE_ERROR_BYTES, "%s", why ? why : "out of memory");
    free(why);
    return false;
}

/* false: set-up error. A job that needs no compiler has no folder to fill. */
static bool prepare(struct job *j, char error[]) {
    const struct compile_settings *s = j->shared->settings;
    const char *why;
    bool gone;
    if (!find_source(j, &gone, error) ||
        told_of_library(j, digest_library_in_source(j->source)))
        return !gone;
    char *compiler =
        toolchain_compiler(s->build_folder, j->lab->language, &why);
    if (!compiler) snprintf(error, COMPILE_ERROR_BYTES, "%s", why);
    if (!compiler) return false;
    j->toolkit = walled_toolkit(compiler);
    compile_words_make(&j->words, s, j->lab, compiler, j->source,
                       j->shared->is_reference);
    if (!read_ours(&j->headers, j->lab->folder, error)) return false;
    if (look_into_cache(j)) return true;
    if (s->progress) s->progress(s->user, j->lab, "compiling");
    return start(j, false, error);
}

static bool open_shared(struct shared *s, char error[]) {
    const struct compile_settings *c = s->settings;
    char *common = text_format("%s/labs/common", c->root);
    char *reference = text_format("%s/reference", c->root);
    s->is_reference = tree_is(c->submission, reference);
    s->walled = c->walled ? c->walled : &s->own_walled;
    bool ok =
        common &&
        (c->walled || walled_open(&s->own_walled, c->build_folder, error)) &&
        cache_open(&s->cache, c->cache, c->build_folder, c->cache_mib, error) &&
        read_ours(&s->common, common, error);
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

static void close_shared(struct shared *s) {
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

bool compile_labs(const struct compile_settings *s, struct lab *const *labs,
                  size_t n, struct compiled *out,
                  char error[COMPILE_ERROR_BYTES]) {
    struct job *jobs = calloc(n ? n : 1, sizeof *jobs);
    struct shared shared = {.settings = s};
    size_t running = 0, next = 0;
    memset(out, 0, n * sizeof *out);
    snprintf(error, COMPILE_ERROR_BYTES, "out of memory");
    bool ok = jobs != NULL && open_shared(&shared, error);
    for (size_t i = 0; jobs && i < n; i++)
        jobs[i] =
            (struct job){.shared = &shared, .lab = labs[i], .out = &out[i]};
    /* Jobs finish in the order they start. */
    for (size_t i = 0; ok && (i < n || next < i);) {
        if (i < n && running < AT_A_TIME) {
            ok = prepare(&jobs[i], error);
            running += jobs[i++].started;
            continue;
        }
        while (next < i && !jobs[next].started) next++;
        if (next == i) continue;
        for (size_t k = next + 1; k < i; k++)
            if (jobs[k].started) jobs[next].beside = &jobs[k];
        ok = finish(&jobs[next], error);
        running--;
    }
    for (size_t i = 0; jobs && i < n; i++) job_free(&jobs[i]);
    free(jobs);
    close_shared(&shared);
    if (!ok) compile_free(out, n);
    return ok;
}

void compile_free(struct compiled *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(out[i].library);
        free(out[i].error);
        free(out[i].warnings);
        if (out[i].held) close(out[i].held);
        out[i] = (struct compiled){0};
    }
}
