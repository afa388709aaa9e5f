/* SPDX-License-Identifier: MIT
 *
 * client_cuda12.c: functions of CUDA 12 that CUDA 13 has no more, or has with
 * other arguments: each is one of CUDA 13's. In libcudart.so.12 only.
 */
#define CLIENT_TRUE_NAMES
#include "client.h"

int cudaDeviceReset(void);
int cudaDeviceSynchronize(void);
int cudaDeviceGetCacheConfig(int *config);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaGraphAddDependencies_v2(void *graph, void *const *from, void *const *to,
                                const void *data, size_t n);
int cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                     struct rt_mem_location);
int cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                            struct rt_mem_location, unsigned flags,
                            void *stream);
int cudaStreamGetCaptureInfo_v3(void *stream, int *status,
                                unsigned long long *id, void **graph,
                                const void **dependencies, const void **edges,
                                size_t *n_dependencies);

CUDA_API int cudaThreadExit(void) {
    return cudaDeviceReset();
}
CUDA_API int cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}
CUDA_API int cudaThreadGetCacheConfig(int *config) {
    return cudaDeviceGetCacheConfig(config);
}
CUDA_API int cudaThreadSetCacheConfig(int config) {
    return cudaDeviceSetCacheConfig(config);
}
CUDA_API int cudaThreadGetLimit(size_t *value, int limit) {
    return cudaDeviceGetLimit(value, limit);
}
CUDA_API int cudaThreadSetLimit(int limit, size_t value) {
    return cudaDeviceSetLimit(limit, value);
}

CUDA_API int cudaEventElapsedTime_v2(float *ms, void *start, void *end) {
    return cudaEventElapsedTime(ms, start, end);
}

CUDA_API int cudaGraphAddDependencies(void *graph, void *const *from,
                                      void *const *to, size_t n) {
    return cudaGraphAddDependencies_v2(graph, from, to, NULL, n);
}

/* Where memory is wanted changes nothing here. */
CUDA_API int cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                           int device) {
    const struct rt_mem_location at = {RT_LOCATION_DEVICE, device};
    return cudaMemAdvise_v2(pointer, bytes, advice, at);
}

CUDA_API int cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                  void *stream) {
    const struct rt_mem_location at = {RT_LOCATION_DEVICE, device};
    return cudaMemPrefetchAsync_v2(pointer, bytes, at, 0, stream);
}
CUDA_ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

CUDA_API int cudaStreamGetCaptureInfo_v2(void *stream, int *status,
                                         unsigned long long *id, void **graph,
                                         const void **dependencies,
                                         size_t *n_dependencies) {
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies,
                                       NULL, n_dependencies);
}
CUDA_ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
