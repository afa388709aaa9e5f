/* SPDX-License-Identifier: MIT
 *
 * client_graph.h: a graph: its operations and their order (client_graph.c). For
 * client_graphs.c, which has CUDA's functions; all others use client.h.
 */
#pragma once

#include "client.h"

struct client_edge {
    const struct client_op *before, *after;
    struct client_edge *next;
};

struct client_graph {
    struct client_op *first, **end;
    size_t n_ops;
    struct client_edge *edges;    /* beyond those that the list's order keeps */
    unsigned long long id, flags; /* flags: those of instantiation */
    uint64_t launched; /* is_exec: an event, of its launches so far: each comes
                          after those before, in whatever stream */
    bool is_exec, is_capturing;
    bool is_captured; /* in the order in which it came, without edges */
    struct client_graph *next;
};

/* Where the list of all graphs has this one; there NULL: there is none. */
struct client_graph **client_graph_at(const void *handle, bool is_exec);
struct client_graph *client_graph_new(bool is_exec);
void client_graph_destroy(struct client_graph **at);
/* The node that is a copy of this one; NULL: there is none. */
struct client_op *client_graph_copy_of(const struct client_graph *,
                                       const void *node);
/* cudaGraphNodeType */
int client_op_type(const struct client_op *);
/* All but what says which node it is. A cudaError_t. */
int client_op_fill(struct client_op *node, const struct client_op *,
                   const void *parameters, size_t bytes);
/* Adds a copy; then the edges between what has been copied. A cudaError_t. */
int client_graph_copy_op(struct client_graph *to, const struct client_op *);
int client_graph_copy_edges(struct client_graph *to,
                            const struct client_graph *from);
/* A graph's operations in order; NULL: error says why. */
struct client_graph *client_graph_in_order(struct client_graph *from,
                                           int *error);
/* cudaGraphExecUpdateResult; info has the node of `now` that is to blame. */
int client_graph_compare(const struct client_graph *old,
                         const struct client_graph *now, struct rt_update *);
