/* SPDX-License-Identifier: MIT
 *
 * launch.c: checks a launch as CUDA does, runs it, collects what it counted.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kin.h"
#include "run.h"

static size_t on_report(void *user, struct vgpu_finding *f) {
    struct launch *l = user;
    f->kernel = device_keep(l->device, l->kernel->name);
    f->launch = l->number;
    size_t at = device_add_finding(l->device, f);
    if (!vgpu_finding_is_remark(f->kind))
        device_fail_as(l->device, VGPU_OK, &f->message);
    return at;
}

static void on_incomplete(void *user, unsigned check, const char *what,
                          const char *mend) {
    struct launch *l = user;
    device_incomplete(l->device, check, l->kernel->name, what, mend);
}

static void on_repeat(void *user, size_t finding) {
    struct launch *l = user;
    device_repeat_finding(l->device, finding);
}

enum { MAX_OUTPUT = 1 << 22 };

static void on_print(void *user, const char *text, size_t bytes) {
    const struct launch *l = user;
    vgpu_device *d = l->device;
    if (d->options.print) {
        d->options.print(d->options.user, text, bytes);
        return;
    }
    /* As in a real GPU's printf buffer, what does not fit is lost. */
    if (d->output_bytes + bytes > MAX_OUTPUT)
        d->left_out.printed_bytes += bytes;
    if (!bytes || d->output_bytes + bytes > MAX_OUTPUT) return;
    if (d->output_bytes + bytes > d->output_capacity) {
        size_t n = (d->output_bytes + bytes) * 2;
        char *t = realloc(d->output, n);
        if (!t) return;
        d->output = t;
        d->output_capacity = n;
    }
    memcpy(d->output + d->output_bytes, text, bytes);
    d->output_bytes += bytes;
}

static vgpu_status bad_launch(vgpu_device *d, const struct vgpu_kernel *k,
                              vgpu_status s, const struct vgpu_message *why) {
    struct vgpu_finding f = {.kind = VGPU_FINDING_BAD_LAUNCH,
                             .empty = why->id == VGPU_MESSAGE_NO_THREADS};
    f.kernel = device_keep(d, k->name);
    VGPU_SAY(&f.message, LAUNCH, .kernel = k->name, .why = why);
    device_add_finding(d, &f);
    return device_fail_as(d, s, &f.message);
}

vgpu_status launch_look(const vgpu_device *d, const struct vgpu_kernel *k,
                        const uint32_t *grid, const uint32_t *block,
                        size_t dynamic, struct vgpu_message *why) {
    const struct ptx_function *f = k->function->ptx;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    struct vgpu_kernel_info info;
    vgpu_kernel_info(k, &info);
    if (!grid[0] || !grid[1] || !grid[2] || !threads) {
        VGPU_SAY(why, NO_THREADS, .grid = grid, .block = block);
        return VGPU_LAUNCH_CONFIG;
    }
    if (grid[0] > 0x7fffffffu || grid[1] > 65535 || grid[2] > 65535) {
        VGPU_SAY(why, LARGE_GRID, .grid = grid);
        return VGPU_LAUNCH_CONFIG;
    }
    if (threads > info.max_threads_per_block || block[0] > 1024 ||
        block[1] > 1024 || block[2] > 64) {
        VGPU_SAY(why, LARGE_BLOCK, .block = block, .threads = threads,
                 .most = info.max_threads_per_block);
        return VGPU_LAUNCH_CONFIG;
    }
    for (int j = 0; j < 3; j++) {
        uint32_t want = f->required_threads[j];
        if (!want || want == block[j]) continue;
        VGPU_SAY_PLAIN(why, OTHER_BLOCK_SHAPE);
        return VGPU_LAUNCH_CONFIG;
    }
    size_t most = (size_t)d->profile->smem_per_block_optin;
    if (dynamic + k->shared_static > most) {
        VGPU_SAY(why, TOO_MUCH_SHARED, .dynamic = dynamic,
                 .fixed = k->shared_static, .most = most);
        return VGPU_INVALID_VALUE;
    }
    if (dynamic > k->dynamic_limit) {
        VGPU_SAY(why, LARGE_SHARED, .dynamic = dynamic,
                 .fixed = k->shared_static, .limit = k->dynamic_limit,
                 .most = most);
        return VGPU_INVALID_VALUE;
    }
    if (vgpu_max_blocks_per_sm(k, (uint32_t)threads, dynamic) >= 1)
        return VGPU_OK;
    VGPU_SAY_PLAIN(why, NO_ROOM);
    return VGPU_LAUNCH_RESOURCES;
}

