/* SPDX-License-Identifier: MIT
 *
 * crew.c: see crew.h.
 */
#include "crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "text.h"
#include "toolchain.h"

/* The fast references are long to compile, and nobody waits for points. */
enum { BENCH_COMPILE_MS = 300000 };

struct opening {
    struct crew *crew;
    const struct bench_gpu_options *options;
    const struct plan_filter *filter;
    void (*tell)(const char *text);
    char *error;
};

static bool fits(const struct plan_filter *f, const struct performer *p) {
    bool operation = f->operation < 0 || f->operation == p->operation ||
                     p->operation == BENCH_copy;
    return operation && (f->type < 0 || f->type == p->type);
}

static void told(const struct opening *o, const char *text) {
    if (o->tell) o->tell(text);
}

/* ---- folders ---- */

struct folder {
    const char *path;
    char label[64]; /* "reference", "fast", "student" */
    struct lab **labs;
    struct compiled *compiled;
    size_t n;
};

/* The path's last name, without what would break a line of CSV. */
static void label_of(const char *path, char *label, size_t size) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    snprintf(label, size, "%.*s", (int)(end - begin), path + begin);
    for (char *at = label; *at; at++)
        if (*at == ',' || *at == '"' || (unsigned char)*at <= ' ') *at = '_';
}

static bool is_fast(const struct folder *f) {
    return strcmp(f->label, "fast") == 0;
}

static bool lab_wanted(const struct opening *o, const struct folder *f,
                       const struct lab *lab) {
    const struct bench_gpu_options *b = o->options;
    bool named = b->n_only == 0;
    for (size_t i = 0; i < b->n_only; i++)
        named = named || strcmp(b->only[i], lab->id) == 0;
    for (size_t i = 0; named && i < lab->n_functions; i++) {
        struct performer p = {0}, d;
        if (lab->language == LAB_CUDA &&
            performer_of_function(&p, &lab->functions[i]) &&
            (fits(o->filter, &p) ||
             (is_fast(f) && performer_of_double(&d, &p) &&
              fits(o->filter, &d))))
            return true;
    }
    return false;
}

static bool has_source(const struct folder *f, const struct lab *lab) {
    char *path = text_format("%s/%s", f->path, lab->source);
    bool has = path && access(path, R_OK) == 0;
    free(path);
    return has;
}

static bool compile_folder(const struct opening *o, struct folder *f) {
    const struct bench_gpu_options *b = o->options;
    const struct host *m = &o->crew->host;
    char text[128];
    f->labs = calloc(b->n_labs + 1, sizeof *f->labs);
    f->compiled = calloc(b->n_labs + 1, sizeof *f->compiled);
    if (!f->labs || !f->compiled) return false;
    for (size_t i = 0; i < b->n_labs; i++)
        if (lab_wanted(o, f, b->labs[i]) && has_source(f, b->labs[i]))
            f->labs[f->n++] = b->labs[i];
    const struct compile_settings settings = {.root = m->root,
                                              .submission = f->path,
                                              .build_folder = m->build_folder,
                                              .capability = m->capability,
                                              .limit_ms = BENCH_COMPILE_MS};
    char why[COMPILE_ERROR_BYTES];
    snprintf(text, sizeof text, "compiling %s", f->label);
    told(o, text);
    if (!compile_labs(&settings, f->labs, f->n, f->compiled, why)) {
        snprintf(o->error, CREW_ERROR_BYTES, "%s", why);
        return false;
    }
    for (size_t i = 0; i < f->n; i++) {
        if (!f->compiled[i].error) continue;
        snprintf(o->error, CREW_ERROR_BYTES, "%s/%s does not compile:\n%s",
                 f->path, f->labs[i]->source, f->compiled[i].error);
        return false;
    }
    return true;
}

