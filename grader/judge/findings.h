/* SPDX-License-Identifier: MIT
 *
 * findings.h: of what the virtual GPU has found, what explains most.
 */
#ifndef SCANLAB_FINDINGS_H
#define SCANLAB_FINDINGS_H

#include "live.h"
#include "outcome.h"

/* Takes the first finding of the checks, or of those that are always on, into
 * an empty outcome. misuse: also a runtime call that was wrong; the call told
 * the program so, and it may have been right all the same. */
void findings_take(const struct live *, unsigned checks, bool misuse,
                   struct outcome *);

#endif