static vgpu_status check_shape(vgpu_device *d, const struct vgpu_kernel *k,
                               const uint32_t *grid, const uint32_t *block,
                               size_t dynamic, const uint32_t asked[3]) {
    struct vgpu_message why;
    uint32_t cluster[3];
    vgpu_status s = launch_look(d, k, grid, block, dynamic, &why);
    if (s == VGPU_OK) s = clusters_of(k, asked, grid, cluster, &why);
    return s == VGPU_OK ? s : bad_launch(d, k, s, &why);
}

/* What is left for all launches may be less than what is for one. */
static void set_budget(struct machine *m, const vgpu_device *d) {
    uint64_t all = d->options.budget_in_all;
    uint64_t left = all > d->executed ? all - d->executed : 0;
    m->budget = d->options.instruction_budget;
    if (!all || left >= m->budget) return;
    m->budget = left;
    m->shares_budget = true;
    m->executed_before = d->executed;
    m->busiest_before = d->busiest.kernel;
}

static void note_executed(vgpu_device *d, struct vgpu_kernel *k, uint64_t n) {
    d->executed += n;
    k->executed += n;
    if (k->executed <= d->busiest.executed) return;
    d->busiest.kernel = device_keep(d, k->name);
    d->busiest.executed = k->executed;
}

static void set_up(struct launch *l, const uint32_t *grid,
                   const uint32_t *block, size_t dynamic, const void *params) {
    struct machine *m = &l->machine;
    vgpu_device *d = l->device;
    struct vgpu_kernel *k = l->kernel;
    *m = (struct machine){
        .program = &k->module->program,
        .kernel = k->function,
        .memory = &d->memory,
        .profile = d->profile,
        .options = &d->options,
        .params = params,
        .checks = d->options.checks,
        .track_data = d->memory.track_data,
        .random = d->options.schedule_seed * 2 + 1 + 2 * k->module->gpu,
        .clock_base = d->time,
        .gpu = k->module->gpu,
        .n_gpus = d->n_gpus,
        .slots = {[OBSERVER_CLOCK] = d->clocks[k->module->gpu],
                  [OBSERVER_STEPS] = d->steps},
        .report = on_report,
        .repeat = on_repeat,
        .incomplete = on_incomplete,
        .print = on_print,
        .user = l};
    if (d->options.checks & VGPU_CHECK_ORDERCHECK)
        m->slots[OBSERVER_USES] = d->uses;
    m->slots[OBSERVER_FEEDS] = d->feeds;
    set_budget(m, d);
    memcpy(m->grid, grid, sizeof m->grid);
    memcpy(m->block, block, sizeof m->block);
    m->threads_per_block = block[0] * block[1] * block[2];
    m->shared_static = (k->shared_static + 15u) & ~15u;
    m->shared_dynamic = (uint32_t)dynamic;
    m->shared_bytes = m->shared_static + m->shared_dynamic;
    if (!dynamic) m->shared_bytes = k->shared_static;
    m->shared_bytes += d->options.shared_slack_bytes;
    m->grid_id = ++d->grid_id;
    device_count_launch(d, k->name);
    l->number = vgpu_launches_of(d, k->name);
    if (trace_wants_kernel(&d->tracer, &d->options.trace, k->mangled,
                           m->grid_id))
        m->slots[OBSERVER_TRACE] = &d->tracer;
    uint64_t resident =
        (uint64_t)d->profile->sms *
        (uint64_t)vgpu_max_blocks_per_sm(k, m->threads_per_block, dynamic);
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    m->n_slots = (uint32_t)(blocks < resident ? blocks : resident);
    if (d->clock) m->n_slots = clock_slots(clock_in(m), m, k->function, blocks);
}

/* Of each kernel the first launch is kept, so that nobody hides one behind
 * many launches of another. */
