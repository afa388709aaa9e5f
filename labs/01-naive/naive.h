/* SPDX-License-Identifier: MIT
 *
 * naive.h: the functions of lab 1, CUDA C. You write them in naive.cu.
 *
 * Common to both
 *   d_in     n elements in device memory, aligned to 4 bytes and not more.
 *            Read only: a kernel that writes to it is stopped.
 *   d_out    n elements in device memory, likewise aligned. Does not overlap
 *            d_in. Its contents before the call are garbage.
 *   n        0 to 2^31 - 1. For 0 nothing is launched and cudaSuccess returned;
 *            the pointers may then be NULL.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Scratch  the function allocates what it needs and frees it again.
 *   Host     no element travels to the host. The work is done on the default
 *            stream and may still be running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Source   Capannini et al. (K-model), section IV, Algorithm 1
 *            ("CM"); Hillis and Steele 1986.
 */
#ifndef NAIVE_H
#define NAIVE_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* d_out[i] = d_in[0] + ... + d_in[i].
 * One launch per step, ceil(log2 n) steps, and
 * n * ceil(log2 n) - 2^ceil(log2 n) + 1 additions. Scratch: n elements. */
cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out, size_t n);

/* d_out[i] = d_in[0] + ... + d_in[i-1], d_out[0] = 0. */
cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out, size_t n);

#ifdef __cplusplus
}
#endif

#endif
