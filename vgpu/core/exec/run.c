/* SPDX-License-Identifier: MIT
 *
 * run.c: the run loop: fetches, counts, dispatches on kind.
 *
 * How to read this: group_run executes one group until it parks, waits, spins,
 * or its turn is over; warp_run.c chooses among the warp's groups. The loop is
 * compiled four times, with and without taint and with and without a trace
 * of what the group does between polls (waiting.c), so that a run without them
 * pays nothing for them; and once more for warps whose instructions are printed
 * (trace.h) or recorded (steps.h). With a clock it is compiled twice: for those
 * who have neither taint nor a trace, and for the others.
 */
#include "async.h"
#include "barrier.h"
#include "clock.h"
#include "cluster.h"
#include "fault.h"
#include "frames.h"
#include "group_run.h"
#include "groups.h"
#include "run.h"
#include "trace.h"
#include "watch.h"

static inline uint32_t count_lanes(uint32_t mask) {
    return mask == FULL_MASK ? WARP_LANES : (uint32_t)__builtin_popcount(mask);
}

static inline uint64_t count_of(const struct context *c, const struct insn *i,
                                vgpu_counter counter) {
    return costs_of(c->machine, i)[counter];
}

static void exec_clock(struct context *c) {
    const struct insn *i = c->insn;
    /* deterministic, and moves forward */
    struct machine *machine = c->machine;
    uint64_t t = machine->clock_base + machine->executed + machine->clock_ahead;
    if (clock_in(machine))
        t = clock_now(clock_in(machine), i->mode & CLOCK_NS) +
            machine->clock_ahead;
    machine->clock_reads++;
    if (i->mode & CLOCK_UPPER) t >>= 32;
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
    struct vgpu_message m;
    if (f->specials[PTX_SREG_ENVREG1] != NO_REGISTER && !c->machine->workspace)
        VGPU_SAY_PLAIN(&m, TRAP_GRID_SYNC);
    else
        VGPU_SAY_PLAIN(&m, TRAP);
    return exec_fault(
        c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_TRAP,
        (struct fault_at){.lane = (uint32_t)__builtin_ctz(c->lanes->mask)}, &m);
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
        if (c->insn->mode && cluster_of_block(c->machine, c->insn->mode))
            watch_block_fenced(c->machine->watching, c);
        else
            watch_fenced(c->machine->watching, c);
        return true;
    case KIND_NOTHING: return true;
    case KIND_ASYNC: return exec_async(c);
    case KIND_MBARRIER: return exec_mbarrier(c);
    case KIND_CLUSTER_BARRIER: return exec_cluster_barrier(c);
    case KIND_TEXTURE: return exec_texture(c);
    case KIND_STACK: return exec_stack(c);
    case KIND_MATRIX: return exec_matrix_op(c);
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
        watch_parted(c->machine->watching, c);
        if (!group_branch(c, on, i)) return false;
        break;
    case KIND_BRANCH_INDEX:
        if (!group_branch_index(c)) return false;
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

/* n ALU instructions without guard: most of what there is, so nothing is looked
 * at twice. */
static inline __attribute__((always_inline)) void
straight_line(struct context *c, const struct insn *i, uint32_t n,
              uint32_t lanes, const bool track) {
    uint8_t *registers = c->registers;
    const struct lane_set *set = &c->of_group;
    c->lanes = set;
    const unsigned on = track ? WATCH_TAINT : 0;
    watch_issued(c->machine->watching, c->machine, i, n, lanes);
    for (const struct insn *end = i + n; i < end; i++) {
        i->run(registers, &i->operands, set);
        watch_computed(on, c, i, false);
    }
    c->machine->executed += n;
}

/* The one ALU instruction with a guard, for the lanes `on`. */
static inline __attribute__((always_inline)) void
guarded(struct context *c, const struct insn *i, uint32_t on, const bool track,
        const bool trace) {
    i->run(c->registers, &i->operands, c->lanes);
    uint64_t works = trace ? count_of(c, i, VGPU_COUNT_DATA_OPS) : 0;
    if (track) watch_computed(WATCH_TAINT, c, i, i->guard != NO_REGISTER);
    if (trace && i->is_arithmetic &&
        works != count_of(c, i, VGPU_COUNT_DATA_OPS))
        watch_works(0, c->machine, c->group);
    if (trace) watch_stepped(0, c, i, on, 0);
}

/* The lanes that the guard lets through are *on, *active of them; c->lanes are
 * set. False: there are none, and the instruction is done. */
static inline __attribute__((always_inline)) bool
pass_guard(struct context *c, const struct insn *i, uint32_t *on,
           uint32_t *active, const bool track, const bool trace) {
    c->lanes = &c->of_group;
    if (i->guard == NO_REGISTER) return true;
    if (track) watch_guarded(WATCH_TAINT, c, i);
    uint32_t p = *(const uint32_t *)(c->registers + i->guard);
    *on &= p ^ i->guard_flip;
    if (*on == c->group->mask || i->kind == KIND_BRANCH) return true;
    *active = count_lanes(*on);
    if (is_control(i->kind)) return true;
    if (!*on) {
        watch_issued(c->machine->watching, c->machine, i, 1, 0);
        c->machine->executed++;
        if (trace) watch_stepped(0, c, i, 0, 0);
        return false;
    }
    lane_set_fill(&c->of_guard, *on);
    c->lanes = &c->of_guard;
    return true;
}

/* An instruction that is neither the ALU's nor control flow. */
static inline __attribute__((always_inline)) enum group_result
other(struct context *c, const struct insn *i, uint32_t on, const bool track,
      const bool trace) {
    struct machine *m = c->machine;
    struct group *g = c->group;
    uint64_t votes = trace ? count_of(c, i, VGPU_COUNT_SHUFFLES) : 0;
    if (!exec_other(c)) {
        if (trace && g->state != GROUP_AT_MBARRIER) watch_works(0, m, g);
        return after_stop(c);
    }
    if (trace && !spin_sees(i))
        watch_stepped(0, c, i, on, count_of(c, i, VGPU_COUNT_SHUFFLES) - votes);
    if (track && (i->kind == KIND_ACTIVE_MASK || i->kind == KIND_CLOCK))
        watch_produced(WATCH_TAINT, c, c->lanes->mask);
    if (m->pauses) return GROUP_TURN_OVER;
    if (g->polls.same >= SPIN_THRESHOLD && g->polls.at == i && !m->patient)
        return GROUP_SPINS;
    return trace != (g->trace != NULL) ? GROUP_CHANGED : GROUP_GOES_ON;
}

/* The clock: its instruction at pc is not ready yet. */
static enum group_result stalled(struct group *g, uint32_t pc) {
    g->pc = pc;
    return GROUP_STALLED;
}

static inline __attribute__((always_inline)) enum group_result
group_loop(struct context *c, uint32_t *turn, const bool track,
           const bool trace, const bool printed, const bool clocked) {
    struct machine *m = c->machine;
    struct group *g = c->group;
    const struct insn *code = g->frame->function->code;
    uint32_t pc = g->pc, lanes = count_lanes(g->mask);
    for (uint32_t left = *turn; left; left--) {
        const struct insn *i = &code[pc];
        if (!trace && !printed && i->straight) {
            uint32_t n = i->straight < left ? i->straight : left;
            uint32_t may = clocked ? clock_issues_line(c, i, n) : n;
            straight_line(c, i, may, lanes, track);
            i += may;
            pc += may;
            if (may < n) return stalled(g, pc);
            if (!(left -= n)) break;
        }
        if (clocked && !clock_issues(c, i)) return stalled(g, pc);
        if (printed) watch_executes(m->watching, c, i);
        pc++;
        uint32_t on = g->mask, active = lanes;
        if (!pass_guard(c, i, &on, &active, track, trace)) continue;
        if (is_counted(i)) {
            watch_issued(m->watching, m, i, 1, active);
            m->executed++;
        }
        if (i->kind == KIND_ALU) {
            guarded(c, i, on, track, trace);
            continue;
        }
        if (trace)
            watch_steps_ahead(0, c, i, i->kind == KIND_BRANCH ? g->mask : on);
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
    return group_loop(c, turn, false, false, false, false);
}

static enum group_result run_tracked(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, true, false, false, false);
}

static enum group_result run_traced(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, false, true, false, false);
}

