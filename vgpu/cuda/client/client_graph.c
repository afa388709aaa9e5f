/* SPDX-License-Identifier: MIT
 *
 * client_graph.c: graphs as lists of operations, and what must come before
 * what.
 */
#include "client_graph.h"

#include <stdlib.h>
#include <string.h>

/* Guarded by the client's lock: graphs, executable ones, those of captures. */
static struct client_graph *graphs;
static unsigned long long last_id;

struct client_graph **client_graph_at(const void *handle, bool is_exec) {
    struct client_graph **g = &graphs;
    while (*g && (*g != handle || (*g)->is_exec != is_exec)) g = &(*g)->next;
    return g;
}

struct client_graph *client_graph_new(bool is_exec) {
    struct client_graph *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->end = &g->first;
    g->id = ++last_id;
    g->is_exec = is_exec;
    if (is_exec) g->launched = client_event_number();
    g->next = graphs;
    graphs = g;
    return g;
}

void client_graph_destroy(struct client_graph **at) {
    struct client_graph *gone = *at;
    *at = gone->next;
    while (gone->first) {
        struct client_op *op = gone->first;
        gone->first = op->next;
        free(op->parameters);
        free(op);
    }
    while (gone->edges) {
        struct client_edge *e = gone->edges;
        gone->edges = e->next;
        free(e);
    }
    free(gone);
}

struct client_graph *client_graph_capture(unsigned long long *id) {
    struct client_graph *g = client_graph_new(false);
    if (!g) return NULL;
    g->is_capturing = g->is_captured = true;
    *id = g->id;
    return g;
}

void client_graph_keep(struct client_graph *g) {
    g->is_capturing = false;
}

void client_graph_drop(struct client_graph *g) {
    client_graph_destroy(client_graph_at(g, false));
}

struct client_graph *client_graph_find(const void *handle) {
    struct client_graph *g = *client_graph_at(handle, false);
    return g && !g->is_capturing ? g : NULL;
}

bool client_graph_has(const struct client_graph *g, const void *node) {
    const struct client_op *op = g->first;
    while (op && op != node) op = op->next;
    return op != NULL;
}

struct client_op *client_graph_copy_of(const struct client_graph *g,
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
    const struct client_graph *g = *client_graph_at(exec, true);
    return g ? client_graph_copy_of(g, node) : NULL;
}

int client_op_type(const struct client_op *op) {
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
    struct client_edge *e = malloc(sizeof *e);
    if (!e) return cudaErrorMemoryAllocation;
    *e = (struct client_edge){before, after, g->edges};
    g->edges = e;
    return cudaSuccess;
}

int client_op_fill(struct client_op *node, const struct client_op *op,
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
    int error = client_op_fill(copy, op, parameters, bytes);
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
    for (const struct client_edge *e = g->edges; e; e = e->next)
        if (e->after == op && !e->before->is_done) return false;
    return true;
}

int client_graph_set(struct client_op *node, const struct client_op *op,
                     const void *parameters, size_t bytes) {
    if (!node || client_op_type(node) != client_op_type(op))
        return cudaErrorInvalidValue;
    return client_op_fill(node, op, parameters, bytes);
}

int client_graph_copy_edges(struct client_graph *to,
                            const struct client_graph *from) {
    int error = cudaSuccess;
    for (const struct client_edge *e = from->edges; e && !error; e = e->next)
        error = client_graph_order(to, client_graph_copy_of(to, e->before),
                                   client_graph_copy_of(to, e->after));
    return error;
}

int client_graph_copy_op(struct client_graph *to, const struct client_op *op) {
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
            int error = client_graph_copy_op(to, op);
            if (error) return error;
            op->is_done = moved = true;
            n++;
        }
    }
    return n == from->n_ops ? client_graph_copy_edges(to, from)
                            : (int)cudaErrorInvalidValue;
}

struct client_graph *client_graph_in_order(struct client_graph *from,
                                           int *error) {
    struct client_graph *g = client_graph_new(true);
    if (g) g->is_captured = from->is_captured;
    *error = g ? copy_in_order(g, from) : (int)cudaErrorMemoryAllocation;
    if (*error && g) client_graph_destroy(client_graph_at(g, true));
    return *error ? NULL : g;
}

/* ---- two graphs ---- */

static bool has_edge(const struct client_graph *g,
                     const struct client_edge *like) {
    for (const struct client_edge *e = g->edges; e; e = e->next)
        if (e->before->place == like->before->place &&
            e->after->place == like->after->place)
            return true;
    return false;
}

int client_graph_compare(const struct client_graph *old,
                         const struct client_graph *now,
                         struct rt_update *info) {
    enum { SUCCESS, TOPOLOGY_CHANGED = 2, TYPE_CHANGED };
    const struct client_op *a = old->first, *b = now->first;
    size_t n_old = 0, n_now = 0;
    for (; a && b; a = a->next, b = b->next)
        if (client_op_type(a) != client_op_type(b)) {
            info->node = (void *)b->origin;
            return TYPE_CHANGED;
        }
    for (const struct client_edge *e = old->edges; e; e = e->next) n_old++;
    for (const struct client_edge *e = now->edges; e; e = e->next) {
        n_now++;
        if (has_edge(old, e)) continue;
        info->from = (void *)e->before->origin;
        info->node = (void *)e->after->origin;
        return TOPOLOGY_CHANGED;
    }
    return a || b || n_old != n_now ? TOPOLOGY_CHANGED : SUCCESS;
}
