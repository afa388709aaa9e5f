/* SPDX-License-Identifier: MIT
 *
 * mbarrier.c: barriers in shared memory that count arrivals and bytes.
 *
 * How to read this: a phase is complete when no arrival is pending and as many
 * bytes have arrived as were announced; then the next phase begins. A token
 * (the 64-bit state that an arrival returns) is the number of its phase and the
 * number of arrivals that were pending before it. Wrong use is a finding and
 * ends the launch: a GPU would go on with a barrier in an undefined state.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async.h"
#include "fault.h"
#include "marks.h"
#include "race.h"
#include "waiting.h"
#include "weak.h"

enum {
    MOST_ARRIVALS = (1 << 20) - 1,
    MOST_TX = (1 << 20) - 1,
    MOST_MBARRIERS = 65534,
    PENDING_BITS = 20,
    IMPATIENT = 4 /* under a random schedule, one of so many try_waits gives up
                   */
};

/* ---- the table ---- */

struct mbarrier *mbarrier_at(const struct block *b, uint64_t at) {
    const struct async_block *a = b->async;
    if (!a || !a->number || at & 7 || at + 8 > b->machine->shared_bytes)
        return NULL;
    uint16_t n = a->number[at >> 3];
    return n ? &a->mbarriers[n - 1] : NULL;
}

static struct mbarrier *add_mbarrier(struct block *b, uint64_t at) {
    struct machine *m = b->machine;
    struct async_block *a = async_of(m, b);
    if (!a) return NULL;
    if (!a->number) a->number = calloc(m->shared_bytes / 8 + 1, 2);
    if (a->n_mbarriers == a->capacity && a->capacity < MOST_MBARRIERS) {
        uint32_t n = a->capacity ? a->capacity * 2 : 16;
        struct mbarrier *t = realloc(a->mbarriers, n * sizeof *t);
        if (t) {
            a->mbarriers = t;
            a->capacity = n;
        }
    }
    if (!a->number || a->n_mbarriers >= a->capacity ||
        a->n_mbarriers >= MOST_MBARRIERS) {
        m->status = VGPU_OUT_OF_MEMORY;
        return NULL;
    }
    a->number[at >> 3] = (uint16_t)++a->n_mbarriers;
    return &a->mbarriers[a->n_mbarriers - 1];
}

static void remove_mbarrier(struct async_block *a, struct mbarrier *b) {
    struct mbarrier *last = &a->mbarriers[a->n_mbarriers - 1];
    a->number[b->at >> 3] = 0;
    if (b != last) {
        a->number[last->at >> 3] = (uint16_t)(b - a->mbarriers + 1);
        *b = *last;
    }
    a->n_mbarriers--;
}

/* What a program reads from the object's 8 bytes. */
static uint64_t state_word(const struct mbarrier *b) {
    uint64_t x = (uint64_t)b->expected << 1 | (uint64_t)b->pending << 21 |
                 (uint64_t)(uint32_t)(b->tx & 0x1fffff) << 41;
    return x | (b->phase & 1) | 1ull << 63;
}

void mbarrier_store_state(struct block *b, const struct mbarrier *x) {
    uint64_t word = state_word(x);
    memcpy(b->shared.bytes + x->at, &word, sizeof word);
}

/* ---- findings ---- */

static bool misuse(struct context *c, uint32_t lane, uint64_t at,
                   const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool misuse(struct context *c, uint32_t lane, uint64_t at,
                   const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_MBARRIER, lane, at,
                      8, "the mbarrier at byte %llu of shared memory: %s",
                      (unsigned long long)at, what);
}

static uint32_t line_of(const struct block *b, const struct insn *i) {
    return program_source(b->machine->program->ptx, i->source->loc).line;
}

