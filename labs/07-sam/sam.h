/* SPDX-License-Identifier: MIT
 *
 * sam.h: the functions of lab 7, CUDA C. You write them in sam.cu.
 *
 * Of order q over tuples of s elements: element i belongs to slot i % s of
 * tuple i / s. The scan of order 1 adds, for every slot on its own, what stands
 * in that slot from the first tuple on:
 *     out[i] = in[i] + in[i - s] + in[i - 2 s] + ...
 * The scan of order q is the scan of order 1 of the scan of order q - 1. Its
 * inverse is the difference encoding of order q: q times out[i] = in[i] -
 * in[i - s], where elements before the first count as 0.
 *
 * Common to all
 *   d_in     n elements in device memory, aligned to their size and not more.
 *            Read only, unless d_out == d_in.
 *   d_out    n elements in device memory, likewise aligned. Its contents
 *            before the call are garbage. Scans: either d_out == d_in (the
 *            scan is then done in place) or no overlap. Others: no overlap.
 *   n        0 to 2^30, any number, also one that tuple does not divide. For 0
 *            nothing is launched and cudaSuccess returned; the pointers may
 *            then be NULL.
 *   order    1 to 8.   tuple    1 to 8.   Else: cudaErrorInvalidValue.
 *   Sums     of integers wrap modulo 2^32 or 2^64 (compute in unsigned).
 *   Traffic  every element is read once and written once, whatever order and
 *            tuple: about 2n elements.
 *   Grid     a scan launches one kernel with no more blocks than the device can
 *            hold at once; they stay until the end (persistent blocks). Work
 *            that prepares memory may take a second launch.
 *   Scratch  the function allocates what it needs and frees it again. How much
 *            depends on device, order, tuple and type, not on n.
 *   Host     no element travels to the host; 4096 bytes of constants may go to
 *            the device. The work is done on the default stream and may be
 *            still running when the function returns.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Source   Maleki, Yang, Burtscher: SAM; thesis, chapter 4.
 */
#ifndef SAM_H
#define SAM_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SAM_MAX_ORDER = 8, SAM_MAX_TUPLE = 8 };

/* Difference encoding; out of place; about 2n traffic; one launch. */
cudaError_t sam_encode_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                           int order, int tuple);
cudaError_t sam_encode_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                           int order, int tuple);

/* Steps on the way: what blocks tell each other, without a scan. Block c of n
 * has a chunk whose sum is d_in[c]; n is 1 to 260, and the device holds so many
 * blocks at once.
 *   announce  every block announces its sum; d_out[c] = what was announced for
 *             chunk c, read from the board by a second launch
 *   await     announces, awaits all chunks before its own, and adds up what is
 *             there: d_out[c] = d_in[0] + ... + d_in[c-1]
 *   collect   the same, added up by a warp */
cudaError_t sam_announce_i32(const int32_t *d_in, int32_t *d_out, size_t n);
cudaError_t sam_await_i32(const int32_t *d_in, int32_t *d_out, size_t n);
cudaError_t sam_collect_i32(const int32_t *d_in, int32_t *d_out, size_t n);

/* Inclusive scan. It undoes the encoding of the same order and tuple. */
cudaError_t sam_scan_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                         int order, int tuple);
cudaError_t sam_scan_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                         int order, int tuple);

/* Inclusive scan of order 1 of floats. Addition of floats is not associative:
 * the sums are rounded in an order that is yours to choose, but is the same
 * in every run on the same device, bit for bit. */
cudaError_t sam_scan_f32(const float *d_in, float *d_out, size_t n, int tuple);

/* Encodes d_in into d_out and decodes d_out in place: afterwards d_out holds
 * the elements of d_in again. A codec's self-test: copying is no encoding. */
cudaError_t sam_round_trip_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                               int order, int tuple);
cudaError_t sam_round_trip_i64(const int64_t *d_in, int64_t *d_out, size_t n,
                               int order, int tuple);

/* Bonus. As sam_scan_i32, but blocks tell each other about a chunk once, not
 * once per order: the number of barriers does not grow with the order. Blocks
 * of at most 256 threads. */
cudaError_t sam_scan_once_i32(const int32_t *d_in, int32_t *d_out, size_t n,
                              int order, int tuple);

#ifdef __cplusplus
}
#endif

#endif
