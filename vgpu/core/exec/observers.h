/* SPDX-License-Identifier: MIT
 *
 * observers.h: gives the observers of a launch the state that they own
 * (observer.h of the room watch).
 */
#pragma once

#include "machine.h"

/* Who watches the launch, and what it keeps of each instruction. False: there
 * is no memory, as machine.status says. */
bool observers_begin(struct machine *);
/* What they keep of a block and its warps. False: there is no memory. To be
 * freed in any case, with the event slot_freed. */
bool observers_make_block(struct block *);
void observers_free_block(struct block *);
