/* SPDX-License-Identifier: MIT
 *
 * segments.h: the function of the example lab "segments"; see
 * docs/adding-a-lab.md.
 *
 *   d_in     n elements in device memory, read only.
 *   d_out    n elements in device memory; does not overlap d_in.
 *   n        0 to 1024. For 0 the pointers may be NULL.
 *   Returns  cudaSuccess, or the error of the launch. SCANLAB_TODO: not written
 *            yet.
 */
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* d_out[i] = d_in[0] + ... + d_in[i], wrapping, by one block in one launch. */
cudaError_t segment_scan(const int32_t *d_in, int32_t *d_out, size_t n);

#ifdef __cplusplus
}
#endif
