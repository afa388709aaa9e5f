/* SPDX-License-Identifier: MIT
 *
 * mbarrier_ops.c: the mbarrier instructions.
 *
 * How to read this: mbarrier.c has what an arrival and a byte do to a phase.
 * Here each lane's operand is found, checked and reported to the observers. A
 * token (the 64-bit state that an arrival returns) is the number of its phase
 * and the number of arrivals that were pending before it.
 */
#include <string.h>

#include "cluster.h"
#include "fault.h"
#include "mbarrier.h"
#include "watch.h"
#include "weak.h"

enum {
    PENDING_BITS = 20,
    IMPATIENT = 4 /* under a random schedule, one of so many try_waits gives up
                   */
};

/* ---- operands ---- */

/* The byte of shared memory that the lane's operand names. False: reported. */
static bool locate(struct context *c, uint32_t lane, uint64_t *at) {
    const struct insn *i = c->insn;
    struct async_place p = {i->base, i->is_base_wide, true, i->offset};
    uint64_t a = async_address(c, &p, lane);
    struct vgpu_message m;
    if (i->space == PTX_GENERIC && access_space(a) != PTX_SHARED) {
        VGPU_SAY(&m, MBARRIER_NOT_SHARED, .address = a);
        return exec_fault(
            c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
            (struct fault_at){.lane = lane, .address = a, .bytes = 8}, &m);
    }
    *at = cluster_own(context_block(c), a & ~WINDOW_MASK);
    if (!exec_is_own_shared(c, lane, *at)) return false;
    struct fault_at place = {.lane = lane, .address = *at, .bytes = 8};
    if (*at & 7) {
        VGPU_SAY(&m, MISALIGNED_MBARRIER, .byte = *at);
        return exec_fault(c, VGPU_MISALIGNED, VGPU_FINDING_MISALIGNED, place,
                          &m);
    }
    if (*at + 8 <= c->machine->shared_bytes) return true;
    VGPU_SAY(&m, MBARRIER_OUTSIDE, .byte = *at,
             .size = c->machine->shared_bytes);
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                      place, &m);
}

static struct mbarrier *mbarrier_ops_find(struct context *c, uint32_t lane) {
    uint64_t at = 0;
    if (!locate(c, lane, &at)) return NULL;
    struct block *b = context_block(c);
    struct mbarrier *x = mbarrier_at(b, at);
    struct vgpu_message what;
    if (!x) {
        VGPU_SAY(&what, INIT_MISSING, .form = c->insn->source->form);
        mbarrier_misused(c, lane, at, &what);
        return NULL;
    }
    uint64_t word = mbarrier_word(x);
    if (memcmp(b->shared.bytes + at, &word, sizeof word)) {
        VGPU_SAY(&what, INIT_OVERWRITTEN, .line = mbarrier_line(b, x->made_by));
        mbarrier_misused(c, lane, at, &what);
        return NULL;
    }
    return x;
}

/* ---- instructions ---- */

static uint32_t mbarrier_ops_word(const struct context *c, uint32_t at,
                                  uint32_t lane) {
    return ((const uint32_t *)(c->registers + at))[lane];
}

static void set_wide(const struct context *c, uint32_t at, uint32_t lane,
                     uint64_t v) {
    ((uint64_t *)(c->registers + at))[lane] = v;
}

static bool init(struct context *c, uint32_t lane, uint32_t count) {
    uint64_t at = 0;
    struct block *b = context_block(c);
    struct vgpu_message what;
    if (!locate(c, lane, &at)) return false;
    if (!count || count > MOST_ARRIVALS) {
        VGPU_SAY(&what, INIT_COUNT, .count = count, .most = MOST_ARRIVALS);
        return mbarrier_misused(c, lane, at, &what);
    }
    struct mbarrier *x = mbarrier_at(b, at);
    if (x && x->pending != x->expected) {
        VGPU_SAY(&what, INIT_AGAIN, .pending = x->pending,
                 .expected = x->expected);
        return mbarrier_misused(c, lane, at, &what);
    }
    if (!x) x = mbarrier_add(b, at);
    if (!x) return false;
    *x = (struct mbarrier){.at = (uint32_t)at,
                           .expected = count,
                           .pending = count,
                           .made_by = c->insn};
    if (b->shared.written) bits_set(b->shared.written, at, 8, true);
    if (b->shared.data) bits_set(b->shared.data, at, 8, false);
    watch_mbarrier_access(c->machine->watching, c, x, lane, true, false);
    watch_mbarrier_made(c->machine->watching, c, x);
    mbarrier_settle(b, x);
    return true;
}

static bool inval(struct context *c, uint32_t lane) {
    struct mbarrier *x = mbarrier_ops_find(c, lane);
    if (!x) return false;
    watch_mbarrier_access(c->machine->watching, c, x, lane, true, true);
    mbarrier_remove(context_block(c)->async, x);
    return true;
}

