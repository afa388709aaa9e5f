/* SPDX-License-Identifier: MIT
 *
 * scanlab.h: what every lab shares: what a function returns, and how two
 * elements are added. Works from C and from CUDA C.
 *
 * Return values. Every function of a lab returns 0 (cudaSuccess) when it did
 * its work. Anything else says that it did not, and fails the check, whatever
 * the output holds:
 *   SCANLAB_TODO    the function is not written yet. Stubs return it.
 *   C labs          an errno value, such as ENOMEM when malloc returned NULL.
 *   CUDA labs       the cudaError_t of the call that failed.
 */
#ifndef SCANLAB_COMMON_H
#define SCANLAB_COMMON_H

#include <stdint.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define SCANLAB_TODO        cudaErrorNotYetImplemented
#define SCANLAB_HOST_DEVICE __host__ __device__
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ == 12 &&             \
    __CUDACC_VER_MINOR__ < 8
#include "nvcc12.h"
#endif
#else
#define SCANLAB_TODO 31 /* the number of cudaErrorNotYetImplemented */
#define SCANLAB_HOST_DEVICE
#endif

/* The operator of all sums: addition modulo 2^32. In C, signed overflow is
 * undefined, so the sum is taken in unsigned and converted back. */
SCANLAB_HOST_DEVICE static inline int32_t scan_add(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

#endif
