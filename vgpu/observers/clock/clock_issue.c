/* SPDX-License-Identifier: MIT
 *
 * clock_issue.c: when the next instruction of a warp issues, and when what it
 * computes is there.
 *
 * A warp issues in order. An instruction waits for its registers, then for a
 * slot of its scheduler, then for its unit.
 */
#include "clock_inside.h"
#include "why.h"

/* An instruction that would wait longer is not passed by: units remember so
 * much (slots.h). */
enum { MOST_MOVED_PS = N_SLOTS / 4 * SLOT_PS };

static __attribute__((noinline)) bool decode(struct clock *k, struct context *c,
                                             const struct function *f) {
    size_t number = (size_t)(f - f->program->functions);
    struct clock_op *ops = k->ops[number];
    if (!ops) {
        ops = k->ops[number] = clock_decode(k, f);
        if (ops) clock_number(ops, f);
    }
    if (!ops) c->machine->status = VGPU_OUT_OF_MEMORY;
    k->decoded_ops = ops;
    k->decoded = ops ? f : NULL;
    if (ops) k->decoded_numbers = clock_numbers(ops, f);
    return ops != NULL;
}

static void set_ready(struct clock_warp *w, const struct clock_op *o,
                      uint64_t time) {
    for (uint32_t r = 0; r < o->n_to; r++) w->ready[o->to[r]] = time;
    w->latest = later(w->latest, time);
}

static __attribute__((noinline)) uint64_t more_ready(const struct clock *k,
                                                     const struct insn *i,
                                                     const struct clock_op *o,
                                                     uint64_t time) {
    if (o->drains == DRAINS_MATRIX) return clock_matrix_waits(k, i, time);
    return later(time, k->warp->latest);
}

static inline uint64_t operands_ready(const struct clock *k,
                                      const struct insn *i,
                                      const struct clock_op *o, uint64_t time) {
    const struct clock_warp *w = k->warp;
    for (uint32_t r = 0; r < o->n_from; r++)
        time = later(time, w->ready[o->from[r]]);
    return o->drains ? more_ready(k, i, o, time) : time;
}

/* A fence that follows a store waits until L2 has answered. */
static void fence(struct clock *k, struct clock_warp *w, uint64_t time) {
    uint64_t plain = later(time, w->stored) + k->at.fence;
    w->time = w->has_stored ? later(plain, time + k->at.fence_stored)
                            : time + k->at.fence;
    w->has_stored = false;
}

/* The multiprocessor takes one warp after another; they go on together when the
 * last one has come (clock_met). */
static void barrier(struct clock *k, struct clock_warp *w, uint64_t time) {
    uint64_t takes = k->at.barrier_warp;
    w->time = slots_take(&w->sm->barrier, time, takes) + takes + k->at.barrier;
    k->until = k->far = 0; /* others may be ready now */
}

/* The longest that a lane asks for. */
static uint64_t asked_ns(const struct context *c, const struct insn *i) {
    const struct ptx_operand *t = i->source->operands;
    const struct frame *f = c->group->frame;
    if (t->kind == PTX_INTEGER) return (uint32_t)t->integer;
    if (t->kind != PTX_REGISTER) return 0;
    const uint32_t *lanes =
        (const uint32_t *)(f->registers + f->function->register_at[t->reg]);
    uint64_t most = 0;
    for (uint32_t m = c->group->mask; m; m &= m - 1)
        most = later(most, lanes[__builtin_ctz(m)]);
    return most;
}

static void sleeps(const struct clock *k, struct clock_warp *w, uint64_t ns,
                   uint64_t time) {
    const struct clock_profile *p = k->profile;
    w->time = time + later(p->sleep_ps, ns * p->sleep_ns_ps);
}

/* What is none of a unit's. */
static void waits(struct clock *k, struct clock_warp *w,
                  const struct context *c, const struct insn *i,
                  const struct clock_op *o, uint64_t time) {
    switch (o->class) {
    case COST_ACCESS: /* goes on in clock_access */
        k->issued = time;
        w->time = time + o->issue;
        return;
    case COST_FENCE: fence(k, w, time); return;
    case COST_BARRIER: barrier(k, w, time); return;
    default: sleeps(k, w, asked_ns(c, i), time);
    }
}

static inline __attribute__((always_inline)) void
takes_unit(struct clock *k, struct clock_warp *w, const struct context *c,
           const struct insn *i, const struct clock_op *o, uint64_t time,
           const bool why, const bool alu) {
    time = slots_take(&w->sm->scheduler[w->scheduler], time, o->issue);
    if (!alu && o->class >= COST_ACCESS) {
        if (why) why_issues(k, o, time, time);
        waits(k, w, c, i, o, time);
        return;
    }
    uint64_t slot = time;
    struct slots *unit = !alu && o->class == COST_MATCH
                             ? &w->sm->match
                             : &w->sm->unit[w->scheduler][o->unit];
    time = slots_take(unit, time, o->interval);
    if (why) why_issues(k, o, slot, time);
    k->issued = time;
    w->time = time + o->issue;
    if (!alu && o->class == COST_CONTROL) w->time = time + o->latency;
    if (o->holds) w->time = time + o->latency;
    set_ready(w, o, time + o->latency);
    if (!alu && o->class == COST_MATRIX)
        clock_matrix_result(k, i, time + o->latency);
    if (why) why_results(k, o, time + o->latency);
}

