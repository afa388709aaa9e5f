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