/* All forms of arrive. */
static bool arrival(struct context *c, uint32_t lane) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    struct mbarrier *x = mbarrier_ops_find(c, lane);
    if (!x) return false;
    uint32_t n =
        op->count == NO_REGISTER ? 1 : mbarrier_ops_word(c, op->count, lane);
    watch_mbarrier_access(c->machine->watching, c, x, lane, true, true);
    watch_arrives(c->machine->watching, c, lane, x);
    set_wide(c, i->operands.at[0], lane, x->phase << PENDING_BITS | x->pending);
    if (op->verb == MBARRIER_ARRIVE_TX) {
        if (!mbarrier_add_tx(c, x, lane, n)) return false;
        n = 1;
    }
    struct vgpu_message what;
    if (op->no_complete && n >= x->pending) {
        VGPU_SAY(&what, ARRIVALS_COMPLETE, .form = i->source->form, .count = n,
                 .pending = x->pending);
        return mbarrier_misused(c, lane, x->at, &what);
    }
    if (op->drop) {
        if (n > x->expected || n > x->pending) {
            VGPU_SAY(&what, ARRIVALS_DROPPED, .count = n,
                     .expected = x->expected);
            return mbarrier_misused(c, lane, x->at, &what);
        }
        x->expected -= n;
    }
    return mbarrier_arrived(c, x, lane, n);
}

static bool transactions(struct context *c, uint32_t lane) {
    const struct mbarrier_op *op = c->insn->extra;
    struct mbarrier *x = mbarrier_ops_find(c, lane);
    if (!x) return false;
    watch_mbarrier_access(c->machine->watching, c, x, lane, true, true);
    watch_arrives(c->machine->watching, c, lane, x);
    int64_t n = mbarrier_ops_word(c, op->count, lane);
    if (!mbarrier_add_tx(c, x, lane, op->verb == MBARRIER_EXPECT_TX ? n : -n))
        return false;
    if (op->verb == MBARRIER_EXPECT_TX)
        mbarrier_store_state(context_block(c), x);
    else
        mbarrier_settle(context_block(c), x);
    return true;
}

/* ---- waiting ---- */

/* The phase that the lane waits for is complete. */
static bool is_complete(const struct context *c, const struct mbarrier *x,
                        uint32_t lane) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    if (op->parity)
        return (x->phase & 1) !=
               (mbarrier_ops_word(c, i->operands.at[1], lane) & 1);
    return ((const uint64_t *)(c->registers + i->operands.at[1]))[lane] >>
               PENDING_BITS !=
           x->phase;
}

static bool park(struct context *c, uint64_t at) {
    watch_put_back(c->machine->watching, c);
    c->group->pc--;
    c->group->state = GROUP_AT_MBARRIER;
    c->group->barrier = (uint32_t)at;
    return false;
}

static bool loses_patience(struct machine *m) {
    return m->options->schedule == VGPU_RANDOM &&
           random_next(&m->random) % IMPATIENT == 0;
}

static bool wait(struct context *c) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    struct group *g = c->group;
    uint32_t done = 0, first = (uint32_t)__builtin_ctz(c->lanes->mask);
    uint64_t operands[WARP_LANES], seen = 0;
    uint64_t at = 0;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct mbarrier *x = mbarrier_ops_find(c, l);
        if (!x) return false;
        if (l == first) at = x->at;
        operands[l] = x->at;
        seen = (seen ^ mbarrier_word(x) ^ x->at) * 0x9e3779b97f4a7c15ull;
        if (is_complete(c, x, l)) done |= 1u << l;
    }
    if (!done && op->verb == MBARRIER_TRY_WAIT && !loses_patience(c->machine))
        return park(c, at);
    for (uint32_t m = done; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const struct mbarrier *x = mbarrier_ops_find(c, l);
        watch_mbarrier_access(c->machine->watching, c, x, l, false, false);
        watch_phase_passed(c->machine->watching, c, l, x);
    }
    uint32_t *p = (uint32_t *)(c->registers + i->operands.at[0]);
    *p = (*p & ~c->lanes->mask) | done;
    watch_poll_begins(c->machine->watching, c);
    if (done) {
        g->polls.same = 0;
        g->barrier = 0;
    } else {
        watch_polled(c->machine->watching, c, at, seen);
        /* A thread that waits leaves no trace in the counts: the next try takes
         * this one's count back. */
        if (!g->polls.same) g->polls.same = 1;
    }
    if (!done || g->trace)
        watch_poll_ends(c->machine->watching, c, c->lanes->mask, operands,
                        true);
    return true;
}

/* ---- all ---- */

static bool one_lane(struct context *c, uint32_t lane) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    switch (op->verb) {
    case MBARRIER_INIT:
        return init(c, lane, mbarrier_ops_word(c, op->count, lane));
    case MBARRIER_INVAL: return inval(c, lane);
    case MBARRIER_EXPECT_TX:
    case MBARRIER_COMPLETE_TX: return transactions(c, lane);
    case MBARRIER_PENDING_COUNT:
        ((uint32_t *)(c->registers + i->operands.at[0]))[lane] =
            (uint32_t)(((const uint64_t *)(c->registers +
                                           i->operands.at[1]))[lane] &
                       MOST_ARRIVALS);
        return true;
    default: return arrival(c, lane);
    }
}

bool exec_mbarrier(struct context *c) {
    const struct mbarrier_op *op = c->insn->extra;
    weak_block_fenced(c);
    watch_mbarrier_issued(c->machine->watching, c);
    if (op->verb == MBARRIER_TEST_WAIT || op->verb == MBARRIER_TRY_WAIT)
        return wait(c);
    for (uint32_t m = c->lanes->mask; m; m &= m - 1)
        if (!one_lane(c, (uint32_t)__builtin_ctz(m))) return false;
    c->group->polls.same = 0;
    return true;
}
