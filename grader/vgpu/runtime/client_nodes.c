/* SPDX-License-Identifier: MIT
 *
 * client_nodes.c: graphs made node by node: kernels, copies and fills of one
 * run of bytes or rows, host functions, nodes that do nothing. What a node
 * waits for decides the order when the graph is instantiated (client_graphs.c).
 */
#include "client.h"

static int add(void **node, void *graph, void *const *dependencies, size_t n,
               const struct client_op *op, const void *parameters,
               size_t bytes) {
    struct client_op *made;
    struct client_graph *g = client_graph_find(graph);
    if (!node || !g || (n && !dependencies)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
        if (!client_graph_has(g, dependencies[i])) return cudaErrorInvalidValue;
    int error = client_capture(g, op, parameters, bytes, &made);
    for (size_t i = 0; i < n && !error; i++)
        error = client_graph_order(g, dependencies[i], made);
    if (!error) *node = made;
    return error;
}

CUDA_API int cudaGraphAddEmptyNode(void **node, void *graph,
                                   void *const *dependencies, size_t n) {
    const struct client_op op = {.kind = CLIENT_OP_NOTHING};
    client_lock();
    return client_end(add(node, graph, dependencies, n, &op, NULL, 0));
}

CUDA_API int cudaGraphAddHostNode(void **node, void *graph,
                                  void *const *dependencies, size_t n,
                                  const struct rt_host_node *params) {
    if (!params || !params->function) return client_keep(cudaErrorInvalidValue);
    const struct client_op op = {.kind = CLIENT_OP_HOST,
                                 .function = params->function,
                                 .user = params->user};
    client_lock();
    return client_end(add(node, graph, dependencies, n, &op, NULL, 0));
}

CUDA_API int cudaGraphAddKernelNode(void **node, void *graph,
                                    void *const *dependencies, size_t n,
                                    const struct rt_kernel_node *params) {
    unsigned char parameters[VGPU_PARAMS_MAX];
    struct client_op op = {0};
    if (!params || params->extra) return client_keep(cudaErrorInvalidValue);
    client_lock();
    int error = client_prepare_launch(
        client_function_find(params->function), params->grid, params->block,
        params->smem_bytes, params->arguments, &op, parameters);
    if (!error)
        error = add(node, graph, dependencies, n, &op, parameters,
                    op.kernel->info.param_bytes);
    return client_end(error);
}

CUDA_API int cudaGraphAddMemcpyNode1D(void **node, void *graph,
                                      void *const *dependencies, size_t n,
                                      void *to, const void *from, size_t bytes,
                                      int kind) {
    const struct client_op op = {.kind = CLIENT_OP_COPY,
                                 .call = VGPU_CALL_cudaGraphAddMemcpyNode1D,
                                 .to = to,
                                 .from = from,
                                 .width = bytes,
                                 .copy_kind = kind};
    client_lock();
    return client_end(add(node, graph, dependencies, n, &op, NULL, 0));
}

/* One slice of rows, or a single row. */
CUDA_API int cudaGraphAddMemcpyNode(void **node, void *graph,
                                    void *const *dependencies, size_t n,
                                    const struct rt_copy3d *p) {
    const vgpu_call name = VGPU_CALL_cudaGraphAddMemcpyNode;
    if (!p) return client_keep(cudaErrorInvalidValue);
    client_lock();
    if (p->srcArray || p->dstArray || p->extent.depth > 1 || p->srcPos.z ||
        p->dstPos.z)
        return client_end(client_misuse(VGPU_MISUSE_NOT_SUPPORTED, name, 0,
                                        cudaErrorNotSupported));
    const struct client_op op = {
        .kind = CLIENT_OP_COPY_ROWS,
        .call = name,
        .to =
            (char *)p->dstPtr.ptr + p->dstPos.y * p->dstPtr.pitch + p->dstPos.x,
        .to_pitch = p->dstPtr.pitch,
        .from =
            (char *)p->srcPtr.ptr + p->srcPos.y * p->srcPtr.pitch + p->srcPos.x,
        .from_pitch = p->srcPtr.pitch,
        .width = p->extent.width,
        .height = p->extent.height,
        .copy_kind = p->kind};
    return client_end(add(node, graph, dependencies, n, &op, NULL, 0));
}

/* All bytes of an element the same, which is what a fill can do here. */
static bool is_bytes(const struct rt_memset_node *p) {
    const uint32_t byte = p->value & 255u;
    return p->element_bytes == 1 ||
           (p->element_bytes == 2 && (p->value & 0xffff) == byte * 0x101u) ||
           (p->element_bytes == 4 && p->value == byte * 0x1010101u);
}

CUDA_API int cudaGraphAddMemsetNode(void **node, void *graph,
                                    void *const *dependencies, size_t n,
                                    const struct rt_memset_node *p) {
    const vgpu_call name = VGPU_CALL_cudaGraphAddMemsetNode;
    if (!p) return client_keep(cudaErrorInvalidValue);
    client_lock();
    if (!is_bytes(p))
        return client_end(client_misuse(VGPU_MISUSE_NOT_SUPPORTED, name, 0,
                                        cudaErrorNotSupported));
    size_t width = p->width * p->element_bytes;
    const struct client_op op = {.kind = CLIENT_OP_FILL_ROWS,
                                 .call = name,
                                 .to = p->to,
                                 .to_pitch = p->height > 1 ? p->pitch : width,
                                 .width = width,
                                 .height = p->height,
                                 .byte = (int)(p->value & 255u)};
    return client_end(add(node, graph, dependencies, n, &op, NULL, 0));
}

CUDA_API int cudaGraphAddDependencies(void *graph, void *const *from,
                                      void *const *to, UNUSED const void *data,
                                      size_t n) {
    client_lock();
    struct client_graph *g = client_graph_find(graph);
    int error = g && (!n || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < n && !error; i++)
        error = client_graph_has(g, from[i]) && client_graph_has(g, to[i])
                    ? client_graph_order(g, from[i], to[i])
                    : (int)cudaErrorInvalidValue;
    return client_end(error);
}