/* The byte of shared memory that the lane's operand names. False: reported. */
static bool locate(struct context *c, uint32_t lane, uint64_t *at) {
    const struct insn *i = c->insn;
    struct async_place p = {i->base, i->is_base_wide, true, i->offset};
    uint64_t a = async_address(c, &p, lane);
    if (i->space == PTX_GENERIC && access_space(a) != PTX_SHARED)
        return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                          lane, a, 8,
                          "0x%llx is no address in shared memory, where an "
                          "mbarrier must be",
                          (unsigned long long)a);
    *at = a & ~WINDOW_MASK;
    if (*at & 7)
        return exec_fault(c, VGPU_MISALIGNED, VGPU_FINDING_MISALIGNED, lane,
                          *at, 8,
                          "mbarrier at byte %llu of shared memory, which is "
                          "not a multiple of 8",
                          (unsigned long long)*at);
    if (*at + 8 > c->machine->shared_bytes)
        return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                          lane, *at, 8,
                          "mbarrier at byte %llu of shared memory, of which "
                          "the block has %u bytes",
                          (unsigned long long)*at, c->machine->shared_bytes);
    return true;
}

static struct mbarrier *find(struct context *c, uint32_t lane) {
    uint64_t at = 0;
    if (!locate(c, lane, &at)) return NULL;
    struct block *b = context_block(c);
    struct mbarrier *x = mbarrier_at(b, at);
    if (!x) {
        misuse(c, lane, at,
               "%s, but no mbarrier.init has been there: let one thread "
               "initialise it and put a barrier between",
               c->insn->source->form);
        return NULL;
    }
    uint64_t word = state_word(x);
    if (memcmp(b->shared.bytes + at, &word, sizeof word)) {
        misuse(c, lane, at,
               "something else was written over it since mbarrier.init in "
               "line %u",
               line_of(b, x->made_by));
        return NULL;
    }
    return x;
}

/* ---- racecheck ---- */

static void race(struct context *c, const struct mbarrier *x, uint32_t lane,
                 bool write, bool atomic) {
    if (!c->machine->race) return;
    struct access a;
    access_set_mask(&a, 1u << lane);
    a.space = PTX_SHARED;
    a.bytes = 8;
    a.write = write;
    a.atomic = atomic;
    a.scratch = NULL;
    a.one = &context_block(c)->shared;
    a.address[lane] = a.low = a.high = a.bits = x->at;
    race_access(c, &a);
}

/* ---- phases ---- */

static void wake(struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state == GROUP_AT_MBARRIER) g->state = GROUP_READY;
        }
}

static void settle(struct block *b, struct mbarrier *x) {
    if (!x->pending && !x->tx) {
        x->phase++;
        b->async->n_phases++;
        x->pending = x->expected;
        x->announced = x->brought = 0;
        wake(b);
    }
    mbarrier_store_state(b, x);
    b->machine->progress++;
}

static bool arrive(struct context *c, struct mbarrier *x, uint32_t lane,
                   uint32_t count) {
    if (!count || count > MOST_ARRIVALS)
        return misuse(c, lane, x->at, "%u arrivals at once: 1 to %u can be",
                      count, MOST_ARRIVALS);
    if (count > x->pending)
        return misuse(c, lane, x->at,
                      "%u arrival%s, but %u of %u %s pending in this phase: "
                      "more threads arrive than mbarrier.init in line %u "
                      "asks for, or one arrives twice",
                      count, count == 1 ? "" : "s", x->pending, x->expected,
                      x->pending == 1 ? "is" : "are",
                      line_of(context_block(c), x->made_by));
    x->pending -= count;
    settle(context_block(c), x);
    return true;
}

static bool add_tx(struct context *c, struct mbarrier *x, uint32_t lane,
                   int64_t bytes) {
    int64_t tx = x->tx + bytes;
    if (tx > MOST_TX || tx < -MOST_TX)
        return misuse(c, lane, x->at,
                      "its count of bytes becomes %lld: it must stay between "
                      "-%u and %u",
                      (long long)tx, MOST_TX, MOST_TX);
    x->tx = (int32_t)tx;
    if (bytes > 0)
        x->announced += (uint64_t)bytes;
    else
        x->brought += (uint64_t)-bytes;
    return true;
}

bool mbarrier_brought(struct context *c, struct mbarrier *x, uint32_t bytes) {
    if (!add_tx(c, x, 0, -(int64_t)bytes)) return false;
    settle(context_block(c), x);
    return true;
}

