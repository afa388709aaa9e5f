/* SPDX-License-Identifier: MIT
 *
 * wavefronts.h: the rule of shared memory's banks (docs/counts.md) once more,
 * as it stands there and without a thought of speed: the grader's own
 * (watch/counts.c) is compared with it.
 */
#pragma once

#include <stdint.h>

enum wavefronts_use { WAVEFRONTS_LOAD, WAVEFRONTS_STORE, WAVEFRONTS_ATOMIC };

struct banks {
    uint32_t banks, phase_lanes; /* of the device profile */
};

/* Passes of one access by the lanes of the mask, of so many bytes each. */
uint32_t wavefronts_of(struct banks, enum wavefronts_use,
                       const uint64_t address[32], uint32_t mask,
                       uint32_t bytes);
