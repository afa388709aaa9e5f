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
#include "compile.h"
#include "digest.h"
#include "text.h"

/* The room that judge and worker share, from bench/gpu, where nvcc runs. */
#define CONTRACT "../../grader/contract"

enum {
    LIMIT_MS = 300000, /* CUB's radix sort takes long on a slow machine */
    MOST_WORDS = 32,
    MESSAGE_BYTES = 1200
};

static const struct {
    const char *name, *sources, *more;
} units[] = {
#define X(name, sources, more) {#name, sources, more},
#include "units.def"
#undef X
};

struct build {
    const char *nvcc, *sources; /* bench/gpu */
    char *folder;               /* the cache */
    char architecture[32];
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

/* Does `list`, words with blanks between them, hold the name? */
static bool holds(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* All that is included, and of the sources those of the unit. */
static void digest_sources(struct digest *h, const char *folder, int unit) {
    static const char *const shared[] = {
        "bench_wire.h",   "frame.h",         "tables.h",
        "trampolines.h",  "bench_types.def", "operations.def",
        "signatures.def", "parameters.def",  "types.def"};
    char *contract = text_format("%s/" CONTRACT, folder);
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        bool source = dot && strcmp(dot, ".cu") == 0;
        if (*name != '.' && strcmp(name, "units.def") != 0 &&
            (!source || holds(units[unit].sources, name)))
            digest_file(h, folder, name);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    for (size_t i = 0; contract && i < sizeof shared / sizeof *shared; i++)
        digest_file(h, contract, shared[i]);
    free(contract);
}

static char *place_of(const struct build *b, int unit) {
    struct digest h = DIGEST_START;
    digest_sources(&h, b->sources, unit);
    digest_bytes(&h, units[unit].sources, strlen(units[unit].sources));
    digest_bytes(&h, units[unit].more, strlen(units[unit].more));
    digest_bytes(&h, b->architecture, strlen(b->architecture));
    if (b->version.bytes) digest_bytes(&h, b->version.bytes, b->version.size);
    return text_format("%s/%s-%016llx%s", b->folder, units[unit].name,
                       (unsigned long long)(h.a ^ h.b),
                       unit == UNIT_worker ? "" : ".so");
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
    const char *words[MOST_WORDS];
    char *split; /* sources and more, cut into words */
    char *fresh; /* where nvcc writes; renamed when it is whole */
    struct command command;
    struct command_run run;
    int unit;
    bool started;
};

static void add(struct job *j, const char *word) {
    size_t n = 0;
    while (j->words[n]) n++;
    if (n + 1 < MOST_WORDS) j->words[n] = word;
}

static bool start(const struct build *b, struct job *j, int unit) {
    static const char *const library[] = {"-shared", "-Xcompiler", "-fPIC",
                                          NULL};
    static const char *const all[] = {
        "-std=c++17",          "-O3", "-cudart", "shared", "-Xcudafe",
        "--diag_suppress=177", "-I",  CONTRACT,  NULL};
    char *rest = NULL;
    *j = (struct job){.unit = unit};
    j->split = text_format("%s %s", units[unit].sources, units[unit].more);
    j->fresh = text_format("%s/fresh.%d.%s", b->folder, (int)getpid(),
                           units[unit].name);
    if (!j->split || !j->fresh) return false;
    add(j, b->nvcc);
    for (int i = 0; all[i]; i++) add(j, all[i]);
    add(j, b->architecture);
    for (int i = 0; unit != UNIT_worker && library[i]; i++) add(j, library[i]);
    for (char *word = strtok_r(j->split, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        add(j, word);
    add(j, "-o");
    add(j, j->fresh);
    j->command = (struct command){.arguments = j->words,
                                  .folder = b->sources,
                                  .limit_ms = LIMIT_MS,
                                  .output_limit = 1 << 16};
    errno = command_start(&j->command, &j->run);
    j->started = errno == 0;
    return j->started;
}

static void explain(const struct job *j, char error[]) {
    const char *output = j->command.output.bytes;
    size_t size = j->command.output.size;
    if (output && strstr(output, "cub/") && strstr(output, "No such file")) {
        snprintf(error, UNITS_ERROR_BYTES,
                 "no CUB or Thrust beside nvcc: they are the peers that are "
                 "timed; install CCCL (part of the CUDA toolkit, or pip's "
                 "nvidia-cuda-cccl)");
        return;
    }
    char *shown = output ? text_printable(output, size, MESSAGE_BYTES) : NULL;
    snprintf(error, UNITS_ERROR_BYTES, "cannot compile bench/gpu (%s)%s:\n%s",
             units[j->unit].sources,
             j->command.timed_out ? ", stopped after five minutes" : "",
             shown ? shown : "no message");
    free(shown);
}

/* path: its place in the cache. */
static bool finish(struct job *j, const char *path, char error[]) {
    struct command *c = &j->command;
    if (j->started) command_finish(c, &j->run);
    bool built = j->started && !c->timed_out && WIFEXITED(c->status) &&
                 WEXITSTATUS(c->status) == 0;
    bool ok = built && rename(j->fresh, path) == 0;
    if (!built)
        explain(j, error);
    else if (!ok)
        snprintf(error, UNITS_ERROR_BYTES, "cannot write %s: %s", path,
                 strerror(errno));
    if (!ok && j->fresh) unlink(j->fresh);
    text_free(&c->output);
    free(j->split);
    free(j->fresh);
    return ok;
}

/* ---- all ---- */

static bool make_cache(const char *folder, char error[]) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
    snprintf(error, UNITS_ERROR_BYTES, "cannot make the folder %s: %s", folder,
             strerror(errno));
    return false;
}

/* At most as many at a time as there are cores. */
static bool compile(const struct build *b, const int *missing, size_t n,
                    struct units *out, char error[]) {
    struct job jobs[N_UNITS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = cores > 1 ? (size_t)cores : 1, begun = 0, done = 0;
    bool ok = true;
    while (done < begun || (ok && begun < n)) {
        if (ok && begun < n && begun - done < most) {
            ok = start(b, &jobs[begun], missing[begun]);
            if (!ok)
                snprintf(error, UNITS_ERROR_BYTES, "cannot start %s: %s",
                         b->nvcc, strerror(errno));
            begun++;
            continue;
        }
        char ignored[UNITS_ERROR_BYTES];
        struct job *j = &jobs[done++];
        ok = finish(j, out->paths[j->unit], ok ? error : ignored) && ok;
    }
    return ok;
}

static bool build_missing(struct build *b, unsigned needed, struct units *out,
                          void (*compiling)(void *user, size_t n), void *user,
                          char error[]) {
    int missing[N_UNITS];
    size_t n = 0;
    for (int i = 0; i < N_UNITS; i++) {
        if (!(needed >> i & 1)) continue;
        out->paths[i] = place_of(b, i);
        if (!out->paths[i]) return false;
        if (access(out->paths[i], X_OK) != 0) missing[n++] = i;
    }
    if (n && compiling) compiling(user, n);
    return n == 0 || compile(b, missing, n, out, error);
}

bool units_build(struct units *out, const char *root, const char *build_folder,
                 int capability, unsigned needed,
                 void (*compiling)(void *user, size_t n), void *user,
                 char error[UNITS_ERROR_BYTES]) {
    char *nvcc = compile_find_nvcc(build_folder);
    char *sources = text_format("%s/bench/gpu", root);
    struct build b = {.nvcc = nvcc, .sources = sources};
    bool ok = false;
    *out = (struct units){0};
    snprintf(error, UNITS_ERROR_BYTES, "out of memory");
    snprintf(b.architecture, sizeof b.architecture, "-arch=sm_%d", capability);
    if (!nvcc)
        snprintf(error, UNITS_ERROR_BYTES,
                 "no CUDA compiler: nvcc is not in $SCANLAB_NVCC, PATH, "
                 "$CUDA_HOME/bin or /usr/local/cuda/bin; install the CUDA "
                 "toolkit");
    else if (sources && access(sources, R_OK) != 0)
        snprintf(error, UNITS_ERROR_BYTES, "cannot read %s: %s", sources,
                 strerror(errno));
    else if (sources && (b.folder = text_format("%s/bench", build_folder))) {
        read_version(&b);
        ok = make_cache(b.folder, error) &&
             build_missing(&b, needed, out, compiling, user, error);
    }
    text_free(&b.version);
    free(b.folder);
    free(nvcc);
    free(sources);
    return ok;
}

void units_free(struct units *u) {
    for (int i = 0; i < N_UNITS; i++) free(u->paths[i]);
    *u = (struct units){0};
}
