/* SPDX-License-Identifier: MIT
 *
 * run.c: the run loop: fetches, counts, dispatches on kind.
 *
 * How to read this: group_run executes one group until it parks, waits, spins,
 * or its turn is over; warp_run chooses among the warp's groups. The loop is
 * compiled four times, with and without data marks and with and without a trace
 * of what the group does between polls (waiting.c), so that a run without them
 * pays nothing for them; and once more for warps whose instructions are printed
 * (trace.h).
 */
#include "async.h"
#include "barrier.h"
#include "fault.h"
#include "frames.h"
#include "groups.h"
#include "marks.h"
#include "run.h"
#include "trace.h"
#include "waiting.h"
#include "watch.h"

enum { MAX_OUT_OF_STEP = 3 };
enum group_result {
    GROUP_GONE,
    GROUP_WAITS,
    GROUP_SPINS,
    GROUP_TURN_OVER,
    GROUP_STOPPED,
    GROUP_CHANGED, /* it has a trace now, or no longer */
    GROUP_GOES_ON
};

static inline uint32_t count_lanes(uint32_t mask) {
    return mask == FULL_MASK ? WARP_LANES : (uint32_t)__builtin_popcount(mask);
}

static void exec_clock(struct context *c) {
    const struct insn *i = c->insn;
    /* deterministic, and moves forward */
    struct machine *machine = c->machine;
    uint64_t t = machine->clock_base + machine->executed + machine->clock_ahead;
    machine->clock_reads++;
    if (i->mode) t >>= 32;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        if (i->register_is_wide)
            ((uint64_t *)(c->registers + i->operands.at[0]))[l] = t;
        else
            ((uint32_t *)(c->registers + i->operands.at[0]))[l] = (uint32_t)t;
    }
}

static bool exec_trap(struct context *c) {
    const struct function *f = c->group->frame->function;
    if (f->specials[PTX_SREG_ENVREG1] != NO_REGISTER && !c->machine->workspace)
        return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_TRAP,
                          (uint32_t)__builtin_ctz(c->lanes->mask), 0, 0,
                          "trap: grid.sync() of cooperative groups works only "
                          "in a kernel launched with "
                          "cudaLaunchCooperativeKernel");
    return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_TRAP,
                      (uint32_t)__builtin_ctz(c->lanes->mask), 0, 0,
                      "trap: the kernel stopped itself (__trap, or a place the "
                      "compiler took to be unreachable)");
}

/* brx.idx: lanes that want the first lane's target go there, the others take
 * the branch again as a group of their own. */
static bool branch_index(struct context *c) {
    struct group *g = c->group;
    const struct branch_table *t = c->insn->extra;
    const uint32_t *r =
        (const uint32_t *)(c->registers + c->insn->operands.at[0]);
    uint32_t lane = (uint32_t)__builtin_ctz(g->mask), agree = 0;
    if (r[lane] >= t->n)
        return exec_fault(c, VGPU_ILLEGAL_INSTRUCTION, VGPU_FINDING_TRAP, lane,
                          0, 0, "branch index %u, but there are %u targets",
                          r[lane], t->n);
    for (uint32_t m = g->mask; m; m &= m - 1)
        if (r[__builtin_ctz(m)] == r[lane]) agree |= 1u << __builtin_ctz(m);
    if (agree == g->mask) {
        g->pc = t->targets[r[lane]];
        return true;
    }
    struct insn way = *c->insn;
    way.target = t->targets[r[lane]];
    uint32_t again = g->pc - 1;
    c->insn->counts[VGPU_COUNT_DIVERGENT_BRANCHES]++;
    g->pc = again;
    return group_branch(c, agree, &way);
}

