/* SPDX-License-Identifier: MIT
 *
 * patience.h: waits when processes, memory or descriptors are short: they may
 * be free in a moment, when other programs of this user end.
 */
#pragma once

#include <stdbool.h>

/* True: try again; it has waited a while, longer each time, a second in all.
 * error: errno of the call that failed; tries: 0 at the first call. */
bool patience(int error, unsigned *tries);
