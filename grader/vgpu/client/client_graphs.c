/* SPDX-License-Identifier: MIT
 *
 * client_graphs.c: graphs, made by stream capture (client_capture.c) or node by
 * node (client_nodes.c). While a stream captures, what would go into it is
 * written down instead, in the order it came, which keeps every dependency.
 * Nodes are put in an order that keeps theirs when the graph is instantiated. A
 * launch does it all, one by one.
 */
#include "client.h"

#include <stdlib.h>
#include <string.h>

struct edge {
    const struct client_op *before, *after;
    struct edge *next;
};

struct client_graph {
    struct client_op *first, **end;
    size_t n_ops;
    struct edge *edges;           /* beyond those that the list's order keeps */
    unsigned long long id, flags; /* flags: those of instantiation */
    bool is_exec, is_capturing;
    struct client_graph *next;
};

/* Guarded by the client's lock: graphs, executable ones, those of captures. */
static struct client_graph *graphs;
static unsigned long long last_id;

static struct client_graph **find(const void *handle, bool is_exec) {
    struct client_graph **g = &graphs;
    while (*g && (*g != handle || (*g)->is_exec != is_exec)) g = &(*g)->next;
    return g;
}

static struct client_graph *new_graph(bool is_exec) {
    struct client_graph *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->end = &g->first;
    g->id = ++last_id;
    g->is_exec = is_exec;
    g->next = graphs;
    graphs = g;
    return g;
}

static void destroy(struct client_graph **at) {
    struct client_graph *gone = *at;
    *at = gone->next;
    while (gone->first) {
        struct client_op *op = gone->first;
        gone->first = op->next;
        free(op->parameters);
        free(op);
    }
    while (gone->edges) {
        struct edge *e = gone->edges;
        gone->edges = e->next;
        free(e);
    }
    free(gone);
}

struct client_graph *client_graph_capture(unsigned long long *id) {
    struct client_graph *g = new_graph(false);
    if (!g) return NULL;
    g->is_capturing = true;
    *id = g->id;
    return g;
}

void client_graph_keep(struct client_graph *g) {
    g->is_capturing = false;
}

void client_graph_drop(struct client_graph *g) {
    destroy(find(g, false));
}

struct client_graph *client_graph_find(const void *handle) {
    struct client_graph *g = *find(handle, false);
    return g && !g->is_capturing ? g : NULL;
}

bool client_graph_has(const struct client_graph *g, const void *node) {
    const struct client_op *op = g->first;
    while (op && op != node) op = op->next;
    return op != NULL;
}

static struct client_op *copy_of(const struct client_graph *g,
                                 const void *node) {
    struct client_op *op = g->first;
    while (op && op->origin != node) op = op->next;
    return op;
}

struct client_op *client_graph_node(const void *node) {
    for (struct client_graph *g = graphs; g; g = g->next)
        for (struct client_op *op = g->first; !g->is_exec && op; op = op->next)
            if (op == node && !g->is_capturing) return op;
    return NULL;
}

struct client_op *client_graph_exec_node(const void *exec, const void *node) {
    const struct client_graph *g = *find(exec, true);
    return g ? copy_of(g, node) : NULL;
}

/* cudaGraphNodeType */
static int type_of(const struct client_op *op) {
    enum { KERNEL, COPY, FILL, HOST, EMPTY = 5 };
    static const int types[] = {[CLIENT_OP_LAUNCH] = KERNEL,
                                [CLIENT_OP_COPY] = COPY,
                                [CLIENT_OP_FILL] = FILL,
                                [CLIENT_OP_HOST] = HOST,
                                [CLIENT_OP_NOTHING] = EMPTY};
    return types[op->kind];
}

int client_graph_order(struct client_graph *g, const void *before,
                       const void *after) {
    struct edge *e = malloc(sizeof *e);
    if (!e) return cudaErrorMemoryAllocation;
    *e = (struct edge){before, after, g->edges};
    g->edges = e;
    return cudaSuccess;
}

/* All but what says which node it is. */
static int fill_node(struct client_op *node, const struct client_op *op,
                     const void *parameters, size_t bytes) {
    unsigned char *own = bytes ? malloc(bytes) : NULL;
    if (bytes && !own) return cudaErrorMemoryAllocation;
    if (bytes) memcpy(own, parameters, bytes);
    free(node->parameters);
    const struct client_op was = *node;
    *node = *op;
    node->parameters = own;
    node->parameter_bytes = bytes;
    node->next = was.next;
    node->origin = was.origin;
    node->place = was.place;
    return cudaSuccess;
}