/* Of performers from `first` on for the same cells the first counts. */
static bool enter(const struct opening *o, size_t first,
                  const struct performer *p) {
    struct performers *all = &o->crew->performers;
    if (!fits(o->filter, p)) return true;
    for (size_t k = first; k < all->n; k++)
        if (all->items[k].operation == p->operation &&
            all->items[k].type == p->type)
            return true;
    return performers_add(all, p);
}

static bool add_lab(const struct opening *o, const struct folder *f,
                    const struct lab *lab, int library) {
    size_t first = o->crew->performers.n;
    for (size_t i = 0; i < lab->n_functions; i++) {
        struct performer p = {.worker = o->crew->n_workers - 1,
                              .library = (uint32_t)library},
                         d;
        if (!performer_of_function(&p, &lab->functions[i])) continue;
        snprintf(p.who, sizeof p.who, "%s/%s", f->label, lab->id);
        if (!enter(o, first, &p)) return false;
        if (is_fast(f) && performer_of_double(&d, &p) && !enter(o, first, &d))
            return false;
    }
    return true;
}

static struct worker *new_worker(const struct opening *o) {
    struct crew *c = o->crew;
    char why[BENCH_TEXT];
    if (c->n_workers == CREW_WORKERS) {
        snprintf(o->error, CREW_ERROR_BYTES, "too many folders");
        return NULL;
    }
    struct worker *w = &c->workers[c->n_workers++];
    *w = (struct worker){
        .program = c->units[0], .toolkit = c->host.toolkit, .fd = -1};
    if (worker_start(w, why)) return w;
    snprintf(o->error, CREW_ERROR_BYTES, "%s", why);
    return NULL;
}

static bool start_folder(const struct opening *o, const struct folder *f) {
    struct worker *w = f->n ? new_worker(o) : NULL;
    if (f->n && !w) return false;
    for (size_t i = 0; i < f->n; i++) {
        char why[BENCH_TEXT];
        int library = worker_load(w, f->compiled[i].library, why);
        if (library < 0) {
            snprintf(o->error, CREW_ERROR_BYTES, "cannot load %s of %s: %s",
                     f->labs[i]->source, f->path, why);
            return false;
        }
        if (!add_lab(o, f, f->labs[i], library)) return false;
    }
    return true;
}

/* A second folder of the same name is name-2, and so on. */
static void number_label(const struct crew *c, struct folder *f) {
    char plain[sizeof f->label];
    size_t length;
    memcpy(plain, f->label, sizeof plain);
    for (int k = 2; k < CREW_WORKERS; k++) {
        bool taken = false;
        length = strlen(f->label);
        for (size_t i = 0; i < c->performers.n; i++)
            taken = taken || (strncmp(c->performers.items[i].who, f->label,
                                      length) == 0 &&
                              c->performers.items[i].who[length] == '/');
        if (!taken) return;
        snprintf(f->label, sizeof f->label, "%.56s-%d", plain, k);
    }
}

/* must: a folder that was asked for has something to time. */
static bool add_folder(const struct opening *o, const char *path,
                       const char *label, bool must) {
    struct folder f = {.path = path};
    if (label)
        snprintf(f.label, sizeof f.label, "%s", label);
    else
        label_of(path, f.label, sizeof f.label);
    number_label(o->crew, &f);
    if (access(path, R_OK) != 0) {
        if (!must) return true;
        snprintf(o->error, CREW_ERROR_BYTES,
                 "cannot read the submission %s: %s", path, strerror(errno));
        return false;
    }
    bool ok = compile_folder(o, &f);
    if (ok && must && f.n == 0) {
        snprintf(o->error, CREW_ERROR_BYTES,
                 "there is nothing to time in %s: no source of a lab that has "
                 "such a function",
                 path);
        ok = false;
    }
    ok = ok && start_folder(o, &f);
    if (f.compiled) compile_free(f.compiled, f.n);
    free(f.compiled);
    free(f.labs);
    return ok;
}

