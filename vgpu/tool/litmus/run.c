/* SPDX-License-Identifier: MIT
 *
 * run.c: runs a litmus test many times and counts what its threads end with.
 *
 * How to read this: each run is a launch of one device, with seeds of its own
 * for the schedule and for the memory. Turns are short, so that threads take
 * turns between almost any two instructions; in some runs they wait before
 * they begin.
 */
#include <stdlib.h>
#include <string.h>

#include "litmus.h"
#include "vgpu.h"

enum { MOST_WAIT = 12, BUDGET = 20000, LONGEST_TURN = 3 };

struct runner {
    const struct litmus *t;
    const struct litmus_options *options;
    vgpu_device *device;
    vgpu_kernel *kernels[LITMUS_GPUS];
    uint64_t random, memory, results, waits;
    uint32_t words[LITMUS_WORDS][LITMUS_APART / 4]; /* the first of each */
    uint32_t registers[LITMUS_THREADS][LITMUS_REGISTERS];
};

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static struct vgpu_options device_options(struct runner *r) {
    return (struct vgpu_options){
        /* all blocks are resident at once */
        .profile = r->t->n_blocks <= 8 ? "teach" : "h200",
        .n_gpus = r->t->n_gpus,
        .schedule = VGPU_RANDOM,
        .schedule_seed = next(&r->random),
        .memory_model = r->options->strong ? VGPU_MEMORY_SC : VGPU_MEMORY_WEAK,
        .memory_seed = next(&r->random),
        .longest_turn = 1 + (uint32_t)(next(&r->random) % LONGEST_TURN),
        .instruction_budget = BUDGET};
}

/* Into each GPU, which may use what lies on the first. */
static bool run_load(struct runner *r) {
    struct text ptx = {0};
    bool good = true;
    litmus_ptx(r->t, &ptx);
    for (uint32_t g = r->t->n_gpus; good && g-- > 0;) {
        vgpu_module *module;
        good = vgpu_set_gpu(r->device, g) &&
               vgpu_module_load(r->device, text_string(&ptx), ptx.size + 1,
                                &module) == VGPU_OK &&
               vgpu_module_kernel(module, "litmus", &r->kernels[g]) == VGPU_OK;
        vgpu_reach(r->device, g, 0, true);
    }
    text_free(&ptx);
    return good;
}

static vgpu_status launch_all(struct runner *r, const uint32_t *grid,
                              const uint32_t *block) {
    uint64_t params[LITMUS_GPUS][4];
    struct vgpu_beside list[LITMUS_GPUS];
    for (uint32_t g = 0; g < r->t->n_gpus; g++) {
        const uint64_t own[] = {r->memory, r->results, r->waits,
                                r->t->blocks_of[g]};
        memcpy(params[g], own, sizeof own);
        list[g] = (struct vgpu_beside){r->kernels[g], params[g], sizeof own};
    }
    if (r->t->n_gpus > 1)
        return vgpu_launch_beside(r->device, list, r->t->n_gpus, grid, block);
    return vgpu_launch(r->device, r->kernels[0], grid, block, 0, params[0],
                       3 * sizeof *params[0]);
}

static bool open_device(struct runner *r, struct text *why) {
    const struct vgpu_options options = device_options(r);
    vgpu_status status;
    r->device = vgpu_open(&options, &status);
    if (!r->device) {
        text_add(why, "%s", vgpu_status_text(status));
        return false;
    }
    bool good =
        run_load(r) &&
        vgpu_malloc(r->device, sizeof r->words, &r->memory) == VGPU_OK &&
        vgpu_malloc(r->device, sizeof r->registers, &r->results) == VGPU_OK &&
        vgpu_malloc(r->device, 4 * LITMUS_THREADS, &r->waits) == VGPU_OK;
    if (!good) text_add(why, "%s", vgpu_last_message(r->device));
    return good;
}

/* One launch. OK, or what ended it. */
static vgpu_status launch(struct runner *r) {
    const struct vgpu_options options = device_options(r);
    uint32_t waits[LITMUS_THREADS];
    uint64_t random = next(&r->random);
    for (uint32_t k = 0; k < LITMUS_THREADS; k++)
        waits[k] = random & 1 ? 0 : (uint32_t)(next(&r->random) % MOST_WAIT);
    for (uint32_t k = 0; k < LITMUS_WORDS; k++)
        r->words[k][0] = (uint32_t)r->t->first[k];
    vgpu_configure(r->device, &options);
    vgpu_reset_counts(r->device);
    vgpu_reset_findings(r->device);
    vgpu_write(r->device, r->memory, r->words, sizeof r->words);
    vgpu_write(r->device, r->waits, waits, sizeof waits);
    const uint32_t grid[3] = {r->t->n_blocks, 1, 1};
    const uint32_t block[3] = {32 * r->t->n_warps, 1, 1};
    vgpu_status s = launch_all(r, grid, block);
    if (s == VGPU_OK)
        s = vgpu_read(r->device, r->words, r->memory, sizeof r->words);
    if (s == VGPU_OK)
        s = vgpu_read(r->device, r->registers, r->results, sizeof r->registers);
    return s;
}

static void run_count(const struct runner *r, struct litmus_result *to) {
    struct litmus_outcome o = {.count = 1};
    for (uint32_t k = 0; k < r->t->n_observed; k++) {
        const struct litmus_place *p = &r->t->observed[k];
        o.values[k] = (int32_t)(p->is_register ? r->registers[p->thread][p->reg]
                                               : r->words[p->word][0]);
    }
    if (!litmus_holds(&r->t->filter, o.values)) {
        to->filtered++;
        return;
    }
    for (uint32_t k = 0; k < to->n; k++)
        if (!memcmp(to->outcomes[k].values, o.values, sizeof o.values)) {
            to->outcomes[k].count++;
            return;
        }
    if (to->n < LITMUS_OUTCOMES) to->outcomes[to->n++] = o;
}

static int more_frequent(const void *a, const void *b) {
    const struct litmus_outcome *x = a, *y = b;
    return x->count < y->count ? 1
           : x->count > y->count
               ? -1
               : memcmp(x->values, y->values, sizeof x->values);
}

/* A thread that waits for ever, or longer than the budget, ends nothing. The
 * device has failed then, as a GPU would have, and is opened again. */
static bool run_all(struct runner *r, struct litmus_result *to,
                    struct text *why) {
    const uint64_t runs = r->options->runs;
    while (to->runs < runs ||
           (to->runs < LITMUS_PATIENCE * runs && litmus_misses(r->t, to))) {
        vgpu_status s = launch(r);
        to->runs++;
        if (s == VGPU_OK) {
            run_count(r, to);
            continue;
        }
        if (s != VGPU_LAUNCH_TIMEOUT) {
            text_add(why, "%s", vgpu_last_message(r->device));
            return false;
        }
        to->unfinished++;
        vgpu_close(r->device);
        r->device = NULL;
        if (!open_device(r, why)) return false;
    }
    return true;
}

bool litmus_run(const struct litmus *t, const struct litmus_options *options,
                struct litmus_result *to, struct text *why) {
    struct runner r = {.t = t, .options = options, .random = options->seed};
    memset(to, 0, sizeof *to);
    bool good = open_device(&r, why) && run_all(&r, to, why);
    qsort(to->outcomes, to->n, sizeof *to->outcomes, more_frequent);
    vgpu_close(r.device);
    return good;
}
