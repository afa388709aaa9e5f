/* SPDX-License-Identifier: MIT
 *
 * group_run.h: how a group of a warp's threads runs (run.c).
 */
#pragma once

#include "machine.h"

enum group_result {
    GROUP_GONE,
    GROUP_WAITS,
    GROUP_SPINS,
    GROUP_TURN_OVER,
    GROUP_CHANGED, /* its trace (waiting.h) has begun or ended */
    GROUP_GOES_ON,
    GROUP_STOPPED,
    GROUP_STALLED /* the clock: its next instruction is not ready yet */
};
/* Makes the group the context's, and runs it for at most `turn` instructions.
 */
enum group_result group_run(struct context *, struct group *, uint32_t turn);
