/* SPDX-License-Identifier: MIT
 *
 * run.c: see run.h.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "said.h"

struct machine_under_test {
    vgpu_device *device;
};

static struct vgpu_options always = {.profile = "teach90"};

struct machine_under_test *machine_open(uint32_t n_gpus) {
    always.n_gpus = n_gpus;
    struct machine_under_test *m = calloc(1, sizeof *m);
    if (m) m->device = vgpu_open(&always, NULL);
    if (!m || !m->device) exit(2);
    return m;
}

void machine_close(struct machine_under_test *m) {
    vgpu_close(m->device);
    free(m);
}

static void keep(void *user, const char *text, size_t bytes) {
    events_add(user, text, bytes);
}

static void configure(vgpu_device *d, const struct mode *mode, bool traced,
                      struct run *run) {
    struct vgpu_options o = always;
    o.schedule = mode->schedule;
    o.schedule_seed = mode->schedule_seed;
    o.memory_model = mode->memory_seed ? VGPU_MEMORY_WEAK : VGPU_MEMORY_SC;
    o.memory_seed = mode->memory_seed;
    o.checks = VGPU_CHECK_RACECHECK;
    o.reads_want_release = !mode->reads_return;
    o.instruction_budget = 2000000;
    if (traced)
        o.trace = (struct vgpu_trace_options){.line = keep,
                                              .user = &run->events,
                                              .file = "races.cu",
                                              .line_first = FIRST_LINE,
                                              .limit = UINT64_MAX};
    vgpu_configure(d, &o);
    vgpu_reset_findings(d);
    vgpu_reset_counts(d);
}

struct parameters {
    uint64_t words;
    uint32_t launch, gpu;
};

/* Each GPU runs its blocks, at the same time. */
static vgpu_status launch_all(vgpu_device *d, vgpu_module **modules,
                              const struct program *p, uint64_t words) {
    const uint32_t grid[3] = {p->n_blocks, 1, 1};
    const uint32_t block[3] = {p->n_warps * LANES, 1, 1};
    struct vgpu_beside list[VGPU_MOST_GPUS];
    struct parameters of[VGPU_MOST_GPUS];
    vgpu_status e = VGPU_OK;
    for (uint32_t n = 0; !e && n < p->n_launches; n++) {
        for (uint32_t g = 0; !e && g < p->n_gpus; g++) {
            of[g] = (struct parameters){words, n, g};
            list[g].params = &of[g];
            list[g].param_bytes = sizeof of[g];
            e = vgpu_module_kernel(modules[g], "k", &list[g].kernel);
        }
        if (!e) e = vgpu_launch_beside(d, list, p->n_gpus, grid, block);
    }
    return e;
}

static vgpu_status launch(vgpu_device *d, vgpu_module *m,
                          const struct program *p, uint64_t words) {
    const uint32_t grid[3] = {p->n_blocks, 1, 1};
    const uint32_t block[3] = {p->n_warps * LANES, 1, 1};
    vgpu_kernel *k;
    vgpu_status e = vgpu_module_kernel(m, "k", &k);
    for (uint32_t n = 0; !e && n < p->n_launches; n++) {
        struct {
            uint64_t words;
            uint32_t launch;
        } parameters = {words, n};
        e = vgpu_launch(d, k, grid, block, 0, &parameters, 12);
    }
    return e;
}

/* Launches are counted from the device's first: from the program's. */
static void number_launches(struct events *all, uint32_t n_gpus) {
    uint32_t first = UINT32_MAX, n = n_gpus < 2 ? 1 : n_gpus;
    for (size_t k = 0; k < all->n; k++) {
        uint32_t *launch = &all->list[k].launch;
        *launch = (*launch - 1) / n; /* each GPU's has a number of its own */
        if (*launch < first) first = *launch;
    }
    for (size_t k = 0; k < all->n; k++) all->list[k].launch -= first;
}

static void take_findings(vgpu_device *d, struct run *run) {
    const struct vgpu_finding *f;
    size_t n = vgpu_findings(d, &f);
    for (size_t k = 0; k < n && k < MOST_REPORTED; k++) {
        run->findings[run->n_findings++] = f[k];
        if (f[k].kind != VGPU_FINDING_SHARED_RACE &&
            f[k].kind != VGPU_FINDING_GLOBAL_RACE && !*run->error)
            snprintf(run->error, REASON, "%s: %.120s",
                     vgpu_finding_name(f[k].kind), said_by(&f[k]));
    }
}

void machine_run(struct machine_under_test *mt, const struct program *p,
                 const char *ptx, const struct mode *mode, bool traced,
                 struct run *run) {
    vgpu_device *d = mt->device;
    vgpu_module *m = NULL, *more[VGPU_MOST_GPUS] = {0};
    *run = (struct run){.reads_return = mode->reads_return,
                        .sc = !mode->memory_seed};
    configure(d, mode, traced, run);
    vgpu_status e = vgpu_module_load(d, ptx, strlen(ptx) + 1, &m);
    if (!e) e = vgpu_malloc(d, WORDS * 4, &run->words);
    if (!e) e = vgpu_fill(d, run->words, 0, WORDS * 4);
    for (uint32_t g = 1; !e && g < p->n_gpus; g++) {
        vgpu_set_gpu(d, g);
        vgpu_reach(d, g, 0, true);
        e = vgpu_module_load(d, ptx, strlen(ptx) + 1, &more[g]);
        vgpu_set_gpu(d, 0);
    }
    more[0] = m;
    if (!e && p->n_gpus > 1) e = launch_all(d, more, p, run->words);
    if (!e && p->n_gpus < 2) e = launch(d, m, p, run->words);
    take_findings(d, run);
    if (e && !*run->error)
        snprintf(run->error, REASON, "%s: %.120s", vgpu_status_name(e),
                 vgpu_last_message(d));
    number_launches(&run->events, p->n_gpus);
    if (run->events.strange) snprintf(run->error, REASON, "a strange trace");
    if (e) { /* it may be sticky */
        vgpu_close(d);
        mt->device = vgpu_open(&always, NULL);
        if (!mt->device) exit(2);
        return;
    }
    vgpu_free(d, run->words);
    vgpu_module_unload(d, m);
    for (uint32_t g = 1; g < p->n_gpus; g++) vgpu_module_unload(d, more[g]);
}

void run_free(struct run *run) {
    events_free(&run->events);
}
