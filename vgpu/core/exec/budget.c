/* SPDX-License-Identifier: MIT
 *
 * budget.c: reports a budget that is spent, or a time limit: where the launch
 * spent it, and how far it came.
 */
#include <stdio.h>

#include "counts.h"
#include "fault.h"
#include "stuck.h"

enum {
    MANY_LAUNCHES = 8,  /* so many launches are worth a word */
    HOST_LAUNCHES = 256 /* more than a scan has: a loop of the host's */
};

static const struct insn *hottest(const struct machine *m,
                                  const struct function **in) {
    const struct insn *best = NULL;
    uint64_t most = 0;
    for (uint32_t f = 0; f < m->program->n_functions; f++) {
        const struct function *fn = &m->program->functions[f];
        struct issued lines = {0};
        for (uint32_t k = 0; fn->decoded && k < fn->n_code; k++) {
            const struct insn *i = &fn->code[k];
            struct issued issued = issued_sum(issued_of(m, i), &lines);
            if (i->source && (!best || issued.warps > most)) {
                best = i;
                most = issued.warps;
                *in = fn;
            }
        }
    }
    return best;
}

/* Does the shortest loop around the instruction read nothing that another
 * thread could change? */
static bool is_deaf_loop(const struct function *f, const struct insn *hot) {
    uint32_t at = (uint32_t)(hot - f->code), first = 0, last = UINT32_MAX;
    for (uint32_t k = at; k < f->n_code; k++) {
        const struct insn *i = &f->code[k];
        if (i->kind != KIND_BRANCH || i->target > at) continue;
        if (last != UINT32_MAX && k - i->target >= last - first) continue;
        first = i->target;
        last = k;
    }
    if (last == UINT32_MAX) return false;
    for (uint32_t k = first; k <= last; k++) {
        uint8_t kind = f->code[k].kind;
        if (kind != KIND_ALU && kind != KIND_BRANCH && kind != KIND_JOIN &&
            kind != KIND_NOTHING && kind != KIND_FENCE)
            return false;
    }
    return true;
}

static bool shares_budget(const struct machine *m) {
    return m->shares_budget && !m->stopped && m->executed_before;
}

/* Then it is not this launch that has too much to do. */
static bool is_one_of_many(const struct machine *m) {
    return shares_budget(m) && m->grid_id > HOST_LAUNCHES;
}

static uint64_t budget_limit_of(const struct machine *m) {
    return m->stopped          ? VGPU_LIMIT_TIME
           : !m->shares_budget ? VGPU_LIMIT_BUDGET
           : shares_budget(m)  ? VGPU_LIMIT_LEFT
                               : VGPU_LIMIT_CALL;
}

/* What the launches before took. False: that is not worth a word. */
static bool say_before(const struct machine *m, struct vgpu_message *before) {
    char kernel[81];
    if (shares_budget(m)) {
        snprintf(kernel, sizeof kernel, "%s", m->busiest_before);
        VGPU_SAY(before, BUSIEST_BEFORE, .executed = m->executed_before,
                 .kernel = kernel);
    } else if (m->grid_id > MANY_LAUNCHES) {
        VGPU_SAY(before, MANY_LAUNCHES, .launch = m->grid_id);
    } else {
        return false;
    }
    return true;
}

/* What it would need, estimated from the blocks that have ended: wrong
 * where the others do not end as those did. */
static void say_progress(const struct machine *m, struct grid_progress p,
                         struct vgpu_message *progress) {
    if (is_one_of_many(m))
        VGPU_SAY(progress, LOOP_OF_LAUNCHES, .launch = m->grid_id);
    else if (p.done && !m->advances)
        VGPU_SAY(progress, NO_PROGRESS, .done = p.done, .blocks = p.n_blocks,
                 .since = (double)p.since);
    else if (p.done)
        VGPU_SAY(progress, SLOW_PROGRESS, .done = p.done, .blocks = p.n_blocks,
                 .needs =
                     (double)p.executed / (double)p.done * (double)p.n_blocks);
    else
        VGPU_SAY_PLAIN(progress, NO_BLOCK_DONE);
}

static const struct group *first_ready(const struct warp *w) {
    for (uint32_t j = 0; j < w->n_groups; j++)
        if (w->groups[j].state == GROUP_READY) return &w->groups[j];
    return NULL;
}

/* A thread that has not exited; one that can go on, if there is one. */
static bool find_live(struct block *slots, uint32_t n, struct context *c,
                      uint32_t *lane) {
    bool some = false;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t k = 0; slots[s].running && k < slots[s].n_warps; k++) {
            struct warp *w = &slots[s].warps[k];
            const struct group *g = first_ready(w);
            if (!g && (some || !w->live)) continue;
            c->warp = w;
            *lane = (uint32_t)__builtin_ctz(g ? g->mask : w->live);
            if (g) return true;
            some = true;
        }
    return some;
}

void report_budget(struct machine *m, struct block *slots, uint32_t n,
                   struct grid_progress progress) {
    struct context c = {.machine = m};
    const struct function *in = NULL;
    struct vgpu_finding f = {.kind = VGPU_FINDING_BUDGET};
    struct vgpu_message before, spent;
    uint32_t lane;
    c.insn = hottest(m, &in);
    m->status = VGPU_LAUNCH_TIMEOUT;
    m->advances = progress.done && !is_one_of_many(m) &&
                  progress.since <= progress.executed / 4 * 3;
    say_progress(m, progress, &spent);
    VGPU_SAY(&f.message, BUDGET, .executed = progress.executed,
             .limit = budget_limit_of(m),
             .before = say_before(m, &before) ? &before : NULL,
             .progress = &spent, .deaf = c.insn && is_deaf_loop(in, c.insn));
    if (find_live(slots, n, &c, &lane)) {
        exec_fault(&c, VGPU_LAUNCH_TIMEOUT, VGPU_FINDING_BUDGET,
                   (struct fault_at){.lane = lane}, &f.message);
        return;
    }
    f.advances = m->advances; /* between two blocks */
    if (c.insn) f.where = program_source(m->program->ptx, c.insn->source->loc);
    m->report(m->user, &f);
}