int client_capture(struct client_graph *g, const struct client_op *op,
                   const void *parameters, size_t bytes,
                   struct client_op **made) {
    struct client_op *copy = calloc(1, sizeof *copy);
    if (!copy) return cudaErrorMemoryAllocation;
    int error = fill_node(copy, op, parameters, bytes);
    if (error) {
        free(copy);
        return error;
    }
    *g->end = copy;
    g->end = &copy->next;
    copy->place = g->n_ops++;
    if (made) *made = copy;
    return cudaSuccess;
}

/* Nothing that is not done yet comes before it. */
static bool is_free(const struct client_graph *g, const struct client_op *op) {
    for (const struct edge *e = g->edges; e; e = e->next)
        if (e->after == op && !e->before->is_done) return false;
    return true;
}

int client_graph_set(struct client_op *node, const struct client_op *op,
                     const void *parameters, size_t bytes) {
    if (!node || type_of(node) != type_of(op)) return cudaErrorInvalidValue;
    return fill_node(node, op, parameters, bytes);
}

static int copy_edges(struct client_graph *to,
                      const struct client_graph *from) {
    int error = cudaSuccess;
    for (const struct edge *e = from->edges; e && !error; e = e->next)
        error = client_graph_order(to, copy_of(to, e->before),
                                   copy_of(to, e->after));
    return error;
}

static int copy_op(struct client_graph *to, const struct client_op *op) {
    struct client_op *made;
    int error =
        client_capture(to, op, op->parameters, op->parameter_bytes, &made);
    if (!error) made->origin = op;
    return error;
}

/* Copies all operations in an order that keeps the edges. */
static int copy_in_order(struct client_graph *to, struct client_graph *from) {
    size_t n = 0;
    for (struct client_op *op = from->first; op; op = op->next)
        op->is_done = false;
    for (bool moved = true; moved;) {
        moved = false;
        for (struct client_op *op = from->first; op; op = op->next) {
            if (op->is_done || !is_free(from, op)) continue;
            int error = copy_op(to, op);
            if (error) return error;
            op->is_done = moved = true;
            n++;
        }
    }
    return n == from->n_ops ? copy_edges(to, from) : (int)cudaErrorInvalidValue;
}

/* The host's function runs unlocked, as in cudaLaunchHostFunc. */
static int call_host(const struct client_op *op) {
    int error = client_sync();
    if (error) return error;
    client_unlock();
    op->function(op->user);
    client_lock();
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
    return g ? client_capture(g, op, NULL, 0, NULL) : client_run(op);
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
    struct client_graph *g = error ? NULL : new_graph(false);
    if (!error && !g) error = cudaErrorMemoryAllocation;
    if (!error) *graph = g;
    return client_end(error);
}

/* A graph's operations in order; NULL: error says why. */
static struct client_graph *in_order(struct client_graph *from, int *error) {
    struct client_graph *g = new_graph(true);
    *error = g ? copy_in_order(g, from) : (int)cudaErrorMemoryAllocation;
    if (*error && g) destroy(find(g, true));
    return *error ? NULL : g;
}

