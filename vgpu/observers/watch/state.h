/* SPDX-License-Identifier: MIT
 *
 * state.h: initcheck, beside its events (watch.h).
 */
#pragma once

#include "state_copies.h"

/* ---- events ---- */
void state_access(struct context *, struct access *);
void state_stored(struct context *, struct access *);
/* Bytes that a copy reads: reports the first that nothing has written. */
void state_copy_reads(struct context *, uint32_t lane, const struct region *,
                      uint64_t at, uint32_t bytes, bool shared);
static inline bool state_is_copy(const struct context *c) {
    return c->insn->copied && state_copies_of(c->warp);
}
static inline void state_loaded(struct context *c, struct access *x) {
    if (state_is_copy(c)) state_copies_loaded(c, x);
}
static inline void state_has_stored(struct context *c, struct access *x) {
    state_stored(c, x);
    if (state_is_copy(c)) state_copies_stored(c, x);
}
static inline void state_matrix_moved(struct context *c, struct access *x,
                                      const struct matrix_moves *m) {
    (void)m;
    if (x->write) state_stored(c, x);
}
void state_changed(struct context *, struct access *, bool changed);
void state_slot_made(struct block *);
void state_block_starts(struct block *);
void state_slot_freed(struct block *);
static inline bool state_watches(const struct machine *m) {
    return m->checks & VGPU_CHECK_INITCHECK;
}
static const struct observer state_observer = {
    .watches = state_watches,
    .access = state_access,
    .loaded = state_loaded,
    .stored = state_has_stored,
    .matrix_moved = state_matrix_moved,
    .changed = state_changed,
    .copy_reads = state_copy_reads,
    .slot_made = state_slot_made,
    .block_starts = state_block_starts,
    .slot_freed = state_slot_freed};
