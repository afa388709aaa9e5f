/* SPDX-License-Identifier: MIT
 *
 * state_copies.h: copies of structs, which copy unwritten padding bytes, too.
 * Called only for instructions with elements that are `copied` (program.h).
 */
#pragma once

#include "event.h"

/* Called for a lane that loads bytes that nothing has written. True: they may
 * be padding of a struct, and the lane remembers them until it stores them;
 * false: the caller has to report the load. */
bool state_copies_take(struct context *, const struct access *, uint32_t lane);
/* A load of such an instruction; a store of such an instruction, called after
 * state_stored. Only if state_copies_of(warp) is not NULL. */
void state_copies_loaded(struct context *, struct access *);
void state_copies_stored(struct context *, struct access *);
/* The unwritten bytes that a warp's lanes have loaded; NULL: there are none. */
static inline struct state_copies *state_copies_of(const struct warp *w) {
    return w->slots[OBSERVER_STATE];
}
/* A block begins; its slot ends. */
void state_copies_forget(struct block *);
void state_copies_free(struct block *);