static void record(const struct launch *l, const uint64_t *counts,
                   const struct vgpu_times *times) {
    vgpu_device *d = l->device;
    struct vgpu_kernel *k = l->kernel;
    const struct machine *m = &l->machine;
    for (int c = 0; c < VGPU_N_COUNTERS; c++) d->counts[c] += counts[c];
    if (d->n_records >= VGPU_MAX_RECORDS && k->recorded_in == d->record_time) {
        d->left_out.launches++;
        return;
    }
    if (d->n_records == d->records_capacity) {
        size_t n = d->records_capacity ? d->records_capacity * 2 : 16;
        struct vgpu_launch_record *t =
            charges_grown(&d->memory.charges, d->records,
                          d->n_records * sizeof *t, n * sizeof *t, NULL);
        if (!t) {
            d->left_out.launches++;
            return;
        }
        d->records = t;
        d->records_capacity = n;
    }
    k->recorded_in = d->record_time;
    struct vgpu_launch_record *r = &d->records[d->n_records++];
    r->kernel = device_keep(d, k->name);
    memcpy(r->grid, m->grid, sizeof r->grid);
    memcpy(r->block, m->block, sizeof r->block);
    r->dynamic_smem_bytes = m->shared_dynamic;
    memcpy(r->counts, counts, sizeof r->counts);
    r->times = *times;
    r->launched_by = l->by ? device_keep(d, l->by->name) : NULL;
    if (d->clock) r->model_ps = clock_launch_totals(clock_in(m)).ps;
}

/* What the driver gives cooperative groups for the barrier of the grid: its own
 * size and one counter (cooperative_groups/details/driver_abi.h). */
static uint64_t workspace(vgpu_device *d) {
    uint32_t words[2] = {sizeof words, 0};
    if (!d->workspace) {
        struct allocation *a = memory_allocate(&d->memory, sizeof words);
        if (!a) return 0;
        d->memory.n_made--; /* not the program's */
        a->module = true;
        memory_name(&d->memory, a, "the grid barrier's workspace");
        d->workspace = a->region.base;
    }
    /* Not by vgpu_write, which counts: the driver does it, not the program. */
    struct region *r = &memory_find(&d->memory, d->workspace)->region;
    memcpy(r->bytes, words, sizeof words);
    if (r->written) bits_set(r->written, 0, sizeof words, true);
    return d->workspace;
}

static void count_time(const struct clock *clock, uint64_t *counts) {
    struct clock_totals t = clock_launch_totals(clock);
    counts[VGPU_COUNT_DEPTH] = t.depth;
    counts[VGPU_COUNT_DEEPEST_LAUNCH] = t.deepest;
    counts[VGPU_COUNT_LONGEST_CHAIN] = t.chain;
    counts[VGPU_COUNT_LINK_CHAIN] = t.links;
    counts[VGPU_COUNT_SIDE_MESSAGES] = t.side;
    counts[VGPU_COUNT_MODEL_CYCLES] = t.cycles;
    counts[VGPU_COUNT_MODEL_NS] = t.ps / 1000;
}

/* For one launch. */
static void take_cluster(vgpu_device *d, uint32_t cluster[3]) {
    memcpy(cluster, d->next_cluster, sizeof d->next_cluster);
    memset(d->next_cluster, 0, sizeof d->next_cluster);
}

vgpu_status launch_prepare(struct launch *l, const uint32_t *grid,
                           const uint32_t *block, size_t dynamic,
                           const void *params, size_t param_bytes,
                           bool cooperative) {
    vgpu_device *d = l->device;
    vgpu_kernel *k = l->kernel;
    uint32_t cluster[3];
    take_cluster(d, cluster);
    d->used_by = NULL;
    if (d->sticky) return d->sticky;
    vgpu_status s = kernel_decode(k);
    if (s != VGPU_OK) return s;
    s = check_shape(d, k, grid, block, dynamic, cluster);
    if (s != VGPU_OK) return s;
    if (param_bytes < k->function->param_bytes)
        return device_fail(d, VGPU_INVALID_VALUE,
                           "%s takes %u bytes of parameters, got %zu", k->name,
                           k->function->param_bytes, param_bytes);
    /* Without arguments it still says which kernel, and how large a grid. */
    d->told_bytes += k->function->param_bytes ? k->function->param_bytes : 8;
    set_up(l, grid, block, dynamic, params);
    cluster_set_up(l, cluster);
    l->n_blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (cooperative && l->machine.n_slots < l->n_blocks) {
        struct vgpu_message why;
        VGPU_SAY_PLAIN(&why, LARGE_COOPERATIVE_GRID);
        return bad_launch(d, k, VGPU_COOPERATIVE_TOO_LARGE, &why);
    }
    l->machine.all_resident = cooperative;
    if (cooperative) l->machine.workspace = workspace(d);
    return VGPU_OK;
}

