/* SPDX-License-Identifier: MIT
 *
 * work_efficient.h: the functions of lab 2, CUDA C. You write them in
 * work_efficient.cu.
 *
 * Common to all
 *   d_in     n elements in device memory, aligned to 4 bytes and not more.
 *            Read only: a kernel that writes to it is stopped.
 *   d_out    n elements in device memory, likewise aligned. Does not overlap
 *            d_in. Its contents before the call are garbage.
 *   n        0 to 2^30, any number. For 0 nothing is launched and cudaSuccess
 *            returned; the pointers may then be NULL.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Scratch  the function allocates what it needs and frees it again.
 *   Host     no element travels to the host. The work is done on the default
 *            stream and may still be running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Source   Capannini et al. (K-model), section IV, Algorithm 2;
 *            Blelloch 1989.
 */
#ifndef WORK_EFFICIENT_H
#define WORK_EFFICIENT_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first half alone, for n a power of two: the tree as the down-sweep finds
 * it. d_out[i] = the sum of the last 2^m elements up to and with d_in[i], 2^m
 * being the largest power of two that divides i + 1; d_out[n-1], the root, is
 * 0. One launch per level. */
cudaError_t work_efficient_up_sweep(const int32_t *d_in, int32_t *d_out,
                                    size_t n);

/* d_out[i] = d_in[0] + ... + d_in[i-1], d_out[0] = 0.
 * One launch per level: 2 log2 n' of them, n' = n rounded up to a power
 * of two; as many threads as the level has nodes; fewer than 2n additions of
 * input elements. Scratch: n' elements. */
cudaError_t work_efficient_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n);

/* d_out[i] = d_in[0] + ... + d_in[i]. n additions more, one launch more. */
cudaError_t work_efficient_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                          size_t n);

#ifdef __cplusplus
}
#endif

#endif
