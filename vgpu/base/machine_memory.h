/* SPDX-License-Identifier: MIT
 *
 * machine_memory.h: how much memory all our processes together may have.
 */
#pragma once

#include <stdint.h>

/* Bytes: the machine's, or what a control group that we are in allows, if that
 * is less; of version 2 or 1, where /sys/fs/cgroup shows it. */
uint64_t machine_memory(void);
/* The same by what stands in other places than /proc/self/cgroup and
 * /sys/fs/cgroup; UINT64_MAX: no limit is found. */
uint64_t machine_memory_of_groups(const char *self, const char *groups);
