/* SPDX-License-Identifier: MIT
 *
 * engines.c: the virtual GPU and its peers on one kernel, and the timings of
 * launches and modules. Every result is verified; a wrong one ends the run.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

#include "ptx.h"
#include "scalar.h"
#include "vgpu.h"

const char *const engine_names[N_ENGINES] = {
    "bare", "checked", "judged", "clocked", "weak", "scalar", "oclgrind"};
const char *const engine_texts[N_ENGINES] = {
    "virtual GPU, counts only",         "virtual GPU, every check",
    "every check, data marked",         "counts and model time, h200",
    "random schedule, weak memory",     "scalar interpreter",
    "Oclgrind, races and uninitialised"};

/* The parameters of every kernel of kernels.cu. */
struct params {
    uint64_t in, out, aux;
    int32_t n, arg;
};

char *read_file(const char *path, size_t *bytes) {
    struct text text = {0};
    const char *why =
        path ? text_read_file(&text, path, SIZE_MAX) : "no path was given";
    *bytes = text.size;
    if (!why) return text.bytes;
    fprintf(stderr, "bench: cannot read %s: %s\n", path ? path : "", why);
    text_free(&text);
    return NULL;
}

/* ---- the virtual GPU ---- */

struct gpu {
    vgpu_device *device;
    vgpu_module *module;
    vgpu_kernel *kernel;
    struct params params;
};

static bool set_up_gpu(struct gpu *g, const char *ptx, const struct work *w,
                       uint32_t n, const int32_t *in) {
    size_t bytes = n * sizeof *in;
    struct params *p = &g->params;
    return g->device &&
           !vgpu_module_load(g->device, ptx, strlen(ptx) + 1, &g->module) &&
           !vgpu_module_kernel(g->module, w->name, &g->kernel) &&
           !vgpu_malloc(g->device, bytes, &p->in) &&
           !vgpu_malloc(g->device, bytes, &p->out) &&
           !vgpu_malloc(g->device, work_aux_bytes(n), &p->aux) &&
           !vgpu_write(g->device, p->in, in, bytes);
}

static bool run_gpu(struct gpu *g, const struct work *w, uint32_t n,
                    struct work_time *took) {
    uint32_t grid[3] = {n / w->items_per_block, 1, 1};
    uint32_t block[3] = {WORK_THREADS, 1, 1};
    struct params *p = &g->params;
    p->n = (int32_t)n;
    p->arg = w->arg;
    if (vgpu_fill(g->device, p->out, 0, n * 4ull) ||
        vgpu_fill(g->device, p->aux, 0, work_aux_bytes(n)))
        return false;
    work_clock(took);
    vgpu_status s =
        vgpu_launch(g->device, g->kernel, grid, block, 0, p, sizeof *p);
    work_since(took);
    return s == VGPU_OK;
}

static bool checks_everything(enum engine engine) {
    return engine == ENGINE_CHECKED || engine == ENGINE_JUDGED;
}

bool engine_vgpu(const struct options *o, const char *ptx, const struct work *w,
                 enum engine engine, struct result *r) {
    struct vgpu_options options = {
        .profile = "h200",
        .clock = engine == ENGINE_CLOCKED ? "h200" : NULL,
        .schedule = engine == ENGINE_WEAK ? VGPU_RANDOM : VGPU_IN_ORDER,
        .memory_model =
            engine == ENGINE_WEAK ? VGPU_MEMORY_WEAK : VGPU_MEMORY_SC,
        .checks = checks_everything(engine) ? VGPU_CHECK_ALL : 0};
    struct gpu g = {.device = vgpu_open(&options, NULL)};
    int32_t *in = malloc(o->n * sizeof *in), *out = malloc(o->n * sizeof *out);
    bool ok = in && out && g.device;
    if (ok) work_input(in, o->n);
    ok = ok && set_up_gpu(&g, ptx, w, o->n, in);
    if (ok && engine == ENGINE_JUDGED)
        ok = !vgpu_mark_data(g.device, g.params.in, o->n * sizeof *in);
    struct work_time warm;
    ok = ok && run_gpu(&g, w, o->n, &warm); /* decodes, touches pages */
    for (r->runs = 0; ok && r->runs < o->runs; r->runs++) {
        vgpu_reset_counts(g.device);
        ok = run_gpu(&g, w, o->n, &r->took[r->runs]) &&
             !vgpu_read(g.device, out, g.params.out, o->n * sizeof *out) &&
             work_verify(w, engine_names[engine], in, out, o->n);
    }
    const struct vgpu_finding *f;
    if (ok && vgpu_findings(g.device, &f)) {
        char *said = vgpu_message_text(&f->message, NULL);
        fprintf(stderr, "bench: a false alarm: %s\n", said);
        free(said);
        ok = false;
    } else if (!ok && g.device) {
        fprintf(stderr, "bench: %s: %s\n", w->name,
                vgpu_last_message(g.device));
    }
    uint64_t counts[VGPU_N_COUNTERS] = {0};
    if (g.device) vgpu_counts(g.device, counts);
    r->n = o->n;
    r->instructions = counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
    if (g.device) vgpu_close(g.device);
    free(in);
    free(out);
    return ok;
}

/* ---- the scalar interpreter ---- */

