/* SPDX-License-Identifier: MIT
 * findings.h: chooses among the virtual GPU's findings the one that explains
 * most.
 */
#pragma once

#include "harness.h"
#include "outcome.h"

/* Takes the first finding of the checks, or of those that are always on, into
 * an empty outcome. misuse: also a runtime call that was wrong; the call told
 * the program so, and it may have been right all the same. */
void findings_take(const struct harness *, unsigned checks, bool misuse,
                   struct outcome *);
/* Adds the findings of another run of the case behind the leading one. */
void findings_add(struct outcome *, const struct outcome *more);
/* Where a call of the runtime was made. */
void findings_place(const struct harness *,
                    const uint64_t callers[VGPU_CALLERS], struct place *);
