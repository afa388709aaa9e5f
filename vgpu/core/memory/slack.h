/* SPDX-License-Identifier: MIT
 *
 * slack.h: did the program store behind an allocation, where its options let it
 * (vgpu_options.slack_bytes)? What lies there is summed up when the allocation
 * is made, and again when somebody asks or it is freed.
 */
#pragma once

#include "memory.h"

/* The allocation has its contents and its slack. */
void slack_begins(struct allocation *);
/* It is about to lose its bytes. */
void slack_ends(struct memory *, const struct allocation *);
/* Of all allocations, alive or freed. A store of what was there is not seen. */
bool slack_is_stored(const struct memory *);
