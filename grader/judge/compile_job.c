/* SPDX-License-Identifier: MIT
 *
 * compile_job.c: see compile_job.h.
 */
#include "compile_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler_says.h"
#include "digest.h"
#include "distribution.h"
#include "machine.h"
#include "speed.h"
#include "text.h"
#include "time_limit.h"
#include "toolchain.h"
#include "translate.h"
#include "tree.h"

enum {
    LIST_BYTES = 4 << 20,
    SAID_BYTES = 256 << 10 /* much more than is shown */
};

static bool environment_error(char error[COMPILE_ERROR_BYTES], const char *what,
                              const char *path) {
    snprintf(error, COMPILE_ERROR_BYTES, "cannot %s %s: %s", what, path,
             strerror(errno));
    return false;
}

/* ---- the cache ---- */

static void make_key(struct compile_job *j, bool all_units) {
    struct key key;
    key_start(&key);
    compile_words_key(&j->words, &key);
    sources_key(&j->shared->own, &key, j->lab->source, all_units);
    sources_key(&j->headers, &key, "", false);
    sources_key(&j->shared->common, &key, "", false);
    key_end(&key, j->keys[all_units]);
}

/* false: out of memory. Takes the entry. */
static bool take_entry(struct compile_job *j, char *entry) {
    j->out->library = text_format("%s/library.so", entry);
    j->out->warnings = compiler_warnings_read(entry);
    free(entry);
    return j->out->library != NULL;
}

static bool look_into_cache(struct compile_job *j) {
    bool more = sources_has_other_units(&j->shared->own, j->lab->source);
    for (int all = 0; all <= more; all++) {
        make_key(j, all);
        char *entry =
            cache_take(&j->shared->cache, j->keys[all], &j->out->held);
        if (entry) return take_entry(j, entry);
    }
    return false;
}

/* ---- its begin ---- */

static bool has_function(const struct source_file *f, const struct lab *lab) {
    for (size_t i = 0; i < lab->n_functions; i++)
        if (strstr(f->bytes, lab->functions[i].symbol)) return true;
    return false;
}

/* Another file, which no lab has, that names one of the lab's functions: most
 * likely the lab's source under another name. Nothing but words hangs on it. */
static const struct source_file *likely_source(const struct compile_job *j) {
    const struct sources *own = &j->shared->own;
    for (size_t i = 0; i < own->n; i++)
        if (own->files[i].unit && has_function(&own->files[i], j->lab))
            return &own->files[i];
    return NULL;
}

/* why: it is there, and odd; NULL: it is not there. */
static void say_why_not(struct compile_job *j, const char *why) {
    const char *name = j->lab->source;
    const struct source_file *likely = why ? NULL : likely_source(j);
    j->out->state = why || likely ? LAB_NEEDS_LOOK : LAB_NOT_HANDED_IN;
    if (why)
        j->out->error =
            text_format(_("%s cannot be graded as it is: %s"), name, why);
    else if (likely)
        j->out->error = text_format(
            _("there is no %s; %s may be it: call it %s, and grade again"),
            name, likely->name, name);
    else
        j->out->error =
            text_format(_("there is no %s in the submission"), name);
}

/* The source must be a readable file of sensible size; else the lab's error.
 * *gone: the folder is none any more, or cannot be read: set-up error. */
static bool find_source(struct compile_job *j, bool *gone, char error[]) {
    const struct compile_shared *s = j->shared;
    const char *folder = s->settings->submission, *name = j->lab->source;
    const struct source_file *file = sources_find(&s->own, name);
    bool its_fault = true, there = false;
    j->source = file ? file->bytes : NULL;
    if (!file && s->too_many) {
        j->out->state = LAB_NEEDS_LOOK;
        j->out->error = text_format("%s", s->too_many);
    } else if (file && file->odd) {
        say_why_not(j, file->odd);
    } else if (!file) {
        const char *why = sources_why_not(folder, name, &its_fault, &there);
        snprintf(error, COMPILE_ERROR_BYTES, "cannot read %s in %s: %s", name,
                 folder, why);
        if (its_fault) say_why_not(j, there ? why : NULL);
    }
    *gone = !its_fault;
    return file && !file->odd;
}

/* Of all compilers that a source needs, one after the other: of processors, for
 * others may want them, too. */
