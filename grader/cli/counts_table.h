/* SPDX-License-Identifier: MIT
 *
 * counts_table.h: what a call counted, a line for each counter.
 */
#pragma once

#include <vgpu.h>

/* n: elements, 0: unknown. clock: profile of model time; NULL: none. */
void counts_print(const uint64_t counts[VGPU_N_COUNTERS], size_t n,
                  const char *clock);
