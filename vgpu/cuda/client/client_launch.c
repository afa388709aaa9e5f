/* SPDX-License-Identifier: MIT
 *
 * client_launch.c: from <<<grid, block, smem, stream>>> to a LAUNCH request.
 * The host stub passes pointers to its arguments; their offsets and sizes come
 * from the kernel's PTX, by way of the device.
 */
#include "client.h"

#include <string.h>

enum { CONFIGURATIONS_MAX = 64 };

struct configuration {
    struct rt_dim3 grid, block;
    size_t smem_bytes;
    void *stream;
};

/* Configurations pushed but not yet popped: an argument of a launch may itself
 * launch. Per thread, as the calls are. */
static _Thread_local struct configuration pushed[CONFIGURATIONS_MAX];
static _Thread_local int n_pushed;

CUDA_API unsigned __cudaPushCallConfiguration(struct rt_dim3 grid,
                                              struct rt_dim3 block,
                                              size_t smem_bytes, void *stream) {
    if (n_pushed == CONFIGURATIONS_MAX) return cudaErrorMissingConfiguration;
    pushed[n_pushed++] =
        (struct configuration){grid, block, smem_bytes, stream};
    return cudaSuccess;
}

CUDA_API int __cudaPopCallConfiguration(struct rt_dim3 *grid,
                                        struct rt_dim3 *block,
                                        size_t *smem_bytes, void *stream) {
    if (n_pushed == 0) return client_keep(cudaErrorMissingConfiguration);
    const struct configuration *top = &pushed[--n_pushed];
    *grid = top->grid;
    *block = top->block;
    *smem_bytes = top->smem_bytes;
    *(void **)stream = top->stream;
    return cudaSuccess;
}

static int pack(const struct client_function *f, void **arguments,
                unsigned char *to) {
    memset(to, 0, f->info.param_bytes);
    for (uint32_t i = 0; i < f->info.n_params; i++) {
        const struct client_parameter *p = &f->parameters[i];
        if (!arguments || !arguments[i] || p->offset > f->info.param_bytes ||
            p->bytes > f->info.param_bytes - p->offset)
            return cudaErrorInvalidValue;
        memcpy(to + p->offset, arguments[i], p->bytes);
    }
    return cudaSuccess;
}

/* The kernel's number is asked for again: a reset may have changed it. */
int client_launch(const struct client_op *op, const void *parameters) {
    struct vgpu_request_LAUNCH request = op->launch;
    int error = client_function_resolve(op->kernel);
    if (error) return error;
    request.kernel = op->kernel->info.kernel;
    struct client_call call = {.request = VGPU_REQUEST_LAUNCH,
                               .fixed = &request,
                               .tail = parameters,
                               .tail_bytes = op->kernel->info.param_bytes};
    return client_send(&call);
}

int client_prepare_launch(struct client_function *f, struct rt_dim3 grid,
                          struct rt_dim3 block, size_t smem_bytes,
                          void **arguments, struct client_op *op,
                          unsigned char *parameters) {
    if (!f) return cudaErrorInvalidDeviceFunction;
    int error = client_function_resolve(f);
    if (error) return error;
    if (f->info.param_bytes > VGPU_PARAMS_MAX) return cudaErrorInvalidValue;
    *op = (struct client_op){.kind = CLIENT_OP_LAUNCH,
                             .kernel = f,
                             .launch = {.grid = {grid.x, grid.y, grid.z},
                                        .block = {block.x, block.y, block.z},
                                        .dynamic_smem_bytes = smem_bytes}};
    return pack(f, arguments, parameters);
}

static int launch_locked(struct client_function *f, bool is_cooperative,
                         const struct configuration *c, void **arguments) {
    unsigned char parameters[VGPU_PARAMS_MAX];
    struct client_op op;
    struct client_graph *graph;
    if (!f) return cudaErrorInvalidDeviceFunction;
    int error = client_stream_use(c->stream, &graph);
    if (!error && client_stream_gpu(c->stream) != client_gpu())
        error = client_misuse(VGPU_MISUSE_STREAM_OF_OTHER,
                              VGPU_CALL_cudaLaunchKernel,
                              (uint64_t)client_stream_gpu(c->stream),
                              cudaErrorInvalidResourceHandle);
    if (error) return error;
    error = client_prepare_launch(f, c->grid, c->block, c->smem_bytes,
                                  arguments, &op, parameters);
    if (error) return error;
    op.launch.is_cooperative = is_cooperative;
    if (graph)
        return client_capture(graph, &op, parameters, f->info.param_bytes,
                              NULL);
    client_order_begin(VGPU_CALL_cudaLaunchKernel, c->stream);
    error = client_launch(&op, parameters);
    client_order_end(false);
    return error;
}

CUDA_API int __cudaGetKernel(void **kernel, const void *host) {
    client_lock();
    *kernel = client_function_find(host);
    return client_end(*kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

#define LAUNCHES(name, function, is_cooperative)                               \
    CUDA_API int name(void *kernel, struct rt_dim3 grid, struct rt_dim3 block, \
                      void **arguments, size_t smem_bytes, void *stream) {     \
        const struct configuration c = {grid, block, smem_bytes, stream};      \
        client_lock();                                                         \
        return client_end(                                                     \
            launch_locked(function, is_cooperative, &c, arguments));           \
    }                                                                          \
    CUDA_API int name##_ptsz(void *kernel, struct rt_dim3 grid,                \
                             struct rt_dim3 block, void **arguments,           \
                             size_t smem_bytes, void *stream) {                \
        return name(kernel, grid, block, arguments, smem_bytes,                \
                    client_of_thread(stream));                                 \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")

LAUNCHES(__cudaLaunchKernel, kernel, false);
LAUNCHES(cudaLaunchKernel, client_function_find(kernel), false);
LAUNCHES(cudaLaunchCooperativeKernel, client_function_find(kernel), true);

/* Attributes that change what a kernel may do are honoured or refused; hints
 * (priority, access policy, programmatic start) change nothing here. */
static int check_attributes(const struct rt_launch_config *config,
                            bool *is_cooperative) {
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const struct rt_launch_attribute *a = &config->attrs[i];
        if (a->id == RT_LAUNCH_COOPERATIVE)
            *is_cooperative = a->val.cooperative != 0;
        const struct rt_dim3 *cluster = &a->val.clusterDim;
        if (a->id == RT_LAUNCH_CLUSTER &&
            (cluster->x > 1 || cluster->y > 1 || cluster->z > 1)) {
            client_say("clusters are not supported by the virtual GPU");
            return client_misuse(VGPU_MISUSE_NOT_SUPPORTED,
                                 VGPU_CALL_cudaLaunchKernelExC, 0,
                                 cudaErrorNotSupported);
        }
    }
    return cudaSuccess;
}

CUDA_API int cudaLaunchKernelExC(const struct rt_launch_config *config,
                                 const void *host, void **arguments) {
    bool is_cooperative = false;
    if (!config) return client_keep(cudaErrorInvalidValue);
    struct configuration c = {config->gridDim, config->blockDim,
                              config->dynamicSmemBytes, config->stream};
    client_lock();
    int error = check_attributes(config, &is_cooperative);
    if (!error)
        error = launch_locked(client_function_find(host), is_cooperative, &c,
                              arguments);
    return client_end(error);
}
CUDA_API int cudaLaunchKernelExC_ptsz(const struct rt_launch_config *config,
                                      const void *host, void **arguments) {
    if (!config) return client_keep(cudaErrorInvalidValue);
    struct rt_launch_config own = *config;
    own.stream = client_of_thread(own.stream);
    return cudaLaunchKernelExC(&own, host, arguments);
}