/* It would wait for its registers until `time`. The assembler puts what follows
 * in front of it. */
static void passes_by(struct clock *k, struct clock_warp *w,
                      const struct clock_op *o, uint64_t time, const bool why) {
    uint64_t slot = slots_take(&w->sm->scheduler[w->scheduler], time, o->issue);
    bool loads = o->class == COST_ACCESS;
    time = loads ? slot
                 : slots_take(&w->sm->unit[w->scheduler][o->unit], slot,
                              o->interval);
    k->issued = time;
    w->moved = later(w->moved, time + o->issue);
    w->passed[w->n_passed % CLOCK_PASSED] = time + o->issue;
    if (!loads) set_ready(w, o, time + o->latency);
    if (why) why_moved(k, o, slot, time);
    if (why && !loads) why_results(k, o, time + o->latency);
}

/* Steps: no time, and nobody waits but for what it needs. */
static bool steps(struct context *c, struct clock_warp *w,
                  const struct insn *i) {
    struct clock *k = clock_in(c->machine);
    if (w->time > k->until) return false;
    w->cause.depth += k->profile->instruction_steps;
    k->work += k->profile->instruction_steps;
    w->time = w->cause.depth * k->profile->cycle_ps;
    if (k->why) why_counts(c, i);
    if (i->kind == KIND_BARRIER || i->kind == KIND_CLUSTER_BARRIER)
        k->until = 0;
    return true;
}

static inline __attribute__((always_inline)) bool issues(struct context *c,
                                                         const struct insn *i,
                                                         const bool why,
                                                         const bool alu) {
    struct clock *k = clock_in(c->machine);
    struct clock_warp *w = k->warp;
    const struct function *f = c->group->frame->function;
    if (f != k->decoded && !decode(k, c, f)) return false;
    const struct clock_op *o = k->decoded_ops + (i - f->code);
    uint64_t until = o->message ? k->until : k->far;
    w->at_message = o->message;
    if (w->time > until) return false;
    if (o->class == COST_FREE) {
        set_ready(w, o, operands_ready(k, i, o, 0));
        if (why) why_passes(k, o);
    } else {
        uint64_t time = operands_ready(k, i, o, w->time);
        if (o->moves && time > w->time && time <= w->time + MOST_MOVED_PS &&
            w->passed[w->n_passed % CLOCK_PASSED] <= w->time) {
            if (why) why_passed(k, i, f, o);
            passes_by(k, w, o, time, why);
        } else {
            if (o->joins) time = later(time, w->moved);
            time = later(time, w->passed[w->n_passed % CLOCK_PASSED]);
            if (why) why_waited(k, i, f, o);
            if (time > until) {
                w->time = time;
                return false;
            }
            takes_unit(k, w, c, i, o, time, why, alu);
            if (why) why_goes_by(k, o);
        }
        w->n_passed++;
    }
    w->cause.depth += o->steps;
    k->work += o->steps;
    return true;
}

/* Steps are counted, or why is asked. */
static __attribute__((noinline)) bool issues_slowly(struct context *c,
                                                    const struct insn *i) {
    struct clock *k = clock_in(c->machine);
    return k->profile->counts_steps ? steps(c, k->warp, i)
                                    : issues(c, i, true, false);
}

static inline bool is_quick(const struct clock *k) {
    return !k->profile->counts_steps && !k->why;
}

bool clock_issues(struct context *c, const struct insn *i) {
    if (i->kind == KIND_JOIN) return true;
    return is_quick(clock_in(c->machine)) ? issues(c, i, false, false)
                                          : issues_slowly(c, i);
}

void clock_fetch(const struct clock_warp *w) {
    const struct clock_sm *sm = w->sm;
    const struct slots *units[] = {&sm->scheduler[w->scheduler],
                                   &sm->unit[w->scheduler][UNIT_INT],
                                   &sm->unit[w->scheduler][UNIT_FLOAT],
                                   &sm->lines,
                                   &sm->port,
                                   &sm->shared};
    enum { TIMES = 32, IN_A_LINE = 8 };
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        __builtin_prefetch(&units[k]->ring[(w->time >> SLOT_SHIFT) % N_SLOTS]);
    for (size_t k = 0; k < TIMES; k += IN_A_LINE)
        __builtin_prefetch(w->ready + k);
}

uint32_t clock_issues_line(struct context *c, const struct insn *i,
                           uint32_t n) {
    uint32_t done = 0;
    if (is_quick(clock_in(c->machine)))
        while (done < n && issues(c, i + done, false, true)) done++;
    else
        while (done < n && issues_slowly(c, i + done)) done++;
    return done;
}
