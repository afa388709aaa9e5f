/* SPDX-License-Identifier: MIT
 *
 * units.c: see units.h.
 */
#include "units.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "toolchain.h"
#include "digest.h"
#include "own_folder.h"
#include "text.h"
#include "tree.h"

enum {
    LIMIT_MS = 300000, /* CUB's radix sort takes long on a slow machine */
    MOST_WORDS = 32,
    MESSAGE_BYTES = 1200
};

const struct unit unit_worker = {"worker",
                                 "grader/judge/gpu",
                                 "worker.cu holder.cu data.cu check.cu",
                                 "-ldl",
                                 true,
                                 false};
const struct unit unit_baselines = {
    "baselines", "grader/judge/gpu", "baselines.cu", "", false, false};

struct build {
    char *nvcc, *root;      /* root: a whole path, since nvcc runs elsewhere */
    char *folder;           /* the cache */
    char *contract, *judge; /* folders of headers that every unit may use */
    char *newer_cub;        /* another one, for those that want it */
    char architecture[32];
    char *runtime[TOOLCHAIN_RUNTIME];
    struct text version; /* what nvcc says it is */
};

/* ---- the key ---- */

static void digest_file(struct digest *h, const char *folder,
                        const char *name) {
    char *path = text_format("%s/%s", folder, name);
    size_t bytes;
    char *content = path ? digest_read(path, &bytes) : NULL;
    if (content) digest_bytes(h, content, bytes);
    free(content);
    free(path);
}

/* The unit's sources and all that they may include. */
static void digest_sources(struct digest *h, const struct build *b,
                           const struct unit *u) {
    static const char *const shared[] = {
        "bench_wire.h",   "frame.h",         "tables.h",
        "trampolines.h",  "bench_types.def", "operations.def",
        "signatures.def", "parameters.def",  "types.def"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        digest_file(h, b->contract, shared[i]);
    digest_headers(h, b->judge);
    char *folder = text_format("%s/%s", b->root, u->folder);
    char *words = text_format("%s", u->sources), *rest = NULL;
    for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word;
         word = strtok_r(NULL, " ", &rest))
        digest_file(h, folder, word);
    free(words);
    free(folder);
    if (u->newer_cub) digest_file(h, b->newer_cub, "fetched");
}

static char *place_of(const struct build *b, const struct unit *u) {
    struct digest h = DIGEST_START;
    digest_sources(&h, b, u);
    digest_bytes(&h, u->sources, strlen(u->sources));
    digest_bytes(&h, u->more, strlen(u->more));
    digest_bytes(&h, b->architecture, strlen(b->architecture));
    if (b->version.bytes) digest_bytes(&h, b->version.bytes, b->version.size);
    return text_format("%s/%s-%016llx%s", b->folder, u->name,
                       (unsigned long long)(h.a ^ h.b),
                       u->is_program ? "" : ".so");
}

static void read_version(struct build *b) {
    const char *const version[] = {b->nvcc, "--version", NULL};
    struct command c = {
        .arguments = version, .limit_ms = LIMIT_MS, .output_limit = 4096};
    command_run(&c);
    b->version = c.output;
}

/* ---- one unit ---- */

struct job {
    const struct unit *unit;
    const char *path; /* its place in the cache */
    const char *words[MOST_WORDS];
    char *split;  /* sources and more, cut into words */
    char *folder; /* where nvcc runs */
    char *fresh;  /* what nvcc writes; renamed when it is whole */
    struct command command;
    struct command_run run;
    bool started;
};

static void units_add(struct job *j, const char *word) {
    size_t n = 0;
    while (j->words[n]) n++;
    if (n + 1 < MOST_WORDS) j->words[n] = word;
}

static void add_all(struct job *j, const char *const *words) {
    for (; *words; words++) units_add(j, *words);
}