vgpu_status launch_done(struct launch *l) {
    vgpu_device *d = l->device;
    vgpu_kernel *k = l->kernel;
    struct machine *m = &l->machine;
    d->used_by = k;
    device_tell_limit(d, k->name);
    d->time += m->executed + m->clock_ahead + 1;
    note_executed(d, k, m->executed + l->n_blocks);
    uint64_t counts[VGPU_N_COUNTERS] = {0};
    device_collect(d, k, m, counts);
    counts[VGPU_COUNT_LAUNCHES] = 1;
    counts[VGPU_COUNT_BLOCKS] = l->n_blocks;
    counts[VGPU_COUNT_THREADS] = l->n_blocks * m->threads_per_block;
    struct vgpu_times times = {0};
    if (d->clock) count_time(clock_in(m), counts);
    if (d->clock && d->options.why && d->n_gpus == 1) device_why(d, k, &times);
    if (d->clock && d->options.timeline)
        clock_names_launch(clock_in(m), device_keep(d, k->name));
    record(l, counts, &times);
    if (d->feeds) feeds_counted(d->feeds, counts);
    if (d->states) states_keep(d);
    if (m->status != VGPU_OK) d->sticky = m->status;
    return m->status;
}

static void tell_asked(const struct launch *l, const void *params,
                       bool cooperative) {
    const struct machine *m = &l->machine;
    if (m->asked_cluster && !l->kernel->function->ptx->cluster[0])
        asked_for_more(l->device);
    struct vgpu_asked is = {.kind = VGPU_ASKED_LAUNCH,
                            .module = l->kernel->module->number - 1,
                            .name = l->kernel->mangled,
                            .bytes = m->shared_dynamic,
                            .value = cooperative,
                            .data = params,
                            .data_bytes = l->kernel->function->param_bytes};
    memcpy(is.size, m->grid, sizeof m->grid);
    memcpy(is.size + 3, m->block, sizeof m->block);
    asked_add(l->device, &is);
}

static vgpu_status launch(vgpu_device *d, vgpu_kernel *k, const uint32_t *grid,
                          const uint32_t *block, size_t dynamic,
                          const void *params, size_t param_bytes,
                          bool cooperative) {
    struct launch l = {.device = d, .kernel = k};
    vgpu_status s = launch_prepare(&l, grid, block, dynamic, params,
                                   param_bytes, cooperative);
    if (s == VGPU_OK && !kin_begin(&l))
        s = device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    if (s != VGPU_OK) return s;
    tell_asked(&l, params, cooperative);
    if (d->uses) uses_clear(d->uses);
    d->memory.launching = true;
    grid_run(&l.machine);
    d->memory.launching = false;
    kin_grid_ended(&l);
    s = launch_done(&l);
    if (s == VGPU_OK) s = kin_run(&l);
    kin_end(&l);
    return s;
}

vgpu_status vgpu_launch(vgpu_device *d, vgpu_kernel *k, const uint32_t grid[3],
                        const uint32_t block[3], size_t dynamic,
                        const void *params, size_t param_bytes) {
    return launch(d, k, grid, block, dynamic, params, param_bytes, false);
}

vgpu_status vgpu_launch_cooperative(vgpu_device *d, vgpu_kernel *k,
                                    const uint32_t grid[3],
                                    const uint32_t block[3], size_t dynamic,
                                    const void *params, size_t param_bytes) {
    return launch(d, k, grid, block, dynamic, params, param_bytes, true);
}

bool vgpu_may_launch(vgpu_device *d, vgpu_kernel *k, const uint32_t grid[3],
                     const uint32_t block[3], size_t dynamic) {
    struct vgpu_message why;
    uint32_t asked[3], cluster[3];
    take_cluster(d, asked);
    return !d->sticky && kernel_decode(k) == VGPU_OK &&
           launch_look(d, k, grid, block, dynamic, &why) == VGPU_OK &&
           clusters_of(k, asked, grid, cluster, &why) == VGPU_OK;
}
