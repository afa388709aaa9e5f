/* SPDX-License-Identifier: MIT
 *
 * observers.c: see observers.h.
 */
#include "observers.h"

#include <string.h>

#include "watch.h"

static const struct observer *const observers[] = {
#define X(NAME, name, ...) &name##_observer,
    OBSERVERS(X, )
#undef X
};

static bool is_on(const struct machine *m, unsigned k) {
    return !observers[k]->watches || m->watching >> k & 1;
}

bool observers_begin(struct machine *m) {
    struct program *p = m->program;
    m->watching = watchers_of(m);
    for (unsigned k = 0; k < N_OBSERVERS; k++)
        if (observers[k]->insn && is_on(m, k) &&
            !program_give(p, k, observers[k]->insn)) {
            m->status = VGPU_OUT_OF_MEMORY;
            return false;
        }
    m->n_numbers = p->n_numbers;
    memcpy(m->insn_slots, p->insn_slots, sizeof m->insn_slots);
    return true;
}

static void *observers_make(const struct block *b, unsigned k, size_t bytes) {
    return charges_zeroed(&b->machine->memory->charges, bytes,
                          observers[k]->what);
}

/* One piece for all warps of the block. */
static bool make_warps(struct block *b, unsigned k) {
    size_t bytes = observers[k]->warp;
    uint8_t *all = bytes ? observers_make(b, k, b->n_warps * bytes) : NULL;
    for (uint32_t w = 0; all && w < b->n_warps; w++)
        b->warps[w].slots[k] = all + w * bytes;
    return all || !bytes;
}

bool observers_make_block(struct block *b) {
    for (unsigned k = 0; k < N_OBSERVERS; k++) {
        size_t bytes = is_on(b->machine, k) ? observers[k]->block : 0;
        if (bytes && !(b->slots[k] = observers_make(b, k, bytes))) return false;
        if (is_on(b->machine, k) && !make_warps(b, k)) return false;
    }
    return b->observed = true;
}

void observers_free_block(struct block *b) {
    struct charges *charges = &b->machine->memory->charges;
    if (b->observed) watch_slot_freed(b->machine->watching, b);
    for (unsigned k = 0; k < N_OBSERVERS; k++) {
        if (observers[k]->block) charges_free(charges, b->slots[k]);
        if (observers[k]->warp && b->warps)
            charges_free(charges, b->warps[0].slots[k]);
    }
}