static bool units_start(const struct build *b, struct job *j) {
    static const char *const library[] = {"-shared", "-Xcompiler", "-fPIC",
                                          NULL};
    const char *const all[] = {
        "-std=c++17", "-O3",       "-Xcudafe", "--diag_suppress=177",
        "-I",         b->contract, "-I",       b->judge,
        NULL};
    char *rest = NULL;
    j->split = text_format("%s %s", j->unit->sources, j->unit->more);
    j->folder = text_format("%s/%s", b->root, j->unit->folder);
    j->fresh =
        text_format("%s/fresh.%d.%s", b->folder, (int)getpid(), j->unit->name);
    if (!j->split || !j->folder || !j->fresh) return false;
    units_add(j, b->nvcc);
    add_all(j, all);
    for (size_t i = 0; i < TOOLCHAIN_RUNTIME && b->runtime[i]; i++)
        units_add(j, b->runtime[i]);
    units_add(j, b->architecture);
    if (j->unit->newer_cub) {
        units_add(j, "-I");
        units_add(j, b->newer_cub);
    }
    if (!j->unit->is_program) add_all(j, library);
    for (char *word = strtok_r(j->split, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        units_add(j, word);
    units_add(j, "-o");
    units_add(j, j->fresh);
    j->command = (struct command){.arguments = j->words,
                                  .folder = j->folder,
                                  .limit_ms = LIMIT_MS,
                                  .output_limit = 1 << 16};
    errno = command_start(&j->command, &j->run);
    j->started = errno == 0;
    return j->started;
}

/* Does nvcc find CUB's headers? It is asked for one of them alone. */
static bool has_cub(const struct job *j) {
    const char *const words[] = {j->words[0], "-E",       "-x",
                                 "cu",        "-include", "cub/version.cuh",
                                 "/dev/null", NULL};
    struct command c = {
        .arguments = words, .limit_ms = LIMIT_MS, .output_limit = 4096};
    bool found = command_run(&c);
    text_free(&c.output);
    return found;
}

static void explain(const struct job *j, char error[]) {
    const char *output = j->command.output.bytes;
    size_t size = j->command.output.size;
    if (j->started && !j->command.stopped && !has_cub(j)) {
        snprintf(error, UNITS_ERROR_BYTES,
                 "no CUB or Thrust beside nvcc: they are the peers that are "
                 "timed; install CCCL (part of the CUDA toolkit, or pip's "
                 "nvidia-cuda-cccl)");
        return;
    }
    char *shown = output ? text_printable(output, size, MESSAGE_BYTES) : NULL;
    snprintf(error, UNITS_ERROR_BYTES, "cannot compile %s (%s)%s:\n%s",
             j->unit->folder, j->unit->sources,
             j->command.stopped ? ", stopped after five minutes" : "",
             shown ? shown : "no message");
    free(shown);
}

static bool finish(struct job *j, char error[]) {
    struct command *c = &j->command;
    if (j->started) command_finish(c, &j->run);
    bool built = j->started && !c->stopped && WIFEXITED(c->status) &&
                 WEXITSTATUS(c->status) == 0;
    bool ok = built && rename(j->fresh, j->path) == 0;
    if (!built)
        explain(j, error);
    else if (!ok)
        snprintf(error, UNITS_ERROR_BYTES, "cannot write %s: %s", j->path,
                 strerror(errno));
    if (!ok && j->fresh) unlink(j->fresh);
    text_free(&c->output);
    free(j->split);
    free(j->folder);
    free(j->fresh);
    return ok;
}

/* ---- all ---- */

static bool make_cache(const char *folder, char error[]) {
    if (tree_make(folder)) return true;
    snprintf(error, UNITS_ERROR_BYTES, "cannot make the folder %s: %s", folder,
             strerror(errno));
    return false;
}

/* At most as many at a time as there are cores. */
static bool compile(const struct build *b, struct job *jobs, size_t n,
                    char error[]) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = cores > 1 ? (size_t)cores : 1, begun = 0, done = 0;
    bool ok = true;
    while (done < begun || (ok && begun < n)) {
        if (ok && begun < n && begun - done < most) {
            ok = units_start(b, &jobs[begun]);
            if (!ok)
                snprintf(error, UNITS_ERROR_BYTES, "cannot start %s: %s",
                         b->nvcc, strerror(errno));
            begun++;
            continue;
        }
        char ignored[UNITS_ERROR_BYTES];
        ok = finish(&jobs[done++], ok ? error : ignored) && ok;
    }
    return ok;
}

/* Where everything is; false: error says what is missing. */
static bool open_build(struct build *b, const char *root,
                       const char *build_folder, int capability, char error[]) {
    char *whole = realpath(own_home(root, build_folder), NULL);
    *b = (struct build){.nvcc = toolchain_nvcc(build_folder),
                        .root = whole,
                        .folder = own_folder(build_folder, "bench")};
    snprintf(b->architecture, sizeof b->architecture, "-arch=sm_%d",
             capability);
    snprintf(error, UNITS_ERROR_BYTES, "out of memory");
    if (!b->nvcc) {
        snprintf(error, UNITS_ERROR_BYTES,
                 "no CUDA compiler: nvcc is not in $SCANLAB_NVCC, PATH, "
                 "$CUDA_HOME/bin or /usr/local/cuda/bin; install the CUDA "
                 "toolkit");
        return false;
    }
    b->contract = whole ? text_format("%s/grader/contract", whole) : NULL;
    b->judge = whole ? text_format("%s/grader/judge/gpu", whole) : NULL;
    b->newer_cub = b->folder ? text_format("%s/cccl", b->folder) : NULL;
    if (!b->newer_cub || !b->contract || !b->judge) return false;
    read_version(b);
    toolchain_runtime(b->nvcc, b->runtime);
    return make_cache(b->folder, error);
}

static void close_build(struct build *b) {
    text_free(&b->version);
    for (size_t i = 0; i < TOOLCHAIN_RUNTIME; i++) free(b->runtime[i]);
    free(b->newer_cub);
    free(b->judge);
    free(b->contract);
    free(b->folder);
    free(b->root);
    free(b->nvcc);
}

bool units_newer_cub(const char *build_folder) {
    char *folder = own_folder(build_folder, "bench");
    char *path = folder ? text_format("%s/cccl/fetched", folder) : NULL;
    bool there = path && access(path, R_OK) == 0;
    free(path);
    free(folder);
    return there;
}

bool units_build(const struct unit *const *list, size_t n, char **paths,
                 const char *root, const char *build_folder, int capability,
                 void (*compiling)(void *user, size_t n), void *user,
                 char error[UNITS_ERROR_BYTES]) {
    struct build b;
    struct job jobs[UNITS_MOST] = {0};
    size_t missing = 0;
    bool ok = open_build(&b, root, build_folder, capability, error);
    for (size_t i = 0; ok && i < n; i++) {
        paths[i] = place_of(&b, list[i]);
        ok = paths[i] != NULL;
        if (ok && access(paths[i], X_OK) != 0)
            jobs[missing++] = (struct job){.unit = list[i], .path = paths[i]};
    }
    if (ok && missing && compiling) compiling(user, missing);
    ok = ok && compile(&b, jobs, missing, error);
    close_build(&b);
    return ok;
}

void units_free(char **paths, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(paths[i]);
        paths[i] = NULL;
    }
}
