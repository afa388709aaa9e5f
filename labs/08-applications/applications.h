/* SPDX-License-Identifier: MIT
 *
 * applications.h: the functions of lab 8, CUDA C. You write them in
 * applications.cu.
 *
 * Common to all
 *   d_...    device memory, aligned to 4 bytes and not more. Inputs (const)
 *            have n elements and are read only: a kernel that writes to one is
 *            stopped. Outputs have room for n elements, their contents before
 *            the call are garbage, and no two arrays overlap, with one
 *            exception: apps_select_less in place.
 *   n        0 to 2^30 - 1, any number. For 0 nothing is launched, *n_out is 0
 *            and cudaSuccess returned; the d_ pointers may then be NULL.
 *   n_out    host memory, never NULL: how many elements the output has. Set
 *            when the function returns, so these functions wait for the device.
 *            Elements of the output from there on may hold anything.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Scratch  the function allocates what it needs and frees it again.
 *   Host     no element travels to the host; 64 bytes a call are allowed, and
 *            4096 bytes of constants to the device.
 *   Library  do not use CUB or Thrust, not in kernels either: with
 *            cub::BlockScan and the like a file does not compile here. All of
 *            cooperative groups (cg::) may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 *   Source   Merrill, Garland: Single-pass Parallel Prefix Scan with Decoupled
 *            Look-back, sections 4.4 and 5.2; Hedlund, CIS 5650 project 2.
 *
 * "Single pass" below: one launch that reads every element once.
 */
#ifndef APPLICATIONS_H
#define APPLICATIONS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* d_flags[i] = 1 where d_in[i] < pivot (signed), else 0. */
cudaError_t apps_flag_less(const int32_t *d_in, int32_t *d_flags, size_t n,
                           int32_t pivot);

/* Steps on the way to the sum, which is d_out[i] = d_in[0] + ... + d_in[i-1],
 * a thread per element: within one block, n at most 256; over tiles of a
 * block's threads, any n from 1 on. */
cudaError_t apps_block_scan(const int32_t *d_in, int32_t *d_out, size_t n);
cudaError_t apps_scan_parts(const int32_t *d_in, int32_t *d_out, size_t n);

/* The look-back alone. n tiles have published, once and for all: tile t its
 * PREFIX where d_is_prefix[t] is not 0, and tile 0 in any case; otherwise its
 * AGGREGATE. d_value[t] is the sum it has published. d_out[t]: the sum of all
 * that comes before tile t, of the published values back to and with the
 * nearest PREFIX; d_out[0] = 0. n from 1 on. */
cudaError_t apps_look_back(const int32_t *d_is_prefix, const int32_t *d_value,
                           int32_t *d_out, size_t n);

/* d_out[i] = d_in[0] + ... + d_in[i-1], d_out[0] = 0, for any d_in. Single
 * pass; 2n elements moved. */
cudaError_t apps_exclusive_sum(const int32_t *d_in, int32_t *d_out, size_t n);

/* The elements of d_in that are less than pivot, in order, in three launches:
 * flag, scan, scatter. Scratch: 2n elements. Not in place. */
cudaError_t apps_select_staged(const int32_t *d_in, int32_t *d_out, size_t n,
                               int32_t pivot, size_t *n_out);

/* The same, single pass: n elements read, *n_out written. d_out may be d_in:
 * the output then stands at its beginning, what follows is garbage, and there
 * is no second buffer: scratch is at most n / 4 + 65536 bytes. */
cudaError_t apps_select_less(const int32_t *d_in, int32_t *d_out, size_t n,
                             int32_t pivot, size_t *n_out);

/* All of d_in: first, in order, the *n_out elements less than pivot; behind
 * them the others in reverse order, so that d_out[n-1] is the first element
 * that is not less than pivot. Single pass; 2n elements moved. */
cudaError_t apps_partition_less(const int32_t *d_in, int32_t *d_out, size_t n,
                                int32_t pivot, size_t *n_out);

/* A run is a longest stretch of equal neighbours; there are *n_out of them.
 * d_unique[j]: the value of run j; d_counts[j]: its length. Single pass; n
 * elements read, 2 * *n_out written. */
cudaError_t apps_run_length_encode(const int32_t *d_in, int32_t *d_unique,
                                   int32_t *d_counts, size_t n, size_t *n_out);

/* For each run of d_keys: its key, and the sum of the values beside it. A key
 * that comes back later begins a new run. Single pass; 2n elements read,
 * 2 * *n_out written. */
cudaError_t apps_reduce_by_key(const int32_t *d_keys, const int32_t *d_values,
                               int32_t *d_keys_out, int32_t *d_sums, size_t n,
                               size_t *n_out);

/* Steps on the way to a sort, for a digit of at most four bits: those from
 * `bit` on, 28 to 31.
 *
 *   counts     d_out[i] = how many elements have the digit of d_in[i]
 *
 *   starts     d_out[i] = how many have a smaller one
 *
 *   look_back  d_out[i] = as starts, and those with the digit of d_in[i] in the
 *              tiles before that of d_in[i]; tiles of 256 elements */
cudaError_t apps_digit_counts(const uint32_t *d_in, uint32_t *d_out, size_t n,
                              int bit);
cudaError_t apps_digit_starts(const uint32_t *d_in, uint32_t *d_out, size_t n,
                              int bit);
cudaError_t apps_digit_look_back(const uint32_t *d_in, uint32_t *d_out,
                                 size_t n, int bit);

/* d_in sorted by one digit alone, the 8 bits from `bit` on (fewer where bit is
 * more than 24), stably: elements that agree in it stay in the order they came
 * in. bit: 0 to 31. */
cudaError_t apps_sort_digit(const uint32_t *d_in, uint32_t *d_out, size_t n,
                            int bit);

/* d_in sorted as unsigned numbers: 0 first, 0xffffffff last. At most eight
 * passes over the data, whatever the keys are. */
cudaError_t apps_sort_u32(const uint32_t *d_in, uint32_t *d_out, size_t n);

/* The same, and every key brings its value along. Stable: values of equal keys
 * stay in the order they came in. */
cudaError_t apps_sort_pairs_u32(const uint32_t *d_keys,
                                const uint32_t *d_values, uint32_t *d_keys_out,
                                uint32_t *d_values_out, size_t n);

#ifdef __cplusplus
}
#endif

#endif
