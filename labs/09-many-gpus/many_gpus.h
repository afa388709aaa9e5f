/* SPDX-License-Identifier: MIT
 *
 * many_gpus.h: the functions of lab 9, CUDA C. You write them in many_gpus.cu.
 *
 * A contiguous array lies in parts, one on each of several GPUs: part 0 on
 * device 0, part 1, which follows it, on device 1, and so on. All functions do
 * the same, an inclusive scan of the whole array:
 *
 *     d_out[d][i] = all elements of the parts 0 to d-1
 *                   + d_in[d][0] + ... + d_in[d][i]
 *
 * and differ in how the devices tell each other what lies before them.
 *
 * Common to all
 *   devices  1 to MANY_GPUS_MOST: the devices 0 to devices-1. The machine may
 *            have more.
 *   d_in     host array of `devices` pointers; d_in[d] points to n[d] elements
 *            in the memory of device d, aligned to 4 bytes and not more.
 *   d_out    likewise. Contents before the call are garbage. d_out[d] may be
 *            d_in[d]; otherwise nothing overlaps.
 *   n        host array of `devices` lengths, each 0 to 2^31 - 1, any numbers.
 *            Of an empty part the pointers may be anything.
 *   Sums     wrap modulo 2^32 (scan_add in scanlab.h).
 *   Scratch  the function allocates what it needs on each device and frees it.
 *   Done     when the function returns, all devices are done, and the device is
 *            current that was current before.
 *   Peers    any device may use the memory of any other one, once peer access
 *            is enabled. Whether it is before a call nobody knows.
 *   Library  do not use CUB, Thrust or NCCL. All of cooperative groups (cg::)
 *            may be used.
 *   Returns  cudaSuccess, or the error of the call or launch that failed;
 *            scratch is freed then, too. SCANLAB_TODO: not written yet.
 */
#ifndef MANY_GPUS_H
#define MANY_GPUS_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MANY_GPUS_MOST = 8,   /* devices */
    MANY_GPUS_BLOCKS = 8, /* of each launch: they fit a small device at once */
    MANY_GPUS_THREADS = 256 /* of a block */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Through the host: each device adds up its part, the host reads the sums of
 * the blocks (MANY_GPUS_BLOCKS words of each device) and tells each device what
 * lies before its part. Two launches on each device. No device uses the memory
 * of another one. */
cudaError_t many_gpus_host(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices);

/* The same without the host: the sums go from device to device by peer copies,
 * and events say when they are there. No sum travels to the host. */
cudaError_t many_gpus_peer(const int32_t *const d_in[], int32_t *const d_out[],
                           const size_t n[], int devices);

/* A chain: the scan of device d waits for one word, which the scan of device
 * d-1 writes into the memory of device d, and writes one into the memory of
 * device d+1. No copies between devices. */
cudaError_t many_gpus_chain(const int32_t *const d_in[], int32_t *const d_out[],
                            const size_t n[], int devices);

/* Look-back: each device tells all behind it the sum of its part before it
 * waits, and then, when it knows, the sum of all up to its part. Each looks
 * back until it finds the latter. */
cudaError_t many_gpus_lookback(const int32_t *const d_in[],
                               int32_t *const d_out[], const size_t n[],
                               int devices);

#ifdef __cplusplus
}
#endif

#endif
