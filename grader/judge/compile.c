/* SPDX-License-Identifier: MIT
 *
 * compile.c: see compile.h. How to read this: a `job` is one lab's source on
 * its way to a library. prepare reads the source and looks into the cache;
 * start copies it to a fresh folder (so that an editor may save meanwhile) and
 * runs the compiler there; finish takes the message or moves the folder into
 * the cache.
 */
#include "compile.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "compiler_says.h"
#include "compile_words.h"
#include "digest.h"
#include "text.h"
#include "toolchain.h"

enum { LIMIT_MS = 180000, AT_A_TIME = 2 };

struct job {
    const struct compile_settings *settings;
    const struct lab *lab;
    struct compiled *out;
    char *source; /* its text */
    size_t source_bytes;
    char *folder, *fresh; /* in the cache; being filled */
    struct compile_words words;
    struct command command;
    struct command_run run;
    bool started;
};

bool compile_arch_by_name(const char *text, int *arch) {
    static const int known[] = {75, 80, 90}; /* COMPILE_ARCHES */
    char *end;
    long number = strtol(text, &end, 10);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (*text && !*end && number == known[i]) {
            *arch = known[i];
            return true;
        }
    return false;
}

/* ---- the cache's key ---- */

static char *cache_folder(const struct job *j) {
    struct digest h = DIGEST_START;
    struct stat compiler;
    digest_bytes(&h, j->source, j->source_bytes);
    digest_headers(&h, j->lab->folder);
    char *common = text_format("%s/labs/common", j->settings->root);
    digest_headers(&h, common);
    digest_headers(&h, j->settings->submission);
    free(common);
    for (const char *const *word = j->words.at; *word; word++)
        digest_bytes(&h, *word, strlen(*word));
    if (stat(j->words.at[0], &compiler) == 0) {
        digest_bytes(&h, &compiler.st_mtim, sizeof compiler.st_mtim);
        digest_bytes(&h, &compiler.st_size, sizeof compiler.st_size);
    }
    return text_format("%s/submissions/%016llx%016llx",
                       j->settings->build_folder, (unsigned long long)h.a,
                       (unsigned long long)h.b);
}

/* ---- one job ---- */

/* The source must be a readable file of sensible size; else the lab's error. */
static bool read_source(struct job *j) {
    char *path = text_format("%s/%s", j->settings->submission, j->lab->source);
    struct stat file;
    const char *why = NULL;
    if (!path || stat(path, &file) != 0)
        why = strerror(errno);
    else if (!S_ISREG(file.st_mode))
        why = "not a file";
    else if (file.st_size >= DIGEST_FILE_LIMIT)
        why = "larger than 4 MiB";
    else if (!(j->source = digest_read(path, &j->source_bytes)))
        why = strerror(errno);
    if (why)
        j->out->error = text_format("cannot read %s in the submission: %s",
                                    j->lab->source, why);
    free(path);
    return why == NULL;
}

/* The key knows the headers of three folders; of others, such as "../mine.h",
 * only the compiler's list does. */
static bool is_stale(const struct job *j, const char *library) {
    struct stat built;
    size_t bytes;
    char *path = text_format("%s/depends", j->folder);
    char *list = path ? digest_read(path, &bytes) : NULL;
    bool stale = list && stat(library, &built) == 0 &&
                 digest_changed_since(list, &built.st_mtim);
    free(list);
    free(path);
    return stale;
}

static bool take_library(struct job *j, bool fresh) {
    char *library = text_format("%s/library.so", j->folder);
    if (library && access(library, R_OK) == 0 &&
        (fresh || !is_stale(j, library))) {
        j->out->library = library;
        j->out->warnings = compiler_warnings_read(j->folder);
        return true;
    }
    free(library);
    return false;
}

static bool environment_error(char error[COMPILE_ERROR_BYTES], const char *what,
                              const char *path) {
    snprintf(error, COMPILE_ERROR_BYTES, "cannot %s %s: %s", what, path,
             strerror(errno));
    return false;
}

static bool write_source(const struct job *j, char error[]) {
    char *path = text_format("%s/%s", j->fresh, j->lab->source);
    FILE *file = path ? fopen(path, "wb") : NULL;
    bool ok = file != NULL;
    if (file) {
        ok = fwrite(j->source, 1, j->source_bytes, file) == j->source_bytes;
        ok = fclose(file) == 0 && ok;
    }
    if (!ok) environment_error(error, "write", path ? path : j->fresh);
    free(path);
    return ok;
}

/* Makes a folder and those above it. */
static bool make_folder(const char *path, char error[]) {
    char *copy = text_format("%s", path);
    bool ok = copy != NULL;
    for (char *at = copy ? copy + 1 : NULL; ok && at;) {
        at = strchr(at, '/');
        if (at) *at = '\0';
        ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
        if (at) *at++ = '/';
    }
    if (!ok) environment_error(error, "make the folder", path);
    free(copy);
    return ok;
}

static unsigned limit_of(const struct job *j) {
    return j->settings->limit_ms ? j->settings->limit_ms : LIMIT_MS;
}

static bool start_compiler(struct job *j, char error[]) {
    j->command = (struct command){.arguments = j->words.at,
                                  .folder = j->fresh,
                                  .limit_ms = limit_of(j),
                                  .output_limit = 1 << 20};
    errno = command_start(&j->command, &j->run);
    j->started = errno == 0;
    return j->started || environment_error(error, "start", j->words.at[0]);
}

static bool start(struct job *j, char error[]) {
    const struct compile_settings *s = j->settings;
    char *place = text_format("%s/submissions", s->build_folder);
    bool ok = place && make_folder(place, error);
    j->fresh = place ? text_format("%s/fresh.XXXXXX", place) : NULL;
    free(place);
    if (!ok || !j->fresh) return false;
    if (!mkdtemp(j->fresh)) {
        environment_error(error, "make a folder in", s->build_folder);
        free(j->fresh);
        j->fresh = NULL;
        return false;
    }
    return write_source(j, error) && start_compiler(j, error);
}

