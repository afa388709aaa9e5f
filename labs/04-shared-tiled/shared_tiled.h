/* SPDX-License-Identifier: MIT
 *
 * shared_tiled.h: the functions of lab 4, CUDA C. You write them in
 * shared_tiled.cu.
 *
 * Common to all
 *   d_in     n elements in device memory, aligned to 4 bytes and not more.
 *            Read only, unless it is d_out: a kernel that writes to it is
 *            stopped.
 *   d_out    n elements in device memory, likewise aligned. It may be d_in
 *            itself; otherwise the two do not overlap, and its contents before
 *            the call are garbage.
 *   n        0 to 2^30, any number. For 0 nothing is launched and cudaSuccess
 *            returned; the pointers may then be NULL.
 *   Tiles    TILED_TILE elements in a row, a block each; the last one may have
 *            fewer. Element i belongs to tile i / TILED_TILE.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Scratch  the function allocates what it needs and frees it again: one
 *            element per tile, and one per tile of those, and so on.
 *   Host     no element travels to the host. The work is done on the default
 *            stream and may still be running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Source   Merrill and Garland, sections 2 and 3; Hedlund.
 */
#ifndef SHARED_TILED_H
#define SHARED_TILED_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TILED_TILE = 2048 };

/* Every tile by itself: d_out[i] = the sum of the elements of i's tile that
 * stand before i. One launch; each element is read and written once. */
cudaError_t shared_tiled_tiles(const int32_t *d_in, int32_t *d_out, size_t n);

/* A step on the way: d_out[i] = d_in[0] + ... + d_in[i], in one block, by the
 * scan of its threads' sums. n is 1 to 128. */
cudaError_t shared_tiled_threads(const int32_t *d_in, int32_t *d_out, size_t n);

/* d_out[t] = the sum of tile t. *n_tiles (in host memory) becomes the number of
 * tiles; the other elements of d_out stay as they are. d_out is not d_in. One
 * launch; each element is read once. */
cudaError_t shared_tiled_totals(const int32_t *d_in, int32_t *d_out, size_t n,
                                size_t *n_tiles);

/* d_out[i] = d_in[0] + ... + d_in[i-1], d_out[0] = 0, by scan-then-propagate:
 * every tile is scanned, the tiles' sums are scanned in the same way, and each
 * tile adds what lies before it. About 4n elements of memory traffic. */
cudaError_t shared_tiled_scan_propagate(const int32_t *d_in, int32_t *d_out,
                                        size_t n);

/* The same by reduce-then-scan: the tiles' sums come first and are scanned in
 * the same way; each tile is scanned from what lies before it. About 3n. */
cudaError_t shared_tiled_reduce_scan(const int32_t *d_in, int32_t *d_out,
                                     size_t n);

/* d_out[i] = d_in[0] + ... + d_in[i], by reduce-then-scan, at no more cost. */
cudaError_t shared_tiled_reduce_scan_inclusive(const int32_t *d_in,
                                               int32_t *d_out, size_t n);

#ifdef __cplusplus
}
#endif

#endif
