/* SPDX-License-Identifier: MIT
 *
 * client_graphs.c: CUDA's functions of graphs, made by stream capture
 * (client_capture.c) or node by node (client_nodes.c). While a stream captures,
 * what would go into it is written down instead, in the order it came, which
 * keeps every dependency. Nodes are put in an order that keeps theirs when the
 * graph is instantiated. A launch does it all, one by one.
 */
#include "client_graph.h"

/* The host's function runs unlocked, as in cudaLaunchHostFunc. */
static int call_host(const struct client_op *op) {
    int error = client_sync();
    if (error) return error;
    client_order_function(true);
    client_unlock();
    op->function(op->user);
    client_lock();
    client_order_function(false);
    return cudaSuccess;
}

int client_run(const struct client_op *op) {
    switch (op->kind) {
    case CLIENT_OP_LAUNCH: return client_launch(op, op->parameters);
    case CLIENT_OP_COPY: return client_copy_rows(op);
    case CLIENT_OP_FILL: return client_fill_rows(op);
    case CLIENT_OP_HOST: return call_host(op);
    case CLIENT_OP_NOTHING: return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

int client_do(const struct client_op *op, const void *stream) {
    struct client_graph *g;
    int error = client_stream_use(stream, &g);
    if (error) return error;
    if (g) return client_capture(g, op, NULL, 0, NULL);
    client_order_begin(op->call, stream);
    error = client_run(op);
    client_order_end(client_order_met_pageable());
    return error;
}

int client_not_captured(vgpu_call call, const void *stream) {
    struct client_graph *g;
    int error = client_stream_use(stream, &g);
    return g ? client_misuse(VGPU_MISUSE_NOT_CAPTURED, call, 0,
                             cudaErrorNotSupported)
             : error;
}

/* ---- graphs ---- */

CUDA_API int cudaGraphCreate(void **graph, unsigned flags) {
    int error = client_begin();
    if (!error && (!graph || flags)) error = cudaErrorInvalidValue;
    struct client_graph *g = error ? NULL : client_graph_new(false);
    if (!error && !g) error = cudaErrorMemoryAllocation;
    if (!error) *graph = g;
    return client_end(error);
}

/* The flags are about uploads, priorities and memory: nothing here. */
static int instantiate(void **exec, void *graph, unsigned long long flags) {
    int error = client_begin();
    struct client_graph *from = client_graph_find(graph);
    if (!error && (!exec || !from)) error = cudaErrorInvalidValue;
    struct client_graph *g = error ? NULL : client_graph_in_order(from, &error);
    if (g) {
        g->flags = flags;
        *exec = g;
    }
    return client_end(error);
}

CUDA_API int cudaGraphInstantiate(void **exec, void *graph,
                                  unsigned long long flags) {
    return instantiate(exec, graph, flags);
}
CUDA_API int cudaGraphInstantiateWithFlags(void **exec, void *graph,
                                           unsigned long long flags) {
    return instantiate(exec, graph, flags);
}
CUDA_API int cudaGraphInstantiateWithParams(void **exec, void *graph,
                                            struct rt_instantiate *p) {
    if (!p) return client_keep(cudaErrorInvalidValue);
    int error = instantiate(exec, graph, p->flags);
    p->error_node = NULL;
    p->result = error ? 1 : 0; /* cudaGraphInstantiateError */
    return error;
}
CUDA_ALSO(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

CUDA_API int cudaGraphExecGetFlags(void *exec, unsigned long long *flags) {
    client_lock();
    const struct client_graph *g = *client_graph_at(exec, true);
    if (g && flags) *flags = g->flags;
    return client_end(g && flags ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- copies, updates ---- */

CUDA_API int cudaGraphClone(void **clone, void *graph) {
    int error = client_begin();
    const struct client_graph *from = client_graph_find(graph);
    if (!error && (!clone || !from)) error = cudaErrorInvalidValue;
    struct client_graph *g = error ? NULL : client_graph_new(false);
    if (!error && !g) error = cudaErrorMemoryAllocation;
    if (g) g->is_captured = from->is_captured;
    const struct client_op *op = error ? NULL : from->first;
    for (; op && !error; op = op->next) error = client_graph_copy_op(g, op);
    if (!error) error = client_graph_copy_edges(g, from);
    if (!error)
        *clone = g;
    else if (g)
        client_graph_destroy(client_graph_at(g, false));
    return client_end(error);
}

CUDA_API int cudaGraphNodeFindInClone(void **node, const void *original,
                                      void *clone) {
    client_lock();
    const struct client_graph *g = client_graph_find(clone);
    struct client_op *op = g && node ? client_graph_copy_of(g, original) : NULL;
    if (op) *node = op;
    return client_end(op ? cudaSuccess : cudaErrorInvalidValue);
}

CUDA_API int cudaGraphNodeGetType(const void *node, int *type) {
    client_lock();
    const struct client_op *op = client_graph_node(node);
    if (op && type) *type = client_op_type(op);
    return client_end(op && type ? cudaSuccess : cudaErrorInvalidValue);
}

/* Of captured graphs, which have no edges here, the order must be the same. */
CUDA_API int cudaGraphExecUpdate(void *exec, void *graph,
                                 struct rt_update *result) {
    struct rt_update info = {0};
    int error = client_begin();
    struct client_graph *old = *client_graph_at(exec, true), *now = NULL;
    struct client_graph *from = client_graph_find(graph);
    if (!error && (!old || !from)) error = cudaErrorInvalidValue;
    if (!error) now = client_graph_in_order(from, &error);
    if (now) info.result = client_graph_compare(old, now, &info);
    if (info.result) error = cudaErrorGraphExecUpdateFailure;
    struct client_op *to = old ? old->first : NULL;
    for (const struct client_op *op = now ? now->first : NULL; op && !error;
         op = op->next, to = to->next)
        error = client_op_fill(to, op, op->parameters, op->parameter_bytes);
    if (now) client_graph_destroy(client_graph_at(now, true));
    if (error && !info.result) info.result = 1; /* cudaGraphExecUpdateError */
    if (result) *result = info;
    return client_end(error);
}

/* ---- ends, launches ---- */

static int destroy_handle(void *handle, bool is_exec) {
    int error = client_begin();
    struct client_graph **g = client_graph_at(handle, is_exec);
    if (!error && (!*g || (*g)->is_capturing)) error = cudaErrorInvalidValue;
    if (!error) client_graph_destroy(g);
    return client_end(error);
}

CUDA_API int cudaGraphDestroy(void *graph) {
    return destroy_handle(graph, false);
}
CUDA_API int cudaGraphExecDestroy(void *exec) {
    return destroy_handle(exec, true);
}

CUDA_API int cudaGraphUpload(void *exec, void *stream) {
    int error = client_begin();
    if (!error && !client_stream_is_valid(stream))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !*client_graph_at(exec, true)) error = cudaErrorInvalidValue;
    return client_end(error);
}
CUDA_ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

/* The numbers of the nodes that come before this one. */
static size_t before_node(const struct client_graph *g,
                          const struct client_op *op, uint32_t *before,
                          size_t most) {
    size_t n = 0;
    if (g->is_captured && op->place) before[n++] = (uint32_t)op->place - 1;
    for (const struct client_edge *e = g->edges; e && n < most; e = e->next)
        if (e->after == op) before[n++] = (uint32_t)e->before->place;
    return n;
}

static int launch_nodes(const struct client_graph *g, const void *stream) {
    enum { MOST_BEFORE = 256 };
    uint32_t before[MOST_BEFORE];
    int error = cudaSuccess;
    client_order_say(VGPU_ORDER_GRAPH, stream, g->launched);
    for (const struct client_op *op = g->first; op && !error; op = op->next) {
        if (client_order_is_on())
            client_order_node(op->call ? op->call : VGPU_CALL_cudaGraphLaunch,
                              op->place, before,
                              before_node(g, op, before, MOST_BEFORE));
        error = client_run(op);
        client_order_end(client_order_met_pageable());
    }
    client_order_say(VGPU_ORDER_GRAPH_ENDS, stream, g->launched);
    return error;
}

/* While a host function runs the program may not call CUDA, so that the graph
 * stays what it is. */
CUDA_API int cudaGraphLaunch(void *exec, void *stream) {
    int error = client_begin();
    const struct client_graph *g = error ? NULL : *client_graph_at(exec, true);
    struct client_graph *into = NULL;
    if (!error && !client_stream_is_valid(stream))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !g) error = cudaErrorInvalidValue;
    if (!error) error = client_stream_use(stream, &into);
    if (into)
        error =
            client_misuse(VGPU_MISUSE_NOT_SUPPORTED, VGPU_CALL_cudaGraphLaunch,
                          0, cudaErrorNotSupported);
    if (error) return client_end(error);
    int gpu = client_use_gpu(client_stream_gpu(stream));
    error = launch_nodes(g, stream);
    client_use_gpu(gpu);
    return client_end(error);
}
CUDA_API int cudaGraphLaunch_ptsz(void *exec, void *stream) {
    return cudaGraphLaunch(exec, client_of_thread(stream));
}

/* Nodes have their operation's address for a handle; there is nothing else that
 * could be done with it. */
CUDA_API int cudaGraphGetNodes(void *graph, void **nodes, size_t *n) {
    int error = client_begin();
    const struct client_graph *g = *client_graph_at(graph, false);
    if (!error && (!g || !n)) error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    struct client_op *op = g->first;
    for (size_t i = 0; nodes && i < *n; i++) {
        nodes[i] = op;
        if (op) op = op->next;
    }
    if (!nodes || *n > g->n_ops) *n = g->n_ops;
    return client_end(cudaSuccess);
}
