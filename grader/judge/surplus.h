/* SPDX-License-Identifier: MIT
 *
 * surplus.h: the memory of a judge, shared by the cases that run at the same
 * time. Each case's device has a share that is always there; what is beyond the
 * shares belongs to one case at a time, until that case ends, and the others
 * wait for it. So a verdict never depends on what runs beside a case, and the
 * judge's memory has a bound.
 */
#pragma once

#include <stdint.h>

/* What a device of this profile (NULL: the usual one) may hold of the judge's
 * memory, and of that without asking. */
uint64_t surplus_limit(const char *profile);
uint64_t surplus_share(void);

struct surplus;
struct surplus *surplus_new(void); /* NULL: no memory */
void surplus_free(struct surplus *);
/* Waits until nobody else has it; milliseconds. One thread may have it several
 * times over. */
long long surplus_take(struct surplus *);
void surplus_give(struct surplus *);