static bool runs_scalar(const struct options *o, const struct scalar_kernel *k,
                        const struct work *w, struct scalar_buffer *b,
                        struct result *r) {
    struct params p = {b[0].address, b[1].address, b[2].address, (int32_t)o->n,
                       w->arg};
    for (r->runs = 0; r->runs < o->runs; r->runs++) {
        memset(b[1].bytes, 0, b[1].size);
        memset(b[2].bytes, 0, b[2].size);
        r->instructions = 0;
        work_clock(&r->took[r->runs]);
        if (!scalar_run(k, o->n / w->items_per_block, WORK_THREADS, &p, b, 3,
                        &r->instructions)) {
            fprintf(stderr, "bench: %s: access outside\n", w->name);
            return false;
        }
        work_since(&r->took[r->runs]);
        if (!work_verify(w, "scalar", (int32_t *)b[0].bytes,
                         (int32_t *)b[1].bytes, o->n))
            return false;
    }
    return true;
}

bool engine_scalar(const struct options *o, const char *ptx,
                   const struct work *w, struct result *r) {
    struct ptx_error error;
    char why[256] = "";
    struct scalar_buffer b[3] = {{0x100000000, o->n * 4ull, NULL},
                                 {0x200000000, o->n * 4ull, NULL},
                                 {0x300000000, work_aux_bytes(o->n), NULL}};
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), &error);
    struct scalar_kernel *k =
        m ? scalar_prepare(m, w->name, why, sizeof why) : NULL;
    bool ok = k != NULL;
    if (!ok) fprintf(stderr, "bench: scalar interpreter: %s\n", why);
    for (int j = 0; j < 3; j++) {
        b[j].bytes = calloc(b[j].size, 1);
        ok &= b[j].bytes != NULL;
    }
    if (ok) work_input((int32_t *)b[0].bytes, o->n);
    r->n = o->n;
    ok = ok && runs_scalar(o, k, w, b, r);
    for (int j = 0; j < 3; j++) free(b[j].bytes);
    scalar_free(k);
    if (m) ptx_free(m);
    return ok;
}

/* ---- other programs ---- */

bool engine_oclgrind(const struct options *o, const struct work *w,
                     struct result *r) {
    char command[4096];
    snprintf(command, sizeof command,
             "'%s' --data-races --uninitialized --num-threads 1 '%s' '%s' %s "
             "%u %zu",
             o->oclgrind, o->opencl, o->opencl_kernels, w->name, o->opencl_n,
             o->runs);
    FILE *f = popen(command, "r");
    if (!f) return false;
    r->n = o->opencl_n;
    r->runs = 0;
    struct work_time t;
    while (r->runs < o->runs && fscanf(f, "%lf %lf", &t.cpu, &t.wall) == 2)
        r->took[r->runs++] = t;
    if (!pclose(f) && r->runs == o->runs) return true;
    fprintf(stderr, "bench: %s fails on Oclgrind\n", w->name);
    return false;
}

bool time_launches(const struct options *o, struct timing timings[N_TIMINGS]) {
    char command[4096], what[16];
    snprintf(command, sizeof command, "'%s' --check none -o /dev/null '%s'",
             o->vgpu, o->launch);
    FILE *f = popen(command, "r");
    double us;
    while (f && fscanf(f, "%15s %lf", what, &us) == 2) {
        struct timing *t =
            &timings[strcmp(what, "sync") ? TIMING_LAUNCH : TIMING_SYNC];
        if (t->runs < WORK_MAX_RUNS) t->samples[t->runs++] = us;
    }
    if (f && !pclose(f)) return true;
    fprintf(stderr, "bench: %s fails\n", command);
    return false;
}

enum { COMMENT_BYTES = 32 };

/* A launch of no blocks decodes the kernel, then is refused. */
static double decode(vgpu_device *d, vgpu_module *m, const char *kernel) {
    static const uint32_t none[3];
    vgpu_kernel *k;
    struct work_time t;
    work_clock(&t);
    if (!vgpu_module_kernel(m, kernel, &k))
        vgpu_launch(d, k, none, none, 0, "", 0);
    work_since(&t);
    return t.cpu * 1e3;
}

static bool time_module_once(const char *text, size_t bytes,
                             const struct ptx_module *names,
                             struct timing timings[N_TIMINGS]) {
    struct vgpu_options options = {.profile = "h200"};
    vgpu_device *d = vgpu_open(&options, NULL);
    vgpu_module *m = NULL;
    struct work_time t;
    double most = 0, all = 0;
    work_clock(&t);
    bool ok = d && !vgpu_module_load(d, text, bytes + 1, &m);
    work_since(&t);
    for (uint32_t f = 0; ok && f < names->n_functions; f++) {
        if (!names->functions[f].is_entry) continue;
        double ms = decode(d, m, names->functions[f].name);
        most = ms > most ? ms : most;
        all += ms;
    }
    double values[] = {[TIMING_PARSE] = t.cpu * 1e3,
                       [TIMING_DECODE_ONE] = most,
                       [TIMING_DECODE_ALL] = all};
    for (int k = TIMING_PARSE; k <= TIMING_DECODE_ALL; k++)
        timings[k].samples[timings[k].runs++] = values[k];
    if (d) vgpu_close(d);
    return ok;
}

bool time_module(const struct options *o, struct timing timings[N_TIMINGS]) {
    size_t bytes;
    struct ptx_error error;
    char *text = read_file(o->module, &bytes);
    struct ptx_module *names = text ? ptx_parse(text, bytes, &error) : NULL;
    char *fresh = malloc(bytes + COMMENT_BYTES);
    bool ok = names && fresh;
    /* Another text each time: what was parsed before would not be again. */
    for (size_t k = 0; ok && k < o->runs; k++) {
        memcpy(fresh, text, bytes);
        snprintf(fresh + bytes, COMMENT_BYTES, "\n// %zu\n", k);
        ok = time_module_once(fresh, strlen(fresh), names, timings);
    }
    free(fresh);
    if (!ok) fprintf(stderr, "bench: the module cannot be loaded\n");
    if (names) ptx_free(names);
    free(text);
    return ok;
}
