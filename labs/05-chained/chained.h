/* SPDX-License-Identifier: MIT
 *
 * chained.h: the functions of lab 5, CUDA C. You write them in chained.cu.
 *
 * The input is cut into tiles, a tile into the parts of 16 warps, a warp's part
 * into 16 rows of 32 elements, a row into one element per lane:
 *
 *     CHAINED_ROW     32 elements    one per lane
 *     CHAINED_WARP    512 elements   CHAINED_ROWS rows, a warp's registers
 *     CHAINED_TILE    8192 elements  CHAINED_WARPS warps, one block
 *
 * Common to all
 *   d_in     n elements in device memory, aligned to 4 bytes and not more.
 *   d_out    n elements in device memory, likewise aligned. Its contents before
 *            the call are garbage. Does not overlap d_in, but see
 *            chained_inclusive_scan.
 *   n        0 to 2^31 - 1, any number. For 0 nothing is launched and
 *            cudaSuccess returned; the pointers may then be NULL.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Scratch  the function allocates what it needs and frees it again.
 *   Host     no element travels to the host. The work is done on the default
 *            stream and may still be running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Source   Liu and Aluru, LightScan, section 4.
 */
#ifndef CHAINED_H
#define CHAINED_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHAINED_ROW = 32,
    CHAINED_ROWS = 16, /* the K of the paper */
    CHAINED_WARPS = 16,
    CHAINED_WARP = CHAINED_ROWS * CHAINED_ROW,
    CHAINED_TILE = CHAINED_WARPS * CHAINED_WARP
};

#ifdef __cplusplus
extern "C" {
#endif

/* Every row on its own: out[i] = in[r] + ... + in[i], r = i rounded down to a
 * multiple of CHAINED_ROW. The last row may be short. One launch. */
cudaError_t chained_scan_rows(const int32_t *d_in, int32_t *d_out, size_t n);

/* Every warp's part on its own: as above, with CHAINED_WARP. No shared memory,
 * no barrier: shuffles. */
cudaError_t chained_scan_warps(const int32_t *d_in, int32_t *d_out, size_t n);

/* Every tile on its own: as above, with CHAINED_TILE. Shared memory carries one
 * number per warp and nothing else. */
cudaError_t chained_scan_tiles(const int32_t *d_in, int32_t *d_out, size_t n);

/* out[i] = in[0] + ... + in[i]. d_out may be d_in.
 * One launch, in which every element is read once and written once. No more
 * blocks than the device holds at once, however large n is; block b takes the
 * tiles b, b + gridDim.x, b + 2 gridDim.x, ... . One carry per tile. Scratch:
 * 8 bytes per tile. */
cudaError_t chained_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                   size_t n);

/* out[i] = in[0] + ... + in[i-1], out[0] = 0. d_out is not d_in. */
cudaError_t chained_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                   size_t n);

#ifdef __cplusplus
}
#endif

#endif
