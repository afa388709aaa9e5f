/* SPDX-License-Identifier: MIT
 *
 * mbarrier.c: barriers in shared memory that count arrivals and bytes: the
 * table of a block's, and their phases.
 *
 * How to read this: a phase is complete when no arrival is pending and as many
 * bytes have arrived as were announced; then the next phase begins. Wrong use
 * is a finding and ends the launch: a GPU would go on with a barrier in an
 * undefined state.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbarrier.h"
#include "fault.h"

enum { MOST_TX = (1 << 20) - 1, MOST_MBARRIERS = 65534 };

/* ---- the table ---- */

struct mbarrier *mbarrier_at(const struct block *b, uint64_t at) {
    const struct async_block *a = b->async;
    if (!a || !a->number || at & 7 || at + 8 > b->machine->shared_bytes)
        return NULL;
    uint16_t n = a->number[at >> 3];
    return n ? &a->mbarriers[n - 1] : NULL;
}

static const char mbarriers[] = "its mbarriers";

struct mbarrier *mbarrier_add(struct block *b, uint64_t at) {
    struct machine *m = b->machine;
    struct async_block *a = async_of(m, b);
    if (!a) return NULL;
    struct charges *charges = &m->memory->charges;
    if (!a->number)
        a->number = charges_zeroed(
            charges, (m->shared_bytes / 8 + 1) * sizeof *a->number, mbarriers);
    if (a->n_mbarriers == a->capacity && a->capacity < MOST_MBARRIERS) {
        uint32_t n = a->capacity ? a->capacity * 2 : 16;
        struct mbarrier *t =
            charges_grown(charges, a->mbarriers, a->n_mbarriers * sizeof *t,
                          n * sizeof *t, mbarriers);
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

void mbarrier_remove(struct async_block *a, struct mbarrier *b) {
    struct mbarrier *last = &a->mbarriers[a->n_mbarriers - 1];
    a->number[b->at >> 3] = 0;
    if (b != last) {
        a->number[last->at >> 3] = (uint16_t)(b - a->mbarriers + 1);
        *b = *last;
    }
    a->n_mbarriers--;
}

void mbarrier_store_state(struct block *b, const struct mbarrier *x) {
    uint64_t word = mbarrier_word(x);
    memcpy(b->shared.bytes + x->at, &word, sizeof word);
}

/* ---- findings ---- */

bool mbarrier_misused(struct context *c, uint32_t lane, uint64_t at,
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

uint32_t mbarrier_line(const struct block *b, const struct insn *i) {
    return program_source(b->machine->program->ptx, i->source->loc).line;
}

/* ---- phases ---- */

static void wake(struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state == GROUP_AT_MBARRIER) g->state = GROUP_READY;
        }
}

void mbarrier_settle(struct block *b, struct mbarrier *x) {
    if (!x->pending && !x->tx) {
        x->phase++;
        async_phase_ends(b, x);
        b->async->n_phases++;
        x->pending = x->expected;
        x->announced = x->brought = 0;
        x->over = x->due;
        x->due = (struct copy_time){0};
        wake(b);
    }
    mbarrier_store_state(b, x);
    b->machine->progress++;
}

bool mbarrier_arrived(struct context *c, struct mbarrier *x, uint32_t lane,
                      uint32_t count) {
    if (!count || count > MOST_ARRIVALS)
        return mbarrier_misused(c, lane, x->at,
                                "%u arrivals at once: 1 to %u can be", count,
                                MOST_ARRIVALS);
    if (count > x->pending)
        return mbarrier_misused(
            c, lane, x->at,
            "%u arrival%s, but %u of %u %s pending in this phase: "
            "more threads arrive than mbarrier.init in line %u "
            "asks for, or one arrives twice",
            count, count == 1 ? "" : "s", x->pending, x->expected,
            x->pending == 1 ? "is" : "are",
            mbarrier_line(context_block(c), x->made_by));
    x->pending -= count;
    mbarrier_settle(context_block(c), x);
    return true;
}

bool mbarrier_add_tx(struct context *c, struct mbarrier *x, uint32_t lane,
                     int64_t bytes) {
    int64_t tx = x->tx + bytes;
    if (tx > MOST_TX || tx < -MOST_TX)
        return mbarrier_misused(
            c, lane, x->at,
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
    if (!mbarrier_add_tx(c, x, 0, -(int64_t)bytes)) return false;
    mbarrier_settle(context_block(c), x);
    return true;
}

/* ---- a wait that does not end ---- */

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
                 mbarrier_line(b, x->made_by));
}
