/* SPDX-License-Identifier: MIT
 *
 * repairs.h: small repairs of a submission that failed, tried: a barrier here,
 * a fence there, `<` in place of `<=` (repairs.def). The virtual GPU runs the
 * failed case with the program so changed; where it passes, and the check's
 * other cases with it, the outcome keeps the repair. Nothing of the reference
 * is known here, and nothing is changed but what the submission has.
 */
#pragma once

#include "check_run.h"
#include "repairs_state.h"

/* Of a check that failed. */
void repairs_look(const struct check_run *, struct check_result *,
                  struct repairs *);
/* Behind the checks of a lab. */
void repairs_close(struct repairs *);
