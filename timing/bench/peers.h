/* SPDX-License-Identifier: MIT
 *
 * peers.h: what nvcc compiles for the bench: the measuring program and the
 * libraries of peers (timing/gpu).
 */
#pragma once

#include "plan.h"
#include "units.h"

/* Fills units with the measuring program and those whose peers the filter lets
 * through, NULL: all; newer_cub: those of a newer CUB, too (units_newer_cub).
 * Returns how many. */
size_t peers_units(const struct plan_filter *, bool newer_cub,
                   const struct unit *units[UNITS_MOST]);