static void take_message(struct job *j) {
    struct text *t = &j->command.output;
    if (j->command.timed_out) {
        j->out->error = text_format("the compiler was stopped after %u seconds",
                                    limit_of(j) / 1000);
        return;
    }
    if (t->bytes)
        j->out->error = compiler_words(t->bytes, j->fresh, j->settings->root);
    if (!j->out->error)
        j->out->error = text_format("the compiler failed without a message");
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
    char *path = text_format("%s/depends", j->fresh);
    size_t bytes;
    char *list = path ? digest_read(path, &bytes) : NULL;
    char *header = list ? digest_library_in_depends(list) : NULL;
    free(list);
    free(path);
    return header;
}

static void remove_folder(const char *folder) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(folder);
}

static bool move_to_cache(struct job *j, char error[]) {
    bool moved = rename(j->fresh, j->folder) == 0;
    if (!moved && (errno == EEXIST || errno == ENOTEMPTY)) {
        /* Another grader was faster, or it was stale. */
        if (take_library(j, false)) return true;
        remove_folder(j->folder);
        moved = rename(j->fresh, j->folder) == 0;
    }
    if (!moved) return environment_error(error, "make the folder", j->folder);
    if (take_library(j, true)) return true;
    return environment_error(error, "read the library in", j->folder);
}

static bool end_compiler(struct job *j) {
    struct command *c = &j->command;
    command_finish(c, &j->run);
    j->started = false;
    return !c->timed_out && WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
}

static void keep_warnings(const struct job *j) {
    char *said = j->command.output.bytes;
    char *words =
        said ? compiler_words(said, j->fresh, j->settings->root) : NULL;
    compiler_warnings_write(j->fresh, words);
    free(words);
}

static bool finish(struct job *j, char error[]) {
    struct command *c = &j->command;
    bool built = end_compiler(j);
    if (!built && !c->timed_out && compile_words_complete(&j->words)) {
        text_free(&c->output);
        if (!start_compiler(j, error)) return false;
        built = end_compiler(j);
    }
    bool ok = true;
    if (told_of_library(j, header_of_build(j))) {
        /* the error is set */
    } else if (built) {
        keep_warnings(j);
        ok = move_to_cache(j, error);
    } else if (!built && c->output.bytes &&
               strstr(c->output.bytes, strerror(ENOSPC))) {
        errno = ENOSPC;
        ok = environment_error(error, "compile in", j->settings->build_folder);
    } else if (!built) {
        take_message(j);
    }
    text_free(&c->output);
    return ok;
}

static void job_free(struct job *j) {
    if (j->started) {
        command_finish(&j->command, &j->run);
        text_free(&j->command.output);
    }
    if (j->fresh) remove_folder(j->fresh);
    compile_words_free(&j->words);
    free(j->source);
    free(j->folder);
    free(j->fresh);
}

/* ---- all jobs ---- */

static char *find_compiler(const struct compile_settings *s,
                           enum lab_language language, char error[]) {
    char *found = language == LAB_CUDA ? toolchain_nvcc(s->build_folder)
                                       : toolchain_in_path("cc");
    if (found) return found;
    snprintf(error, COMPILE_ERROR_BYTES, "%s",
             language == LAB_CUDA
                 ? "no CUDA compiler: nvcc is not in $SCANLAB_NVCC, PATH, "
                   "$CUDA_HOME/bin or /usr/local/cuda/bin; `make setup` gets "
                   "one, or install the CUDA toolkit"
                 : "no C compiler: cc is not in PATH; install one (Debian, "
                   "Ubuntu: apt install gcc)");
    return NULL;
}

/* false: set-up error. A job that needs no compiler has no folder to fill. */
static bool prepare(struct job *j, char error[]) {
    if (!read_source(j) ||
        told_of_library(j, digest_library_in_source(j->source)))
        return true;
    char *compiler = find_compiler(j->settings, j->lab->language, error);
    if (!compiler) return false;
    compile_words_make(&j->words, j->settings, j->lab, compiler, j->source);
    j->folder = cache_folder(j);
    if (!j->folder) return environment_error(error, "name", "a folder");
    if (take_library(j, false)) return true;
    if (j->settings->progress)
        j->settings->progress(j->settings->user, j->lab, "compiling");
    return start(j, error);
}

bool compile_labs(const struct compile_settings *s, struct lab *const *labs,
                  size_t n, struct compiled *out,
                  char error[COMPILE_ERROR_BYTES]) {
    struct job *jobs = calloc(n ? n : 1, sizeof *jobs);
    bool ok = jobs != NULL;
    size_t running = 0, next = 0;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; jobs && i < n; i++)
        jobs[i] = (struct job){.settings = s, .lab = labs[i], .out = &out[i]};
    /* Jobs finish in the order they start. */
    for (size_t i = 0; ok && (i < n || next < i);) {
        if (i < n && running < AT_A_TIME) {
            ok = prepare(&jobs[i], error);
            running += jobs[i++].started;
            continue;
        }
        while (next < i && !jobs[next].started) next++;
        if (next == i) continue;
        ok = finish(&jobs[next], error);
        running--;
    }
    for (size_t i = 0; jobs && i < n; i++) job_free(&jobs[i]);
    free(jobs);
    if (!ok) compile_free(out, n);
    return ok;
}

void compile_free(struct compiled *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(out[i].library);
        free(out[i].error);
        free(out[i].warnings);
        out[i] = (struct compiled){0};
    }
}
