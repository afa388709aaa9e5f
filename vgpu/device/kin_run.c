/* SPDX-License-Identifier: MIT
 *
 * kin_run.c: runs launches that kernels asked for, when the grid that asked has
 * ended: each with all that comes of it, before the next one; tail launches
 * last. See kin.h.
 */
#include "kin.h"

#include <stdlib.h>
#include <string.h>

#include "watch.h"

/* A launch counts as so many instructions of the budget: a chain of tail
 * launches without end ends, too. */
enum { LAUNCH_COSTS = 4000 };

bool kin_begin(struct launch *l) {
    const vgpu_device *d = l->device;
    if (!l->kernel->module->program.launches) return true;
    struct kin_family *f = calloc(1, sizeof *f);
    if (!f) return false;
    f->launch = l;
    f->base.n_blocks = f->host.child.end_block = l->n_blocks;
    f->random = d->options.schedule_seed * 2 + 1;
    l->family = f;
    l->kin = &f->host;
    l->machine.calls = &kin_calls;
    if (d->n_gpus == 1) l->machine.family = &f->base;
    return true;
}

void kin_end(struct launch *l) {
    struct kin_family *f = l->family;
    if (!f) return;
    kin_forget(f, &f->host);
    if (l->machine.family) watch_family_ends(l->machine.watching, &l->machine);
    free(f);
    l->family = NULL;
}

/* ---- arguments ---- */

/* A pointer to memory that only the launching thread or block has. */
static bool kin_is_own(const struct machine *m, uint64_t word, bool *shared) {
    uint64_t window = word & WINDOW_MASK, offset = word & ~WINDOW_MASK;
    *shared = window == SHARED_WINDOW;
    return (window == LOCAL_WINDOW && offset < LOCAL_LIMIT) ||
           (*shared && offset < m->shared_bytes);
}

static uint32_t kin_number_at(const vgpu_kernel *k, uint32_t byte) {
    uint32_t n = 0;
    while (n + 1 < k->function->n_params && k->param_offset[n + 1] <= byte) n++;
    return n + 1;
}

static void look_at_arguments(struct launch *l, const struct kin *k) {
    const struct allocation *a = memory_find(&l->device->memory, k->parameters);
    uint32_t bytes = k->kernel->function->param_bytes;
    for (uint32_t at = 0; a && at + 8 <= bytes; at += 8) {
        uint64_t word;
        bool shared;
        memcpy(&word, a->region.bytes + at, sizeof word);
        if (!kin_is_own(&l->machine, word, &shared)) continue;
        struct vgpu_finding f = {.kind = VGPU_FINDING_DEVICE_LAUNCH,
                                 .where = k->where,
                                 .has_thread = true,
                                 .address = word};
        memcpy(f.block, k->block, sizeof f.block);
        memcpy(f.thread, k->thread, sizeof f.thread);
        VGPU_SAY(&f.message, LAUNCH_POINTER, .kernel = k->kernel->name,
                 .number = kin_number_at(k->kernel, at), .shared = shared);
        l->machine.report(l->machine.user, &f);
        return;
    }
}

void kin_grid_ended(struct launch *l) {
    struct kin_family *f = l->family;
    if (!f || l->machine.status != VGPU_OK) return;
    const struct kin *k = l->kin;
    for (uint32_t i = 0; i < k->kids.n; i++)
        look_at_arguments(l, k->kids.list[i]);
    for (uint32_t i = 0; i < k->tails.n; i++)
        look_at_arguments(l, k->tails.list[i]);
    f->executed += l->machine.executed + l->n_blocks;
}

/* ---- whose turn it is ---- */

static struct kin *take_ready(struct kin_family *f, struct kin *of,
                              vgpu_schedule s) {
    struct kins *r = &of->ready;
    if (!r->n) return NULL;
    uint32_t i = s == VGPU_RANDOM ? (uint32_t)(random_next(&f->random) % r->n)
                                  : r->n - 1;
    struct kin *k = r->list[i];
    r->list[i] = r->list[--r->n];
    return k;
}

/* In order, that is the order in which they were asked for. */
static struct kin *next_of(struct kin_family *f, struct kin *of) {
    vgpu_schedule s = f->launch->device->options.schedule;
    struct kin *k = NULL;
    if (s != VGPU_IN_ORDER)
        k = take_ready(f, of, s);
    else if (of->next_kid < of->kids.n)
        k = of->kids.list[of->next_kid++];
    if (!k && of->next_tail < of->tails.n) k = of->tails.list[of->next_tail++];
    return k;
}

