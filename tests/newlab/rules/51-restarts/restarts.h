/* SPDX-License-Identifier: MIT
 *
 * restarts.h: the function of the example lab "restarts"; see
 * docs/adding-a-lab.md.
 *
 *   in       n elements, read only.
 *   out      n elements; does not overlap in.
 *   Returns  0, or another number when there is no memory. SCANLAB_TODO: not
 *            written yet.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* out[i] = in[s] + ... + in[i], wrapping; s is the last index up to i where
 * in[s] is a multiple of 4, or 0. */
int restart_scan(const int32_t *in, int32_t *out, size_t n);
