/* SPDX-License-Identifier: MIT
 *
 * client_launch.c: from <<<grid, block, smem, stream>>> to a LAUNCH request.
 * The host stub passes pointers to its arguments; their offsets and sizes come
 * from the kernel's PTX, by way of the device.
 */
#include "client.h"

#include <string.h>

enum { CONFIGURATIONS_MAX = 64, FIRST_WITH_CLUSTERS = 90 };

struct configuration {
    struct rt_dim3 grid, block;
    size_t smem_bytes;
    void *stream;
    uint32_t cluster[3]; /* asked for by an attribute; or 0, 0, 0 */
    bool is_cooperative;
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
        (struct configuration){grid, block, smem_bytes, stream, {0}, false};
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

static int launch_locked(struct client_function *f,
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
    op.launch.is_cooperative = c->is_cooperative;
    memcpy(op.launch.cluster, c->cluster, sizeof op.launch.cluster);
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
        const struct configuration c = {grid,   block, smem_bytes,             \
                                        stream, {0},   is_cooperative};        \
        client_lock();                                                         \
        return client_end(launch_locked(function, &c, arguments));             \
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

static int read_cluster(const struct rt_dim3 *cluster,
                        struct configuration *c) {
    bool some = cluster->x > 1 || cluster->y > 1 || cluster->z > 1;
    if (some && client_device()->capability < FIRST_WITH_CLUSTERS) {
        client_say("clusters need a device of compute capability 9.0");
        return client_misuse(VGPU_MISUSE_NOT_SUPPORTED,
                             VGPU_CALL_cudaLaunchKernelExC, 0,
                             cudaErrorNotSupported);
    }
    if (client_device()->capability < FIRST_WITH_CLUSTERS) return cudaSuccess;
    c->cluster[0] = cluster->x;
    c->cluster[1] = cluster->y;
    c->cluster[2] = cluster->z;
    return cudaSuccess;
}

/* Attributes that change what a kernel may do are honoured or refused; hints
 * (priority, access policy, programmatic start) change nothing here. */
static int read_attributes(const struct rt_launch_config *config,
                           struct configuration *c) {
    int error = cudaSuccess;
    for (unsigned i = 0; i < config->numAttrs && !error; i++) {
        const struct rt_launch_attribute *a = &config->attrs[i];
        if (a->id == RT_LAUNCH_COOPERATIVE)
            c->is_cooperative = a->val.cooperative != 0;
        if (a->id == RT_LAUNCH_CLUSTER)
            error = read_cluster(&a->val.clusterDim, c);
    }
    return error;
}

CUDA_API int cudaLaunchKernelExC(const struct rt_launch_config *config,
                                 const void *host, void **arguments) {
    if (!config) return client_keep(cudaErrorInvalidValue);
    struct configuration c = {.grid = config->gridDim,
                              .block = config->blockDim,
                              .smem_bytes = config->dynamicSmemBytes,
                              .stream = config->stream};
    client_lock();
    int error = read_attributes(config, &c);
    if (!error)
        error = launch_locked(client_function_find(host), &c, arguments);
    return client_end(error);
}
CUDA_API int cudaLaunchKernelExC_ptsz(const struct rt_launch_config *config,
                                      const void *host, void **arguments) {
    if (!config) return client_keep(cudaErrorInvalidValue);
    struct rt_launch_config own = *config;
    own.stream = client_of_thread(own.stream);
    return cudaLaunchKernelExC(&own, host, arguments);
}

static int max_clusters(const struct client_function *f,
                        const struct rt_launch_config *config,
                        struct vgpu_reply_MAX_CLUSTERS *reply) {
    struct configuration c = {.smem_bytes = config->dynamicSmemBytes};
    const struct rt_dim3 *b = &config->blockDim;
    const struct rt_dim3 *g = &config->gridDim;
    int error = read_attributes(config, &c);
    if (!g->x || !g->y || !g->z) return cudaErrorInvalidValue;
    if (error) return error;
    struct vgpu_request_MAX_CLUSTERS request = {.kernel = f->info.kernel,
                                                .threads = b->x * b->y * b->z,
                                                .smem = c.smem_bytes};
    memcpy(request.cluster, c.cluster, sizeof request.cluster);
    return client_ask(VGPU_REQUEST_MAX_CLUSTERS, &request, reply);
}

#define CLUSTER_QUESTION(name, field)                                          \
    CUDA_API int name(int *n, const void *host,                                \
                      const struct rt_launch_config *config) {                 \
        struct vgpu_reply_MAX_CLUSTERS reply = {0};                            \
        client_lock();                                                         \
        struct client_function *f = client_function_find(host);                \
        int error =                                                            \
            f ? client_function_resolve(f) : cudaErrorInvalidDeviceFunction;   \
        if (!error && (!n || !config)) error = cudaErrorInvalidValue;          \
        if (!error) error = max_clusters(f, config, &reply);                   \
        if (!error) *n = reply.field;                                          \
        return client_end(error);                                              \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")
CLUSTER_QUESTION(cudaOccupancyMaxActiveClusters, clusters);
CLUSTER_QUESTION(cudaOccupancyMaxPotentialClusterSize, most);