static bool find_ready(struct kin *of) {
    for (uint32_t i = 0; i < of->kids.n; i++)
        if (!of->kids.list[i]->n_left &&
            !kins_add(&of->ready, of->kids.list[i]))
            return false;
    return true;
}

/* It and all that came of it is over. */
static bool kin_is_over(struct kin_family *f, struct kin *k) {
    struct kin *of = k->parent;
    k->child.end_block = f->base.n_blocks;
    kin_forget(f, k);
    for (uint32_t i = 0; of && !k->child.is_tail && i < k->then.n; i++)
        if (!--k->then.list[i]->n_left &&
            !kins_add(&of->ready, k->then.list[i]))
            return false;
    return true;
}

/* ---- to run one ---- */

static void set_family(struct kin_family *f, struct launch *l, struct kin *k) {
    struct machine *m = &l->machine;
    vgpu_device *d = l->device;
    uint64_t all = d->options.instruction_budget;
    uint64_t left = all > f->executed ? all - f->executed : 1;
    l->family = f;
    l->kin = k;
    m->calls = &kin_calls;
    m->child = &k->child;
    k->child.is_first = k->child.is_tail || k->parent->kids.list[0] == k;
    if (left < m->budget) {
        m->budget = left;
        m->shares_budget = true;
        m->executed_before = f->executed;
        m->busiest_before = f->launch->kernel->name;
    }
    if (d->uses)
        m->slots[OBSERVER_USES] = f->launch->machine.slots[OBSERVER_USES];
    if (d->n_gpus > 1) {
        for (unsigned g = 0; g < d->n_gpus; g++)
            if (d->flights[g]) m->beside = &d->flights[g]->machine;
        m->first_block = m->beside ? d->n_flown : 0;
        if (m->beside) d->n_flown += l->n_blocks;
        return;
    }
    m->family = &f->base;
    m->first_block = k->child.first_block = f->base.n_blocks;
    f->base.n_blocks += l->n_blocks;
}

static vgpu_status run_prepared(struct kin_family *f, struct launch *l,
                                struct kin *k) {
    vgpu_device *d = l->device;
    unsigned gpu = d->memory.gpu;
    set_family(f, l, k);
    l->by = k->parent == &f->host ? f->launch->kernel : k->parent->kernel;
    d->memory.gpu = l->machine.gpu;
    d->memory.launching = true;
    grid_run(&l->machine);
    d->memory.launching = false;
    d->memory.gpu = gpu;
    kin_grid_ended(l);
    vgpu_status s = launch_done(l);
    return s == VGPU_OK && !find_ready(k) ? VGPU_OUT_OF_MEMORY : s;
}

static vgpu_status run_one(struct kin_family *f, struct kin *k) {
    vgpu_device *d = f->launch->device;
    uint32_t bytes = k->kernel->function->param_bytes;
    struct launch *l = calloc(1, sizeof *l);
    uint8_t *params = malloc(bytes + 1);
    const struct allocation *a = memory_find(&d->memory, k->parameters);
    uint64_t told = d->told_bytes; /* by the host */
    vgpu_status s = VGPU_OUT_OF_MEMORY;
    f->n_all--;
    f->n_waiting -= k->waits;
    f->executed += LAUNCH_COSTS;
    if (l && params && a) {
        memcpy(params, a->region.bytes, bytes);
        memory_release(&d->memory, k->parameters);
        k->parameters = 0;
        *l = (struct launch){.device = d, .kernel = k->kernel};
        s = launch_prepare(l, k->shape.grid, k->shape.block, k->shape.dynamic,
                           params, bytes, false);
        d->told_bytes = told;
        if (s == VGPU_OK) s = run_prepared(f, l, k);
    }
    free(params);
    free(l);
    return s;
}

vgpu_status kin_run(struct launch *l) {
    struct kin_family *f = l->family;
    vgpu_status s = VGPU_OK;
    if (!f) return s;
    struct kin *at = &f->host;
    if (!find_ready(at)) s = VGPU_OUT_OF_MEMORY;
    while (at && s == VGPU_OK) {
        struct kin *k = next_of(f, at);
        if (k)
            s = run_one(f, k);
        else if (!kin_is_over(f, at))
            s = VGPU_OUT_OF_MEMORY;
        at = k ? k : at->parent;
    }
    /* After a failure, the innermost first: a chain may be long. */
    for (; at; at = at->parent) kin_forget(f, at);
    l->device->used_by = l->kernel;
    return s;
}
