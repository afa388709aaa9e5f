/* SPDX-License-Identifier: MIT
 *
 * client_functions.c: what a program can ask about a kernel and set on it:
 * attributes, name, parameters, occupancy.
 */
#include "client.h"

#include <string.h>

/* Locks, finds and resolves. */
static int client_functions_begin(const void *host,
                                  struct client_function **f) {
    int error = client_begin();
    if (error) return error;
    *f = client_function_find(host);
    return *f ? client_function_resolve(*f)
              : (int)cudaErrorInvalidDeviceFunction;
}

static size_t default_dynamic_smem(const struct client_function *f) {
    size_t most = (size_t)client_device()->smem_per_block;
    size_t fixed = f->info.static_smem_bytes;
    return fixed < most ? most - fixed : 0;
}

/* The device's estimate; where it has none, a usual number. */
static int functions_registers(const struct client_function *f) {
    const struct vgpu_request_REGISTERS request = {.kernel = f->info.kernel};
    struct vgpu_reply_REGISTERS reply = {0};
    if (client_ask(VGPU_REQUEST_REGISTERS, &request, &reply) ||
        !reply.registers)
        return (int)f->info.registers;
    return (int)reply.registers;
}

CUDA_API int cudaFuncGetAttributes(struct rt_func_attributes *to,
                                   const void *host) {
    struct client_function *f;
    int error = client_functions_begin(host, &f);
    if (!error && !to) error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    memset(to, 0, sizeof *to);
    to->sharedSizeBytes = f->info.static_smem_bytes;
    to->localSizeBytes = f->info.local_bytes;
    to->maxThreadsPerBlock = (int)f->info.max_threads_per_block;
    to->numRegs = functions_registers(f);
    to->ptxVersion = (int)f->info.ptx_target;
    to->binaryVersion = client_device()->capability; /* as the driver's JIT */
    to->maxDynamicSharedSizeBytes = (int)(f->on[client_gpu()].dynamic_smem
                                              ? f->on[client_gpu()].dynamic_smem
                                              : default_dynamic_smem(f));
    to->preferredShmemCarveout = -1;
    to->clusterDimMustBeSet = f->info.cluster[0] != 0;
    to->requiredClusterWidth = (int)f->info.cluster[0];
    to->requiredClusterHeight = (int)f->info.cluster[1];
    to->requiredClusterDepth = (int)f->info.cluster[2];
    to->nonPortableClusterSizeAllowed = f->on[client_gpu()].large_clusters;
    return client_end(cudaSuccess);
}

static int set_dynamic_smem(struct client_function *f, int bytes) {
    struct vgpu_request_SET_SMEM request = {.kernel = f->info.kernel,
                                            .bytes = (uint64_t)bytes};
    if (bytes < 0) return cudaErrorInvalidValue;
    int error = client_ask(VGPU_REQUEST_SET_SMEM, &request, NULL);
    if (!error) f->on[client_gpu()].dynamic_smem = (size_t)bytes;
    return error;
}

static int set_large_clusters(struct client_function *f, bool allowed) {
    struct vgpu_request_LARGE_CLUSTERS request = {.kernel = f->info.kernel,
                                                  .allowed = allowed};
    int error = client_ask(VGPU_REQUEST_LARGE_CLUSTERS, &request, NULL);
    if (!error) f->on[client_gpu()].large_clusters = allowed;
    return error;
}

/* A size that the kernel has itself, it has to keep. Others are taken, and
 * asked for by the launch all the same. */
static int set_required_cluster(const struct client_function *f, int d,
                                int value) {
    uint32_t own = f->info.cluster[d];
    return value < 0 || (own && own != (uint32_t)value) ? cudaErrorInvalidValue
                                                        : cudaSuccess;
}

/* Carve-out and the policy of scheduling clusters are hints. */
CUDA_API int cudaFuncSetAttribute(const void *host, int attribute, int value) {
    struct client_function *f;
    int error = client_functions_begin(host, &f);
    int d = attribute - RT_FUNC_CLUSTER_WIDTH;
    if (error) return client_end(error);
    if (attribute == RT_FUNC_MAX_DYNAMIC_SMEM)
        error = set_dynamic_smem(f, value);
    else if (attribute == RT_FUNC_LARGE_CLUSTERS)
        error = set_large_clusters(f, value != 0);
    else if (d >= 0 && d < 3)
        error = set_required_cluster(f, d, value);
    else if (attribute < RT_FUNC_MAX_DYNAMIC_SMEM || attribute > 15)
        error = cudaErrorInvalidValue;
    return client_end(error);
}

CUDA_API int cudaFuncSetCacheConfig(const void *host, UNUSED int config) {
    struct client_function *f;
    return client_end(client_functions_begin(host, &f));
}

CUDA_API int cudaFuncSetSharedMemConfig(const void *host, UNUSED int config) {
    struct client_function *f;
    return client_end(client_functions_begin(host, &f));
}

CUDA_API int cudaFuncGetName(const char **name, const void *host) {
    struct client_function *f;
    int error = client_functions_begin(host, &f);
    if (!error) *name = f->name;
    return client_end(error);
}

CUDA_API int cudaFuncGetParamInfo(const void *host, size_t index,
                                  size_t *offset, size_t *bytes) {
    struct client_function *f;
    int error = client_functions_begin(host, &f);
    if (!error && index >= f->info.n_params) error = cudaErrorInvalidValue;
    if (!error && offset) *offset = f->parameters[index].offset;
    if (!error && bytes) *bytes = f->parameters[index].bytes;
    return client_end(error);
}

CUDA_API int cudaGetFuncBySymbol(void **function, const void *host) {
    struct client_function *f;
    int error = client_functions_begin(host, &f);
    if (!error) *function = f;
    return client_end(error);
}

CUDA_API int cudaGetKernel(void **kernel, const void *host) {
    return cudaGetFuncBySymbol(kernel, host);
}

static int max_blocks(const struct client_function *f, int threads, size_t smem,
                      int *blocks) {
    struct vgpu_request_MAX_BLOCKS request = {
        .kernel = f->info.kernel, .threads = (uint32_t)threads, .smem = smem};
    struct vgpu_reply_MAX_BLOCKS reply = {0};
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    int error = client_ask(VGPU_REQUEST_MAX_BLOCKS, &request, &reply);
    *blocks = reply.blocks;
    return error;
}

CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int threads, size_t smem,
    UNUSED unsigned flags) {
    struct client_function *f;
    int error = client_functions_begin(host, &f);
    return client_end(error ? error : max_blocks(f, threads, smem, blocks));
}

CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                           const void *host,
                                                           int threads,
                                                           size_t smem) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, host, threads, smem, 0);
}

/* The largest amount with which n_blocks still fit, by halving the interval:
 * occupancy only falls as a block takes more. */
CUDA_API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                       const void *host,
                                                       int n_blocks,
                                                       int threads) {
    struct client_function *f;
    int error = client_functions_begin(host, &f), fits = 0;
    if (!error && (!bytes || n_blocks <= 0)) error = cudaErrorInvalidValue;
    if (!error) error = max_blocks(f, threads, 0, &fits);
    if (!error && fits < n_blocks) error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    size_t low = 0, high = default_dynamic_smem(f) + 1;
    while (!error && high - low > 1) {
        size_t middle = low + (high - low) / 2;
        error = max_blocks(f, threads, middle, &fits);
        if (fits >= n_blocks)
            low = middle;
        else
            high = middle;
    }
    *bytes = low;
    return client_end(error);
}
