/* SPDX-License-Identifier: MIT
 *
 * patience.h: processes, memory and descriptors that are short may be there in
 * a moment: others of this user end.
 */
#pragma once

#include <stdbool.h>

/* May another try work? Waits a while, longer each time, a second in all.
 * error: errno of what could not be started or opened; tries: begins with 0. */
bool patience(int error, unsigned *tries);