bool mbarrier_arrived(struct context *c, struct mbarrier *x, uint32_t lane,
                      uint32_t count) {
    return arrive(c, x, lane, count);
}

/* ---- instructions ---- */

static uint32_t word(const struct context *c, uint32_t at, uint32_t lane) {
    return ((const uint32_t *)(c->registers + at))[lane];
}

static void set_wide(const struct context *c, uint32_t at, uint32_t lane,
                     uint64_t v) {
    ((uint64_t *)(c->registers + at))[lane] = v;
}

static bool init(struct context *c, uint32_t lane, uint32_t count) {
    uint64_t at = 0;
    struct block *b = context_block(c);
    if (!locate(c, lane, &at)) return false;
    if (!count || count > MOST_ARRIVALS)
        return misuse(c, lane, at,
                      "mbarrier.init for %u arrivals: 1 to %u can "
                      "be",
                      count, MOST_ARRIVALS);
    struct mbarrier *x = mbarrier_at(b, at);
    if (x && x->pending != x->expected)
        return misuse(c, lane, at,
                      "mbarrier.init while a phase is under way (%u of %u "
                      "arrivals pending): mbarrier.inval comes first, when "
                      "nobody waits any more",
                      x->pending, x->expected);
    if (!x) x = add_mbarrier(b, at);
    if (!x) return false;
    *x = (struct mbarrier){.at = (uint32_t)at,
                           .expected = count,
                           .pending = count,
                           .made_by = c->insn};
    if (b->shared.written) bits_set(b->shared.written, at, 8, true);
    if (b->shared.data) bits_set(b->shared.data, at, 8, false);
    race(c, x, lane, true, false);
    settle(b, x);
    return true;
}

static bool inval(struct context *c, uint32_t lane) {
    struct mbarrier *x = find(c, lane);
    if (!x) return false;
    race(c, x, lane, true, true);
    remove_mbarrier(context_block(c)->async, x);
    return true;
}

/* All forms of arrive. */
static bool arrival(struct context *c, uint32_t lane) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    struct mbarrier *x = find(c, lane);
    if (!x) return false;
    uint32_t n = op->count == NO_REGISTER ? 1 : word(c, op->count, lane);
    race(c, x, lane, true, true);
    set_wide(c, i->operands.at[0], lane, x->phase << PENDING_BITS | x->pending);
    if (op->verb == MBARRIER_ARRIVE_TX) {
        if (!add_tx(c, x, lane, n)) return false;
        n = 1;
    }
    if (op->no_complete && n >= x->pending)
        return misuse(c, lane, x->at,
                      "%s of %u, but %u are pending: it must not complete the "
                      "phase",
                      i->source->form, n, x->pending);
    if (op->drop) {
        if (n > x->expected || n > x->pending)
            return misuse(c, lane, x->at, "%u arrivals dropped of %u", n,
                          x->expected);
        x->expected -= n;
    }
    return arrive(c, x, lane, n);
}

static bool transactions(struct context *c, uint32_t lane) {
    const struct mbarrier_op *op = c->insn->extra;
    struct mbarrier *x = find(c, lane);
    if (!x) return false;
    race(c, x, lane, true, true);
    int64_t n = word(c, op->count, lane);
    if (!add_tx(c, x, lane, op->verb == MBARRIER_EXPECT_TX ? n : -n))
        return false;
    if (op->verb == MBARRIER_EXPECT_TX)
        mbarrier_store_state(context_block(c), x);
    else
        settle(context_block(c), x);
    return true;
}

/* ---- waiting ---- */

/* True: the phase that the lane waits for, *phase, is complete. */
static bool is_complete(const struct context *c, const struct mbarrier *x,
                        uint32_t lane, uint64_t *phase) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    if (op->parity) {
        *phase = x->phase - 1;
        return (x->phase & 1) != (word(c, i->operands.at[1], lane) & 1);
    }
    *phase = ((const uint64_t *)(c->registers + i->operands.at[1]))[lane] >>
             PENDING_BITS;
    return *phase != x->phase;
}