static enum group_result run_both(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, true, true, false, false);
}

/* With model time. */
static enum group_result run_clocked(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, false, false, false, true);
}

/* The same for those who poll or have tainted data, looked at anew with each
 * change. */
static enum group_result run_clocked_all(struct context *c, uint32_t *turn) {
    return group_loop(c, turn, c->machine->track_data, c->group->trace != NULL,
                      false, true);
}

/* Whatever else it does: there is no hurry. */
static __attribute__((noinline)) enum group_result
run_printed(struct context *c, uint32_t *turn) {
    enum group_result r =
        group_loop(c, turn, c->machine->track_data, c->group->trace != NULL,
                   true, clock_in(c->machine) != NULL);
    watch_turn_ends(c->machine->watching, c->machine);
    return r;
}

enum group_result group_run(struct context *c, struct group *g, uint32_t turn) {
    static loop_fn *const loops[4][2] = {{run_bare, run_traced},
                                         {run_tracked, run_both},
                                         {run_clocked, run_clocked_all},
                                         {run_clocked_all, run_clocked_all}};
    loop_fn *const *of = loops[c->machine->loop];
    enum group_result r;
    const struct machine *m = c->machine;
    bool printed = m->watching & WATCH_STEPS ||
                   (m->watching & WATCH_TRACE && trace_wants_warp(m, c->warp));
    enter_group(c, g);
    do r = printed ? run_printed(c, &turn) : of[g->trace != NULL](c, &turn);
    while (r == GROUP_CHANGED && turn);
    return r == GROUP_CHANGED ? GROUP_TURN_OVER : r;
}
