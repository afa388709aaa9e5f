/* SPDX-License-Identifier: MIT
 *
 * state.h: initcheck, beside its events (watch.h).
 */
#pragma once

#include "event.h"

/* An asynchronous copy reads these bytes: reports the first that nothing has
 * written. */
void state_check_copy(struct context *, uint32_t lane, const struct region *,
                      uint64_t at, uint32_t bytes, bool shared);

/* ---- events ---- */
void state_access(struct context *, struct access *);
void state_stored(struct context *, struct access *);
void state_changed(struct context *, struct access *, bool changed);
void state_slot_made(struct block *);
void state_block_starts(struct block *);
void state_slot_freed(struct block *);
static inline bool state_watches(const struct machine *m) {
    return m->checks & VGPU_CHECK_INITCHECK;
}
static const struct observer state_observer = {.watches = state_watches,
                                               .access = state_access,
                                               .stored = state_stored,
                                               .changed = state_changed,
                                               .slot_made = state_slot_made,
                                               .block_starts =
                                                   state_block_starts,
                                               .slot_freed = state_slot_freed};
