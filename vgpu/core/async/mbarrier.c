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
                      const struct vgpu_message *what) {
    struct vgpu_message m;
    VGPU_SAY(&m, MBARRIER, .byte = at, .what = what);
    return exec_fault(
        c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_MBARRIER,
        (struct fault_at){.lane = lane, .address = at, .bytes = 8}, &m);
}

uint32_t mbarrier_line(const struct block *b, const struct insn *i) {
    return program_source(b->machine->program->ptx, i->source->loc).line;
}

/* ---- phases ---- */

static void wake(struct block *b) {
    for (uint32_t k = 0; k < b->n_warps; k++)
        for (uint32_t j = 0; j < b->warps[k].n_groups; j++) {
            struct group *g = &b->warps[k].groups[j];
            if (g->state == GROUP_AT_MBARRIER && g->barrier != AT_MEETING)
                g->state = GROUP_READY;
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
    struct vgpu_message what;
    if (!count || count > MOST_ARRIVALS) {
        VGPU_SAY(&what, ARRIVALS_AT_ONCE, .count = count,
                 .most = MOST_ARRIVALS);
        return mbarrier_misused(c, lane, x->at, &what);
    }
    if (count > x->pending) {
        VGPU_SAY(&what, ARRIVALS_OVER, .count = count, .pending = x->pending,
                 .expected = x->expected,
                 .line = mbarrier_line(context_block(c), x->made_by));
        return mbarrier_misused(c, lane, x->at, &what);
    }
    x->pending -= count;
    mbarrier_settle(context_block(c), x);
    return true;
}

bool mbarrier_add_tx(struct context *c, struct mbarrier *x, uint32_t lane,
                     int64_t bytes) {
    int64_t tx = x->tx + bytes;
    if (tx > MOST_TX || tx < -MOST_TX) {
        struct vgpu_message what;
        VGPU_SAY(&what, TRANSACTION_RANGE, .bytes = (uint64_t)tx,
                 .most = MOST_TX);
        return mbarrier_misused(c, lane, x->at, &what);
    }
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

void mbarrier_explain(const struct block *b, uint64_t at,
                      struct vgpu_message *state) {
    const struct mbarrier *x = mbarrier_at(b, at);
    struct vgpu_message why;
    if (!x) {
        VGPU_SAY_PLAIN(state, NO_MBARRIER);
        return;
    }
    bool counts_bytes = x->announced || x->brought || x->tx;
    bool lacks_bytes = !x->pending && x->tx;
    if (lacks_bytes)
        VGPU_SAY_PLAIN(&why, LACKS_BYTES);
    else
        VGPU_SAY(&why, LACKS_ARRIVALS, .line = mbarrier_line(b, x->made_by));
    VGPU_SAY(state, PHASE, .phase = x->phase, .parity = x->phase & 1,
             .came = x->expected - x->pending, .expected = x->expected,
             .announced = counts_bytes ? x->announced : VGPU_ABSENT,
             .brought = counts_bytes ? x->brought : VGPU_ABSENT,
             .why = lacks_bytes || x->pending ? &why : NULL);
}