/* Instructions that touch more than registers. True: go on with the group. */
static inline __attribute__((always_inline)) bool
exec_other(struct context *c) {
    switch ((enum insn_kind)c->insn->kind) {
    case KIND_LOAD: return c->machine->load(c);
    case KIND_STORE: return c->machine->store(c);
    case KIND_ATOMIC: return exec_atomic(c);
    case KIND_BARRIER: return exec_barrier(c);
    case KIND_SHUFFLE:
    case KIND_VOTE:
    case KIND_MATCH:
    case KIND_REDUX:
    case KIND_ELECT:
    case KIND_WARP_SYNC: return exec_warp_op(c);
    case KIND_ACTIVE_MASK: {
        uint32_t *r = (uint32_t *)(c->registers + c->insn->operands.at[0]);
        for (uint32_t m = c->lanes->mask; m; m &= m - 1)
            r[__builtin_ctz(m)] = c->group->mask;
        return true;
    }
    case KIND_CLOCK: exec_clock(c); return true;
    case KIND_TRAP: return exec_trap(c);
    case KIND_FENCE:
        if (c->insn->mode)
            watch_block_fenced(c->machine->watching, c);
        else
            watch_fenced(c->machine->watching, c);
        return true;
    case KIND_NOTHING: return true;
    case KIND_ASYNC: return exec_async(c);
    case KIND_MBARRIER: return exec_mbarrier(c);
    case KIND_CLUSTER_BARRIER: return exec_cluster_barrier(c);
    case KIND_STACK: return exec_stack(c);
    default: return false;
    }
}

static inline void enter_group(struct context *c, struct group *g) {
    c->group = g;
    c->registers = g->frame->registers;
    if (c->of_group.mask != g->mask) lane_set_fill(&c->of_group, g->mask);
}

static enum group_result after_stop(const struct context *c) {
    if (c->machine->status != VGPU_OK) return GROUP_STOPPED;
    return GROUP_WAITS;
}

/* Control flow has taken the group away. */
static enum group_result after_control(const struct context *c,
                                       const struct group *g) {
    if (c->machine->status != VGPU_OK) return GROUP_STOPPED;
    return g->state == GROUP_READY ? GROUP_TURN_OVER : GROUP_GONE;
}

/* Control flow that is more than a jump of the whole group. True: the same
 * group goes on. */
static bool exec_control(struct context *c, const struct insn *i, uint32_t on) {
    struct group *g = c->group;
    switch ((enum insn_kind)i->kind) {
    case KIND_BRANCH:
        i->counts[VGPU_COUNT_DIVERGENT_BRANCHES]++;
        if (!group_branch(c, on, i)) return false;
        break;
    case KIND_BRANCH_INDEX:
        if (!branch_index(c)) return false;
        break;
    case KIND_JOIN:
        g->pc--;
        if (!group_arrive(c)) return false;
        g->pc++;
        break;
    case KIND_EXIT:
        group_exit(c, on);
        if (g->state == GROUP_FREE || !g->mask) return false;
        break;
    case KIND_CALL:
        if (on != g->mask) { /* the others go on behind it */
            group_add(c->warp, g->mask & ~on, g->pc, g->frame, g->join);
            g->mask = on;
            lane_set_fill(&c->of_group, on);
        }
        if (!exec_call(c)) return false;
        break;
    default: /* KIND_RETURN */ exec_return(c); break;
    }
    enter_group(c, g);
    return true;
}

/* The others have no PTX text of their own: JOINs, and what stands at a
 * function's end. (Few instructions need more than their first line for it.) */
static inline bool is_counted(const struct insn *i) {
    bool ends = i->kind == KIND_RETURN || i->kind == KIND_EXIT;
    return i->kind != KIND_JOIN && (!ends || i->source);
}

static inline bool is_control(uint8_t kind) {
    return kind >= KIND_BRANCH && kind <= KIND_EXIT;
}

/* Instructions that waiting for another thread may be made of. */
static bool may_wait(const struct insn *i) {
    switch ((enum insn_kind)i->kind) {
    case KIND_BRANCH:
    case KIND_JOIN:
    case KIND_FENCE:
    case KIND_VOTE:
    case KIND_MATCH:
    case KIND_ELECT:
    case KIND_WARP_SYNC:
    case KIND_ACTIVE_MASK:
    case KIND_CLOCK:
    case KIND_NOTHING: return true;
    default: return false;
    }
}

