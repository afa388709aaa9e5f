/* SPDX-License-Identifier: MIT
 *
 * client_nodes.c: graphs made node by node: kernels, copies and fills of one
 * run of bytes or rows, host functions, nodes that do nothing; and what each
 * does, changed later. What a node waits for decides the order when the graph
 * is instantiated (client_graphs.c).
 */
#include "client.h"

static int client_nodes_add(void **node, void *graph, void *const *dependencies,
                            size_t n, const struct client_op *op,
                            const void *parameters, size_t bytes) {
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
    return client_end(
        client_nodes_add(node, graph, dependencies, n, &op, NULL, 0));
}

/* ---- what a node of each kind does: a cudaError_t ---- */

struct made {
    vgpu_call call; /* that asks for it */
    struct client_op op;
    unsigned char parameters[VGPU_PARAMS_MAX]; /* of a kernel */
};

static size_t parameter_bytes(const struct made *m) {
    return m->op.kind == CLIENT_OP_LAUNCH ? m->op.kernel->info.param_bytes : 0;
}

static int make_host(struct made *m, const struct rt_host_node *p) {
    if (!p || !p->function) return cudaErrorInvalidValue;
    m->op = (struct client_op){
        .kind = CLIENT_OP_HOST, .function = p->function, .user = p->user};
    return cudaSuccess;
}

static int make_kernel(struct made *m, const struct rt_kernel_node *p) {
    if (!p || p->extra) return cudaErrorInvalidValue;
    m->op = (struct client_op){0};
    return client_prepare_launch(client_function_find(p->function), p->grid,
                                 p->block, p->smem_bytes, p->arguments, &m->op,
                                 m->parameters);
}

static int make_copy(struct made *m, void *to, const void *from, size_t bytes,
                     int kind) {
    m->op = (struct client_op){.kind = CLIENT_OP_COPY,
                               .call = m->call,
                               .to = to,
                               .to_pitch = bytes,
                               .from = from,
                               .from_pitch = bytes,
                               .width = bytes,
                               .height = 1,
                               .copy_kind = kind};
    return cudaSuccess;
}

/* One slice of rows, or a single row. */
static int make_copy_rows(struct made *m, const struct rt_copy3d *p) {
    if (!p) return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray || p->extent.depth > 1 || p->srcPos.z ||
        p->dstPos.z)
        return client_misuse(VGPU_MISUSE_NOT_SUPPORTED, m->call, 0,
                             cudaErrorNotSupported);
    m->op =
        (struct client_op){.kind = CLIENT_OP_COPY,
                           .call = m->call,
                           .to = (char *)p->dstPtr.ptr +
                                 p->dstPos.y * p->dstPtr.pitch + p->dstPos.x,
                           .to_pitch = p->dstPtr.pitch,
                           .from = (char *)p->srcPtr.ptr +
                                   p->srcPos.y * p->srcPtr.pitch + p->srcPos.x,
                           .from_pitch = p->srcPtr.pitch,
                           .width = p->extent.width,
                           .height = p->extent.height,
                           .copy_kind = p->kind};
    return cudaSuccess;
}

/* All bytes of an element the same, which is what a fill can do here. */
static bool is_bytes(const struct rt_memset_node *p) {
    const uint32_t byte = p->value & 255u;
    return p->element_bytes == 1 ||
           (p->element_bytes == 2 && (p->value & 0xffff) == byte * 0x101u) ||
           (p->element_bytes == 4 && p->value == byte * 0x1010101u);
}

static int make_fill(struct made *m, const struct rt_memset_node *p) {
    if (!p) return cudaErrorInvalidValue;
    if (!is_bytes(p))
        return client_misuse(VGPU_MISUSE_NOT_SUPPORTED, m->call, 0,
                             cudaErrorNotSupported);
    size_t width = p->width * p->element_bytes;
    m->op = (struct client_op){.kind = CLIENT_OP_FILL,
                               .call = m->call,
                               .to = p->to,
                               .to_pitch = p->height > 1 ? p->pitch : width,
                               .width = width,
                               .height = p->height,
                               .byte = (int)(p->value & 255u)};
    return cudaSuccess;
}

/* ---- the calls ---- */

static int client_nodes_set(struct client_op *node, const struct made *m) {
    return client_graph_set(node, &m->op, m->parameters, parameter_bytes(m));
}

/* Three calls for a kind of node: one more; another task for one that is there;
 * for its copy in an executable graph. make: what it does, from what the calls
 * are given beyond the node (the rest). */
#define NODE_CALLS(add_call, set_call, set_exec_call, make, ...)               \
    CUDA_API int add_call(void **node, void *graph, void *const *dependencies, \
                          size_t n, __VA_ARGS__) {                             \
        struct made m = {.call = VGPU_CALL_##add_call};                        \
        client_lock();                                                         \
        int error = make;                                                      \
        if (!error)                                                            \
            error = client_nodes_add(node, graph, dependencies, n, &m.op,      \
                                     m.parameters, parameter_bytes(&m));       \
        return client_end(error);                                              \
    }                                                                          \
    CUDA_API int set_call(void *node, __VA_ARGS__) {                           \
        struct made m = {.call = VGPU_CALL_##set_call};                        \
        client_lock();                                                         \
        int error = make;                                                      \
        return client_end(                                                     \
            error ? error : client_nodes_set(client_graph_node(node), &m));    \
    }                                                                          \
    CUDA_API int set_exec_call(void *exec, void *node, __VA_ARGS__) {          \
        struct made m = {.call = VGPU_CALL_##set_exec_call};                   \
        client_lock();                                                         \
        int error = make;                                                      \
        return client_end(                                                     \
            error ? error                                                      \
                  : client_nodes_set(client_graph_exec_node(exec, node), &m)); \
    }

NODE_CALLS(cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams,
           cudaGraphExecKernelNodeSetParams, make_kernel(&m, p),
           const struct rt_kernel_node *p)
NODE_CALLS(cudaGraphAddHostNode, cudaGraphHostNodeSetParams,
           cudaGraphExecHostNodeSetParams, make_host(&m, p),
           const struct rt_host_node *p)
NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D,
           cudaGraphExecMemcpyNodeSetParams1D,
           make_copy(&m, to, from, bytes, kind), void *to, const void *from,
           size_t bytes, int kind)
NODE_CALLS(cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams,
           cudaGraphExecMemcpyNodeSetParams, make_copy_rows(&m, p),
           const struct rt_copy3d *p)
NODE_CALLS(cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams,
           cudaGraphExecMemsetNodeSetParams, make_fill(&m, p),
           const struct rt_memset_node *p)

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
