/* SPDX-License-Identifier: MIT
 *
 * observers.h: gives the observers of a launch the state that they own
 * (observer.h of the room watch).
 */
#pragma once

#include "machine.h"

/* Finds the observers of the launch, and allocates their state of the launch
 * and of each instruction. False: no memory; machine.status says so. */
bool observers_begin(struct machine *);
/* Allocates their state of a block and its warps. False: no memory. Call
 * observers_free_block in any case; it sends the event slot_freed. */
bool observers_make_block(struct block *);
void observers_free_block(struct block *);