static bool is_access(const struct insn *i) /* spin_seen sees it */
{
    if (i->kind == KIND_MBARRIER) {
        const struct mbarrier_op *op = i->extra;
        return op->verb == MBARRIER_TEST_WAIT || op->verb == MBARRIER_TRY_WAIT;
    }
    return i->kind == KIND_ATOMIC || i->kind == KIND_LOAD;
}

/* A shuffle or reduction of what a poll saw, which is no data yet. */
static bool hands_on_no_data(struct context *c, const struct insn *i,
                             uint32_t lanes) {
    if (i->kind != KIND_SHUFFLE && i->kind != KIND_REDUX) return false;
    return !c->machine->track_data ||
           !(*marks_of(c, i->operands.at[2]) & lanes);
}

/* An instruction about to be executed while the group has a trace. */
static void trace_ahead(struct context *c, struct insn *i, uint32_t lanes) {
    if (is_access(i)) return;
    if (!may_wait(i) && !hands_on_no_data(c, i, lanes))
        spin_stop(c->machine, c->group);
    else if (is_control(i->kind) && i->source)
        spin_step(c, i, lanes, 0);
}

/* n ALU instructions without guard: most of what there is, so nothing is looked
 * at twice. */
static inline __attribute__((always_inline)) void
straight_line(struct context *c, struct insn *i, uint32_t n, uint32_t lanes,
              const bool track) {
    uint8_t *registers = c->registers;
    const struct lane_set *set = &c->of_group;
    c->lanes = set;
    for (struct insn *end = i + n; i < end; i++) {
        i->warps++;
        i->threads += lanes;
        i->run(registers, &i->operands, set);
        if (track) marks_alu(c, i);
    }
    c->machine->executed += n;
}

/* The one ALU instruction with a guard, for the lanes `on`. */
static inline __attribute__((always_inline)) void
guarded(struct context *c, struct insn *i, uint32_t on, const bool track,
        const bool trace) {
    i->run(c->registers, &i->operands, c->lanes);
    uint64_t works = trace ? i->counts[VGPU_COUNT_DATA_OPS] : 0;
    if (track) marks_alu(c, i);
    if (track && i->guard != NO_REGISTER) marks_guarded(c, i);
    if (trace && works != i->counts[VGPU_COUNT_DATA_OPS])
        spin_stop(c->machine, c->group);
    if (trace) spin_step(c, i, on, 0);
}

/* The lanes that the guard lets through are *on, *active of them; c->lanes are
 * set. False: there are none, and the instruction is done. */
static inline __attribute__((always_inline)) bool
pass_guard(struct context *c, struct insn *i, uint32_t *on, uint32_t *active,
           const bool trace) {
    c->lanes = &c->of_group;
    if (i->guard == NO_REGISTER) return true;
    uint32_t p = *(const uint32_t *)(c->registers + i->guard);
    *on &= p ^ i->guard_flip;
    if (*on == c->group->mask || i->kind == KIND_BRANCH) return true;
    *active = count_lanes(*on);
    if (is_control(i->kind)) return true;
    if (!*on) {
        i->warps++;
        c->machine->executed++;
        if (trace) spin_step(c, i, 0, 0);
        return false;
    }
    lane_set_fill(&c->of_guard, *on);
    c->lanes = &c->of_guard;
    return true;
}