static bool add_folders(const struct opening *o) {
    const struct bench_gpu_options *b = o->options;
    char *reference = text_format("%s/reference", b->root);
    char *fast = text_format("%s/timing/fast", b->root);
    bool ok = reference && fast &&
              add_folder(o, reference, "reference", false) &&
              add_folder(o, fast, "fast", false);
    for (size_t i = 0; ok && i < b->n_submissions; i++)
        ok = add_folder(o, b->submissions[i], NULL, true);
    free(reference);
    free(fast);
    return ok;
}

/* ---- peers ---- */

static void tell_compiling(void *user, size_t n) {
    char text[96];
    snprintf(text, sizeof text, "compiling %zu of the peers (once)", n);
    told(user, text);
}

static bool add_peers_of(const struct opening *o, struct worker *w,
                         const char *path) {
    char why[BENCH_TEXT];
    int library = worker_load(w, path, why);
    struct bench_ask ask = {.kind = BENCH_PEERS, .library = (uint32_t)library};
    struct bench_answer answer = {.value = 1};
    for (ask.value = 0; library >= 0 && ask.value < answer.value; ask.value++) {
        struct performer p = {.library = (uint32_t)library};
        if (worker_ask(w, &ask, &answer, 10000) != WORKER_ANSWERED ||
            answer.status != BENCH_OK) {
            snprintf(why, sizeof why, "its table cannot be read");
            library = -1;
            break;
        }
        performer_of_peer(&p, &answer.u.peer, (int)ask.value);
        if (fits(o->filter, &p) && !performers_add(&o->crew->performers, &p))
            return false;
    }
    if (library < 0)
        snprintf(o->error, CREW_ERROR_BYTES, "cannot load %s: %s", path, why);
    return library >= 0;
}

static bool add_peers(const struct opening *o) {
    struct crew *c = o->crew;
    const struct unit *units[UNITS_MOST];
    c->n_units =
        peers_units(o->filter, units_newer_cub(c->host.build_folder), units);
    if (!units_build(units, c->n_units, c->units, c->host.root,
                     c->host.build_folder, c->host.capability, tell_compiling,
                     (void *)o, o->error))
        return false;
    struct worker *w = new_worker(o);
    for (size_t i = 1; w && i < c->n_units; i++)
        if (!add_peers_of(o, w, c->units[i])) return false;
    return w != NULL;
}

/* ---- all ---- */

bool crew_open(struct crew *c, const struct bench_gpu_options *options,
               const struct plan_filter *filter, void (*tell)(const char *),
               char error[CREW_ERROR_BYTES]) {
    const struct opening o = {c, options, filter, tell, error};
    *c = (struct crew){0};
    snprintf(error, CREW_ERROR_BYTES, "out of memory");
    if (!host_open(&c->host, options->root, options->build_folder, true, error))
        return false;
    if (!c->host.gpu) {
        snprintf(error, CREW_ERROR_BYTES,
                 "bench: no GPU here (nvidia-smi names none); `scanlab bench "
                 "--cpu` times lab 0 on the CPU");
        return false;
    }
    if (!c->host.toolkit) {
        char *nvcc = toolchain_nvcc(c->host.build_folder);
        snprintf(
            error, CREW_ERROR_BYTES, "%s",
            nvcc
                ? "the CUDA runtime library was not found beside nvcc: install "
                  "the CUDA toolkit, version 13"
                : "no CUDA compiler: nvcc is not in $SCANLAB_NVCC, PATH, "
                  "$CUDA_HOME/bin or /usr/local/cuda/bin; install the "
                  "CUDA toolkit");
        free(nvcc);
        return false;
    }
    return add_peers(&o) && add_folders(&o);
}

void crew_close(struct crew *c) {
    for (size_t i = 0; i < c->n_workers; i++) worker_free(&c->workers[i]);
    performers_free(&c->performers);
    units_free(c->units, c->n_units);
    host_free(&c->host);
    *c = (struct crew){0};
}
