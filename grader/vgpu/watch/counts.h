/* SPDX-License-Identifier: MIT
 *
 * counts.h: what an access costs.
 */
#ifndef VGPU_COUNTS_H
#define VGPU_COUNTS_H

#include "machine.h"

uint32_t count_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                       uint32_t shift);
/* Wavefronts of a shared access; *ideal: what its width needs. */
enum bank_use { BANKS_LOAD, BANKS_STORE, BANKS_ATOMIC };
uint32_t count_wavefronts(const struct vgpu_profile *, const uint32_t *offsets,
                          uint32_t mask, uint32_t bytes, enum bank_use,
                          uint32_t *ideal);

#endif
