/* SPDX-License-Identifier: MIT
 *
 * stuck.h: findings about a grid that does not end. Each ends the launch.
 */
#ifndef VGPU_STUCK_H
#define VGPU_STUCK_H

#include "machine.h"

/* Nobody can go on. slots: n places of resident blocks. */
void report_deadlock(struct machine *, struct block *slots, uint32_t n,
                     uint64_t not_started);
/* The launch has executed its budget: names the hottest line. */
void report_budget(struct machine *, struct block *slots, uint32_t n);

#endif