/* The flags are about uploads, priorities and memory: nothing here. */
static int instantiate(void **exec, void *graph, unsigned long long flags) {
    int error = client_begin();
    struct client_graph *from = client_graph_find(graph);
    if (!error && (!exec || !from)) error = cudaErrorInvalidValue;
    struct client_graph *g = error ? NULL : in_order(from, &error);
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
    const struct client_graph *g = *find(exec, true);
    if (g && flags) *flags = g->flags;
    return client_end(g && flags ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- copies, updates ---- */

CUDA_API int cudaGraphClone(void **clone, void *graph) {
    int error = client_begin();
    const struct client_graph *from = client_graph_find(graph);
    if (!error && (!clone || !from)) error = cudaErrorInvalidValue;
    struct client_graph *g = error ? NULL : new_graph(false);
    if (!error && !g) error = cudaErrorMemoryAllocation;
    const struct client_op *op = error ? NULL : from->first;
    for (; op && !error; op = op->next) error = copy_op(g, op);
    if (!error) error = copy_edges(g, from);
    if (!error)
        *clone = g;
    else if (g)
        destroy(find(g, false));
    return client_end(error);
}

CUDA_API int cudaGraphNodeFindInClone(void **node, const void *original,
                                      void *clone) {
    client_lock();
    const struct client_graph *g = client_graph_find(clone);
    struct client_op *op = g && node ? copy_of(g, original) : NULL;
    if (op) *node = op;
    return client_end(op ? cudaSuccess : cudaErrorInvalidValue);
}

CUDA_API int cudaGraphNodeGetType(const void *node, int *type) {
    client_lock();
    const struct client_op *op = client_graph_node(node);
    if (op && type) *type = type_of(op);
    return client_end(op && type ? cudaSuccess : cudaErrorInvalidValue);
}

static bool has_edge(const struct client_graph *g, const struct edge *like) {
    for (const struct edge *e = g->edges; e; e = e->next)
        if (e->before->place == like->before->place &&
            e->after->place == like->after->place)
            return true;
    return false;
}

/* cudaGraphExecUpdateResult; info has the node of `now` that is to blame. */
static int compare(const struct client_graph *old,
                   const struct client_graph *now, struct rt_update *info) {
    enum { SUCCESS, TOPOLOGY_CHANGED = 2, TYPE_CHANGED };
    const struct client_op *a = old->first, *b = now->first;
    size_t n_old = 0, n_now = 0;
    for (; a && b; a = a->next, b = b->next)
        if (type_of(a) != type_of(b)) {
            info->node = (void *)b->origin;
            return TYPE_CHANGED;
        }
    for (const struct edge *e = old->edges; e; e = e->next) n_old++;
    for (const struct edge *e = now->edges; e; e = e->next) {
        n_now++;
        if (has_edge(old, e)) continue;
        info->from = (void *)e->before->origin;
        info->node = (void *)e->after->origin;
        return TOPOLOGY_CHANGED;
    }
    return a || b || n_old != n_now ? TOPOLOGY_CHANGED : SUCCESS;
}

/* Of captured graphs, which have no edges here, the order must be the same. */
CUDA_API int cudaGraphExecUpdate(void *exec, void *graph,
                                 struct rt_update *result) {
    struct rt_update info = {0};
    int error = client_begin();
    struct client_graph *old = *find(exec, true), *now = NULL;
    struct client_graph *from = client_graph_find(graph);
    if (!error && (!old || !from)) error = cudaErrorInvalidValue;
    if (!error) now = in_order(from, &error);
    if (now) info.result = compare(old, now, &info);
    if (info.result) error = cudaErrorGraphExecUpdateFailure;
    struct client_op *to = old ? old->first : NULL;
    for (const struct client_op *op = now ? now->first : NULL; op && !error;
         op = op->next, to = to->next)
        error = fill_node(to, op, op->parameters, op->parameter_bytes);
    if (now) destroy(find(now, true));
    if (error && !info.result) info.result = 1; /* cudaGraphExecUpdateError */
    if (result) *result = info;
    return client_end(error);
}

/* ---- ends, launches ---- */

static int destroy_handle(void *handle, bool is_exec) {
    int error = client_begin();
    struct client_graph **g = find(handle, is_exec);
    if (!error && (!*g || (*g)->is_capturing)) error = cudaErrorInvalidValue;
    if (!error) destroy(g);
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
    if (!error && !*find(exec, true)) error = cudaErrorInvalidValue;
    return client_end(error);
}
CUDA_ALSO(cudaGraphUpload_ptsz, cudaGraphUpload);

/* While a host function runs the program may not call CUDA, so that the graph
 * stays what it is. */
CUDA_API int cudaGraphLaunch(void *exec, void *stream) {
    int error = client_begin();
    const struct client_graph *g = error ? NULL : *find(exec, true);
    struct client_graph *into = NULL;
    if (!error && !client_stream_is_valid(stream))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !g) error = cudaErrorInvalidValue;
    if (!error) error = client_stream_use(stream, &into);
    if (into)
        error =
            client_misuse(VGPU_MISUSE_NOT_SUPPORTED, VGPU_CALL_cudaGraphLaunch,
                          0, cudaErrorNotSupported);
    for (const struct client_op *op = error ? NULL : g->first; op && !error;
         op = op->next)
        error = client_run(op);
    return client_end(error);
}
CUDA_ALSO(cudaGraphLaunch_ptsz, cudaGraphLaunch);

/* Nodes have their operation's address for a handle; there is nothing else that
 * could be done with it. */
CUDA_API int cudaGraphGetNodes(void *graph, void **nodes, size_t *n) {
    int error = client_begin();
    const struct client_graph *g = *find(graph, false);
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
