/* SPDX-License-Identifier: MIT
 *
 * client_names.h: where CUDA 12 has a name of CUDA 13 for an older function,
 * the names under which its library has the functions of CUDA 13. The older
 * ones are in client_cuda12.c.
 */
#pragma once

#if CLIENT_CUDA == 12 && !defined(CLIENT_TRUE_NAMES)
#define cudaGetDeviceProperties       cudaGetDeviceProperties_v2
#define cudaGraphAddDependencies      cudaGraphAddDependencies_v2
#define cudaMemAdvise                 cudaMemAdvise_v2
#define cudaMemPrefetchAsync          cudaMemPrefetchAsync_v2
#define cudaMemPrefetchAsync_ptsz     cudaMemPrefetchAsync_v2_ptsz
#define cudaStreamGetCaptureInfo      cudaStreamGetCaptureInfo_v3
#define cudaStreamGetCaptureInfo_ptsz cudaStreamGetCaptureInfo_v3_ptsz
#endif
