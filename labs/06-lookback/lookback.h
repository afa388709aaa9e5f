/* SPDX-License-Identifier: MIT
 *
 * lookback.h: the functions of lab 6, CUDA C. You write them in lookback.cu.
 * The operators they scan with are in labs/common/scan_operators.h.
 *
 * Common to all
 *   d_in     n elements in device memory, aligned to an element and not more.
 *            Read only: a kernel that writes to it is stopped.
 *   d_out    n elements in device memory, likewise aligned. Does not overlap
 *            d_in. Its contents before the call are garbage.
 *   n        0 to 2^31 - 1, any number. For 0 nothing is launched and
 *            cudaSuccess returned; the pointers may then be NULL.
 *   Tiles    of LOOKBACK_TILE elements where a function's answer depends on it;
 *            the scans of the whole array may choose their own.
 *   Scratch  the function allocates what it needs and frees it again.
 *   Host     no element travels to the host. The work is done on the default
 *            stream and may still be running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Order    the functions finish, with the right answer, in whatever order the
 *            device starts blocks, however few of them it runs at once.
 *   Source   Merrill and Garland, Single-pass Parallel Prefix Scan with
 *            Decoupled Look-back, section 4.
 */
#ifndef LOOKBACK_H
#define LOOKBACK_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "scan_operators.h"

enum { LOOKBACK_TILE = 4096 };

#ifdef __cplusplus
extern "C" {
#endif

/* ---- steps on the way; int32 sums ---- */

/* out[i] = i / LOOKBACK_TILE, the number of the tile, which the block that
 * writes the tile has taken from a counter when it started. d_in is not read.
 */
cudaError_t lookback_tickets(const int32_t *d_in, int32_t *d_out, size_t n);

/* Every tile on its own: out[i] = in[t] + ... + in[i], t = i rounded down to a
 * multiple of LOOKBACK_TILE. */
cudaError_t lookback_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n);

/* out[i] = sum of the tile before the one of i, 0 in tile 0. One launch: each
 * block publishes the sum of its tile and waits for its neighbour's. */
cudaError_t lookback_neighbours(const int32_t *d_in, int32_t *d_out, size_t n);

/* out[i] = in[0] + ... + in[i], by looking back one tile at a time. */
cudaError_t lookback_scan_serially(const int32_t *d_in, int32_t *d_out,
                                   size_t n);

/* A snapshot of n tiles. If d_prefix[t] is not 0, d_values[t] is tile t's
 * inclusive prefix, otherwise its aggregate. d_values[0] is always tile 0's
 * inclusive prefix, also if d_prefix[0] is 0.
 * out[t] = the sum of everything before tile t: the values of t-1, t-2, ...
 * down to the first that is a prefix; out[0] = 0. One warp per tile, which
 * looks at 32 tiles at a time. */
cudaError_t lookback_snapshot(const int32_t *d_prefix, const int32_t *d_values,
                              int32_t *d_out, size_t n);

/* ---- the scans ----
 *
 * One launch, in which every element is read once and written once. op is one
 * of enum scan_operator, else cudaErrorInvalidValue is returned. */

/* out[i] = in[0] (+) ... (+) in[i] */
cudaError_t lookback_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int op);
cudaError_t lookback_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                              int op);

/* out[i] = in[0] + ... + in[i-1], out[0] = 0 */
cudaError_t lookback_exclusive_sum(const int32_t *d_in, int32_t *d_out,
                                   size_t n);

#ifdef __cplusplus
}
#endif

#endif
