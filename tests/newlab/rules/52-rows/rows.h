/* SPDX-License-Identifier: MIT
 *
 * rows.h: the functions of the example lab "rows"; see docs/adding-a-lab.md.
 *
 *   d_in     n elements on the device, read only.
 *   d_out    room for n elements on the device; overlaps nothing. d_out2: too.
 *   Returns  cudaSuccess, or the error of the call that failed. SCANLAB_TODO:
 *            not written yet.
 */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

/* Elements that are larger than both neighbours (at an end: than the one), in
 * order, and their indices; *n_out, on the host: how many. */
extern "C" cudaError_t row_peaks(const int32_t *d_in, int32_t *d_out,
                                 int32_t *d_out2, size_t n, size_t *n_out);
/* d_out[i] = d_in[s] + ... + d_in[i], s the last multiple of 100 up to i. op is
 * not used. */
extern "C" cudaError_t row_sums(const int64_t *d_in, int64_t *d_out, size_t n,
                                int op);
/* d_out[i] = (d_in[i] + d_out[i - 1]) / 2, with 0 before the first. tuple is
 * not used. */
extern "C" cudaError_t row_filter(const float *d_in, float *d_out, size_t n,
                                  int tuple);