/* An instruction that is neither the ALU's nor control flow. */
static inline __attribute__((always_inline)) enum group_result
other(struct context *c, struct insn *i, uint32_t on, const bool track,
      const bool trace) {
    struct machine *m = c->machine;
    struct group *g = c->group;
    uint64_t votes = trace ? i->counts[VGPU_COUNT_SHUFFLES] : 0;
    if (!exec_other(c)) {
        if (trace && g->state != GROUP_AT_MBARRIER) spin_stop(m, g);
        return after_stop(c);
    }
    if (trace && !is_access(i))
        spin_step(c, i, on, i->counts[VGPU_COUNT_SHUFFLES] - votes);
    if (track && i->kind == KIND_ACTIVE_MASK) marks_clear(c, c->lanes->mask);
    if (g->polls.same >= SPIN_THRESHOLD && g->polls.at == i && !m->patient)
        return GROUP_SPINS;
    return trace != (g->trace != NULL) ? GROUP_CHANGED : GROUP_GOES_ON;
}

static inline __attribute__((always_inline)) enum group_result
group_loop(struct context *c, uint32_t *turn, const bool track,
           const bool trace, const bool printed) {
    struct machine *m = c->machine;
    struct group *g = c->group;
    struct insn *code = g->frame->function->code;
    uint32_t pc = g->pc, lanes = count_lanes(g->mask);
    for (uint32_t left = *turn; left; left--) {
        struct insn *i = &code[pc];
        if (printed) trace_insn(c, i);
        if (!trace && !printed && i->straight) {
            uint32_t n = i->straight < left ? i->straight : left;
            straight_line(c, i, n, lanes, track);
            i += n;
            pc += n;
            if (!(left -= n)) break;
        }
        pc++;
        uint32_t on = g->mask, active = lanes;
        if (!pass_guard(c, i, &on, &active, trace)) continue;
        if (is_counted(i)) {
            i->warps++;
            i->threads += active;
            m->executed++;
        }
        if (i->kind == KIND_ALU) {
            guarded(c, i, on, track, trace);
            continue;
        }
        if (trace) trace_ahead(c, i, i->kind == KIND_BRANCH ? g->mask : on);
        if (i->kind == KIND_JOIN ? !group_meets(g, pc - 1)
                                 : is_control(i->kind) && !on)
            continue;
        if (i->kind == KIND_BRANCH && on == g->mask) {
            pc = i->target;
            continue;
        }
        c->insn = i;
        g->pc = pc;
        if (is_control(i->kind)) {
            if (!exec_control(c, i, on)) return after_control(c, g);
            code = g->frame->function->code;
            pc = g->pc;
            lanes = count_lanes(g->mask);
            continue;
        }
        enum group_result r = other(c, i, on, track, trace);
        if (r == GROUP_GOES_ON) continue;
        if (r == GROUP_CHANGED) *turn = left - 1;
        return r;
    }
    g->pc = pc;
    return GROUP_TURN_OVER;
}

typedef enum group_result loop_fn(struct context *, uint32_t *turn);

static enum group_result run_bare(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, false, false, false);
}

static enum group_result run_tracked(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, true, false, false);
}

static enum group_result run_traced(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, false, true, false);
}

static enum group_result run_both(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, true, true, false);
}

/* Whatever else it does: there is no hurry. */
static __attribute__((noinline)) enum group_result
run_printed(struct context *c, uint32_t *turn) {
    enum group_result r = group_loop(c, turn, c->machine->track_data,
                                     c->group->trace != NULL, true);
    trace_done(c->machine);
    return r;
}

static enum group_result group_run(struct context *c, uint32_t turn) {
    static loop_fn *const loops[2][2] = {{run_bare, run_traced},
                                         {run_tracked, run_both}};
    loop_fn *const *of = loops[c->machine->track_data];
    enum group_result r;
    bool printed = c->machine->tracer && trace_wants_warp(c->machine, c->warp);
    do
        r = printed ? run_printed(c, &turn)
                    : of[c->group->trace != NULL](c, &turn);
    while (r == GROUP_CHANGED && turn);
    return r == GROUP_CHANGED ? GROUP_TURN_OVER : r;
}

