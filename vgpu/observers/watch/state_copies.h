/* SPDX-License-Identifier: MIT
 *
 * state_copies.h: copies of structs, which copy unwritten padding bytes, too.
 * Called only for instructions with elements that are `copied` (program.h).
 */
#pragma once

#include "event.h"

/* A lane loads bytes that nothing has written. True: they may pad a struct, and
 * will be taken along; false: the load is to be reported. */
bool state_copies_take(struct context *, const struct access *, uint32_t lane);
/* Such a load, and such a store behind state_stored; state_copies_of is there.
 */
void state_copies_loaded(struct context *, struct access *);
void state_copies_stored(struct context *, struct access *);
/* What a warp has taken along; NULL: nothing. */
static inline struct state_copies *state_copies_of(const struct warp *w) {
    return w->slots[OBSERVER_STATE];
}
/* A block begins; its slot ends. */
void state_copies_forget(struct block *);
void state_copies_free(struct block *);
