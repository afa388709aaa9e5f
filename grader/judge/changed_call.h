/* SPDX-License-Identifier: MIT
 *
 * changed_call.h: a case once more, without the clock and with one element of
 * the first input changed: what its call left is compared with another's.
 */
#pragma once

#include "case.h"

/* `changed` is one more than the element, 0: none; `look` sees what the call
 * left, behind each launch, too, if the spec keeps states. The verdict is
 * nobody's. */
void changed_call(const struct case_spec *, size_t changed,
                  void (*look)(void *user, vgpu_device *,
                               const struct case_seen *),
                  void *user);