static void passed(struct context *c, struct mbarrier *x, uint32_t lane,
                   uint64_t phase) {
    race(c, x, lane, false, false);
    if (x->phase) async_claim_phase(c, x, phase);
    race_learn_stamp(c, lane, x->claimed);
}

static bool park(struct context *c, uint64_t at) {
    struct insn *i = c->insn;
    /* The instruction will be executed again, and is counted then. */
    i->warps--;
    i->threads -= (uint64_t)__builtin_popcount(c->lanes->mask);
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
    uint64_t operands[WARP_LANES], phase, seen = 0;
    uint64_t at = 0;
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct mbarrier *x = find(c, l);
        if (!x) return false;
        if (l == first) at = x->at;
        operands[l] = x->at;
        seen = (seen ^ state_word(x) ^ x->at) * 0x9e3779b97f4a7c15ull;
        if (is_complete(c, x, l, &phase)) done |= 1u << l;
    }
    if (!done && op->verb == MBARRIER_TRY_WAIT && !loses_patience(c->machine))
        return park(c, at);
    for (uint32_t m = done; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        struct mbarrier *x = find(c, l);
        is_complete(c, x, l, &phase);
        passed(c, x, l, phase);
    }
    uint32_t *p = (uint32_t *)(c->registers + i->operands.at[0]);
    *p = (*p & ~c->lanes->mask) | done;
    spin_before(c);
    if (done) {
        g->polls.same = 0;
        g->barrier = 0;
    } else {
        poll_seen(c, at, seen);
        /* A thread that waits leaves no trace in the counts: the next try takes
         * this one's count back. */
        if (!g->polls.same) g->polls.same = 1;
    }
    if (!done || g->trace) spin_seen(c, c->lanes->mask, operands, true);
    return true;
}

/* ---- */

static bool one_lane(struct context *c, uint32_t lane) {
    const struct insn *i = c->insn;
    const struct mbarrier_op *op = i->extra;
    switch (op->verb) {
    case MBARRIER_INIT: return init(c, lane, word(c, op->count, lane));
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
    if (op->verb == MBARRIER_TEST_WAIT || op->verb == MBARRIER_TRY_WAIT)
        return wait(c);
    for (uint32_t m = c->lanes->mask; m; m &= m - 1)
        if (!one_lane(c, (uint32_t)__builtin_ctz(m))) return false;
    c->group->polls.same = 0;
    if (c->machine->track_data && op->verb != MBARRIER_INIT)
        marks_clear(c, c->lanes->mask);
    return true;
}

void mbarrier_explain(const struct block *b, uint64_t at, char *out,
                      size_t bytes) {
    const struct mbarrier *x = mbarrier_at(b, at);
    if (!x) {
        snprintf(out, bytes, "which is no mbarrier any more");
        return;
    }
    int n = snprintf(out, bytes,
                     "where phase %llu (parity %u) is not complete: %u of %u "
                     "arrivals have come",
                     (unsigned long long)x->phase, (unsigned)(x->phase & 1),
                     x->expected - x->pending, x->expected);
    if (n < 0 || (size_t)n >= bytes) return;
    out += n;
    bytes -= (size_t)n;
    if (x->announced || x->brought || x->tx)
        n = snprintf(out, bytes,
                     ", %llu bytes were announced (expect_tx) and copies "
                     "brought %llu",
                     (unsigned long long)x->announced,
                     (unsigned long long)x->brought);
    else
        n = 0;
    if (n < 0 || (size_t)n >= bytes) return;
    out += n;
    bytes -= (size_t)n;
    if (!x->pending && x->tx)
        snprintf(out, bytes,
                 ". No copy is on its way that could make up for the "
                 "difference: expect_tx must announce exactly the bytes of the "
                 "copies that name this mbarrier");
    else if (x->pending)
        snprintf(out, bytes,
                 ". The missing arrivals do not come: mbarrier.init in line %u "
                 "counts threads that do not arrive, have ended, or wait "
                 "themselves. If it waits for an older phase, its parity is "
                 "wrong",
                 line_of(b, x->made_by));
}