static unsigned limit_of(const struct compile_job *j) {
    const struct compile_settings *s = j->shared->settings;
    return s->limit_ms ? s->limit_ms
                       : speed_limit(COMPILE_LIMIT_MS, s->slowness);
}

static bool start_compiler(struct compile_job *j, char error[]) {
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

/* own: the submission's files, or others in their place. */
static bool start_with(struct compile_job *j, const struct sources *own,
                       bool all_units, char error[]) {
    const struct build_files files = {.own = own,
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

static bool compile_job_start(struct compile_job *j, bool all_units,
                              char error[]) {
    return start_with(j, &j->shared->own, all_units, error);
}

/* A library's header among the files that the compiler has read. */
static bool told_of_library(struct compile_job *j, char *header) {
    if (!header) return false;
    j->out->error = text_format(
        _("%s includes <%s>: the lab asks you to write the scan yourself, "
          "without CUB or Thrust"),
        j->lab->source, header);
    free(header);
    return true;
}

bool compile_read_headers(struct sources *to, const char *folder,
                          char error[COMPILE_ERROR_BYTES]) {
    char *why;
    if (sources_read(to, folder, true, &why)) return true;
    snprintf(error, COMPILE_ERROR_BYTES, "%s", why ? why : "out of memory");
    free(why);
    return false;
}

bool compile_job_prepare(struct compile_job *j,
                         char error[COMPILE_ERROR_BYTES]) {
    const struct compile_settings *s = j->shared->settings;
    const char *why;
    bool gone;
    if (!find_source(j, &gone, error)) return !gone;
    char *compiler =
        toolchain_compiler(s->build_folder, j->lab->language, &why);
    if (!compiler) {
        char *advice = j->lab->language == LAB_C ? distribution_advice() : NULL;
        snprintf(error, COMPILE_ERROR_BYTES, "%s%s", why, advice ? advice : "");
        free(advice);
        return false;
    }
    j->toolkit = walled_toolkit(compiler);
    compile_words_make(&j->words, s, j->lab, compiler, j->source,
                       j->shared->is_reference, j->watched);
    if (!compile_read_headers(&j->headers, j->lab->folder, error)) return false;
    if (look_into_cache(j)) return true;
    if (s->progress && !j->watched) s->progress(s->user, j->lab, "compiling");
    j->kills = machine_kills();
    return compile_job_start(j, false, error);
}

/* ---- its end ---- */

static void take_message(struct compile_job *j) {
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
                     : _("the compiler failed without a message"),
        *left_out ? _("\nleft out of the submission:\n") : "", left_out);
    free(why);
    free(said);
}

/* *error: errno of a list that cannot be read; not every compiler writes one.
 */
static char *header_of_build(const struct compile_job *j, int *error) {
    char *path = text_format("%s/depends", j->place.out);
    size_t bytes;
    char *list = path ? tree_read(path, LIST_BYTES, &bytes) : NULL;
    *error = !path ? ENOMEM : errno == ENOENT ? 0 : errno;
    char *header = list ? digest_library_in_depends(list, error) : NULL;
    free(list);
    free(path);
    return header;
}

static bool end_compiler(struct compile_job *j) {
    if (j->beside) {
        j->command.beside = &j->beside->command;
        j->command.beside_run = &j->beside->run;
    }
    command_finish(&j->command, &j->run);
    j->started = false;
    j->computed_ms += j->command.computed_ms;
    return command_worked(&j->command);
}

static void forget_said(struct compile_job *j) {
    text_free(&j->command.output);
    text_free(&j->command.trouble);
}

static bool compile_job_keep(struct compile_job *j, char error[]) {
    char *said = j->command.output.bytes;
    char *words = said ? compiler_words(said, j->place.folder.path) : NULL;
    char *entry = cache_keep(&j->shared->cache, j->keys[j->all_units],
                             j->place.out, words, &j->out->held);
    free(words);
    j->shared->kept = true;
    if (entry) return take_entry(j, entry);
    int why = errno;
    bool vanished =
        access(j->place.out, F_OK) != 0; /* not the compiler's doing */
    errno = why;
    if (!vanished && (why == EINVAL || why == ENOENT || why == ELOOP)) {
        j->out->error =
            text_format(_("the compiler made no library of less than "
                          "%d MiB"),
                        CACHE_ENTRY_MIB);
        return true;
    }
    return environment_error(error, "keep the library in",
                             j->shared->cache.folder);
}

/* Does what the compiler saw name a source of another lab? Only with it, then,
 * can the source be said not to compile. */
static bool misses_unit(const struct compile_job *j) {
    const struct sources *own = &j->shared->own;
    for (size_t i = 0; !j->all_units && i < own->n; i++) {
        const struct source_file *unit = &own->files[i];
        if (!unit->unit || strcmp(unit->name, j->lab->source) == 0) continue;
        for (size_t k = 0; k < own->n; k++) {
            const struct source_file *seen = &own->files[k];
            if ((!seen->unit || strcmp(seen->name, j->lab->source) == 0) &&
                strstr(seen->bytes, text_base(unit->name)))
                return true;
        }
    }
    return false;
}

static bool was_stopped(const struct compile_job *j) {
    return j->command.stopped || j->command.trouble.size;
}

/* With all headers; once more as before, because something may have been
 * killed, or have lacked memory, processes or files for a moment; with the
 * sources of other labs. */
static bool try_again(struct compile_job *j, bool *built, char error[]) {
    if (!*built && !was_stopped(j) && compile_words_complete(&j->words)) {
        forget_said(j);
        if (!start_compiler(j, error)) return false;
        *built = end_compiler(j);
    }
    if (!*built && !j->command.stopped) {
        forget_said(j);
        j->kills = machine_kills();
        j->computed_ms = 0; /* what was in vain is not its time */
        if (!compile_job_start(j, j->all_units, error)) return false;
        *built = end_compiler(j);
    }
    if (!*built && !was_stopped(j) && misses_unit(j)) {
        forget_said(j);
        if (!compile_job_start(j, true, error)) return false;
        *built = end_compiler(j);
    }
    return true;
}

/* ---- whose fault is it? ---- */

/* Where a compiler has failed by itself. Its words are the submission's: #error
 * says what it likes. So the machine is asked, and then the compiler, for an
 * empty file of ours in the same walls. false: it is the machine's; error. */
static bool machine_works(struct compile_job *j, char error[]) {
    struct source_file file = {
        .name = (char *)j->lab->source, .bytes = (char *)"", .unit = true};
    const struct sources empty = {.files = &file, .n = 1};
    const char *in = j->shared->cache.folder;
    errno = machine_lacks(in);
    if (!errno && machine_kills() != j->kills) errno = ENOMEM;
    if (errno) return environment_error(error, "compile in", in);
    forget_said(j);
    j->computed_ms = 0; /* the submission has used up its own time */
    if (!start_with(j, &empty, false, error)) return false;
    long long until = j->shared->settings->until;
    if (end_compiler(j) || (until && clock_ms() >= until)) return true;
    const char *said = text_string(&j->command.output);
    char *advice = distribution_advice();
    snprintf(error, COMPILE_ERROR_BYTES,
             "the compiler does not work here, an empty file does not compile"
             "%s: %s%s",
             advice ? advice : "", text_string(&j->command.trouble), said);
    free(advice);
    return false;
}

static bool judge_failure(struct compile_job *j, char error[]) {
    take_message(j);
    return j->command.stopped || machine_works(j, error);
}

bool compile_job_finish(struct compile_job *j,
                        char error[COMPILE_ERROR_BYTES]) {
    struct command *c = &j->command;
    bool built = end_compiler(j);
    if (!try_again(j, &built, error)) return false;
    bool ok = true;
    int no_list = 0;
    char *header = header_of_build(j, &no_list);
    if (c->trouble.size) {
        snprintf(error, COMPILE_ERROR_BYTES, "scanlab-walls: %s",
                 text_string(&c->trouble));
        ok = false;
    } else if (!build_place_stands(&j->place, j->lab->source)) {
        ok = environment_error(error, "compile in", j->shared->cache.folder);
    } else if (told_of_library(j, header)) {
        /* the error is set */
    } else if (built && no_list) {
        errno = no_list;
        ok = environment_error(error, "read what was included, in",
                               j->shared->cache.folder);
    } else if (built) {
        ok = compile_job_keep(j, error);
    } else {
        ok = judge_failure(j, error);
    }
    forget_said(j);
    build_place_remove(&j->place);
    return ok;
}

void compile_job_free(struct compile_job *j) {
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