/* A ready group, not one of those that only spin; -1: none. */
static int choose(struct machine *m, const struct warp *w, uint32_t spinning) {
    if (w->n_groups == 1 && !spinning)
        return w->groups[0].state == GROUP_READY ? 0 : -1;
    int ready[WARP_LANES];
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (w->groups[k].state == GROUP_READY && !(spinning >> k & 1))
            ready[n++] = (int)k;
    if (!n) return -1;
    if (m->options->schedule == VGPU_RANDOM && n > 1)
        return ready[random_next(&m->random) % n];
    return ready[0];
}

/* Nothing of the warp can run: threads wait at joins, barriers, warp
 * operations. True: something was set free. */
static bool unstick(struct context *c) {
    struct warp *w = c->warp;
    for (uint32_t k = 0; k < w->n_groups; k++)
        if (w->groups[k].state == GROUP_AT_MBARRIER) return false;
    bool at_barrier = false;
    struct group *at = NULL;
    for (uint32_t k = 0; k < w->n_groups; k++) {
        struct group *g = &w->groups[k];
        if (g->state == GROUP_AT_WARP_OP) return exec_warp_op_forced(c, g);
        if (g->state == GROUP_AT_BARRIER) at_barrier = true, at = g;
    }
    bool at_join = false;
    for (struct join *j = w->joins; j; j = j->next) at_join |= j->arrived != 0;
    if (!at_join) return false;
    if (at_barrier) {
        c->group = at;
        c->insn = &at->frame->function->code[at->pc - 1];
        exec_report(c, VGPU_FINDING_BARRIER_DIVERGENCE,
                    (uint32_t)__builtin_ctz(at->mask), 0, 0,
                    "lanes 0x%08x of warp %u wait at this barrier while the "
                    "other lanes went another way and do not reach it. "
                    "Every thread of the block must execute the same "
                    "__syncthreads(), so it must not stand in code that only "
                    "some threads run",
                    at->mask, w->index);
    }
    return warp_break_join(w);
}

/* Under a random schedule the threads of a warp do not keep step: nothing but
 * warp operations promises that they do. */
static void lose_step(struct machine *m, struct warp *w, struct group *g) {
    if (m->options->schedule != VGPU_RANDOM || w->n_groups >= MAX_OUT_OF_STEP ||
        g->frame->caller || g->polls.same ||
        (g->polls.at && g->polls.at->order != ORDER_WEAK))
        return;
    group_split(w, g, (uint32_t)random_next(&m->random));
}

/* All of the warp, and so nothing else can go on: what unstick would say. */
static inline bool is_at_barrier(const struct warp *w) {
    return w->n_groups == 1 && w->groups[0].state == GROUP_AT_BARRIER &&
           !w->joins;
}

enum run_result warp_run(struct machine *m, struct warp *w, uint32_t turn) {
    struct context *c = m->context;
    c->warp = w;
    uint32_t spinning = 0;
    uint64_t end = m->executed + turn;
    while (m->executed < end) {
        if (w->n_groups > 1) groups_merge(w);
        int k = choose(m, w, spinning);
        if (k < 0) {
            if (!w->live) return RUN_DONE;
            if (exec_warp_op_resumed(c)) continue;
            if (spinning) return RUN_SPINNING;
            if (!unstick(c)) return RUN_WAITING;
            continue;
        }
        lose_step(m, w, &w->groups[k]);
        enter_group(c, &w->groups[k]);
        uint32_t left = (uint32_t)(end - m->executed);
        if (m->options->schedule == VGPU_RANDOM && left > 32)
            left = 1 + (uint32_t)(random_next(&m->random) & 31);
        enum group_result r = group_run(c, left);
        if (r == GROUP_STOPPED) return RUN_STOPPED;
        if (r == GROUP_WAITS && m->executed < end && is_at_barrier(w))
            return RUN_WAITING;
        if (r == GROUP_SPINS) spinning |= 1u << k;
    }
    return w->live ? RUN_TURN_OVER : RUN_DONE;
}
