/* SPDX-License-Identifier: MIT
 *
 * surplus.h: the memory of a judge, for the cases that run at the same time.
 * Each case's device may always hold its share. Only one case at a time may
 * hold more, until it ends; other cases that need more wait for it. So a
 * verdict does not depend on what runs beside a case, and the judge's memory
 * has a bound.
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
/* Waits until no other case has the surplus, and takes it; returns how many
 * milliseconds it waited. A thread may take it several times. */
long long surplus_take(struct surplus *);
void surplus_give(struct surplus *);
