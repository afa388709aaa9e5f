/* SPDX-License-Identifier: MIT
 *
 * order.h: what comes before what in a whole program: operations of streams
 * (kernels, copies, fills, allocations, frees, host functions), events, and
 * the host's waits. Two operations that use the same byte, one of which
 * writes, must be ordered; who uses memory is told to order_uses, and what is
 * not ordered is reported.
 *
 * How to read this: operation `seq` of a stream has come before all that knows
 * it: whose clock has at least `seq` at the stream's number. A clock is joined
 * where CUDA orders: by the stream itself, the legacy stream, events, graphs.
 * The host has one clock: what one of its threads has waited for, all are
 * taken to know, because what passes between them is not seen. What the host
 * enqueues knows what the host knew.
 *
 * Of each page it is kept which operations that the host has not waited for
 * have used which bytes (order_pages.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu.h"

enum { ORDER_PAGE = 4096, ORDER_WORDS = ORDER_PAGE / 64, ORDER_STREAMS = 4096 };

struct order_clock {
    uint64_t *at; /* by the stream's number */
    uint32_t n;
};

struct order_op {
    uint32_t stream; /* number */
    unsigned gpu;    /* of the stream */
    uint64_t seq;
    struct order_clock clock; /* all that comes before it, and itself */
    uint32_t references;
    bool is_told;   /* that the host was too early with it */
    uint64_t label; /* of the stream; for the caller, as all that follows */
    uint32_t call;
    const char *kernel;    /* NULL: none */
    uint64_t began, ended; /* of a launch beside those of other GPUs; 0: no such
                              one */
    uint64_t callers[VGPU_CALLERS];
    const struct order_op *told_with; /* a conflict that was reported */
};

/* One operation's use of memory. `where` is a line of a kernel, or nothing. */
struct order_use {
    struct order_op *op;
    unsigned how; /* VGPU_USE_*, as bits; two strong ones are no conflict */
    struct vgpu_source where;
};

struct order_conflict {
    const struct order_use *now, *before;
    uint64_t address;
};
typedef void order_told(void *user, const struct order_conflict *);

struct order;
struct order *order_new(order_told *, void *user); /* NULL: out of memory */
void order_free(struct order *);
/* Memory was short, or there were too many streams: not all was looked at. */
bool order_is_incomplete(const struct order *);

/* ---- streams, by ids of the caller's; 1 is the legacy stream ---- */
enum { ORDER_LEGACY = 1 };
/* label: what the caller calls it. Each GPU has a legacy stream. */
enum order_kind { ORDER_NON_BLOCKING, ORDER_BLOCKING, ORDER_IS_LEGACY };
void order_stream(struct order *, uint64_t id, enum order_kind, uint64_t label,
                  unsigned gpu);
void order_stream_gone(struct order *, uint64_t id);
/* An operation of the stream begins: it comes after all that the host and the
 * stream know now. NULL: incomplete. To be given back by order_drop. */
struct order_op *order_begin(struct order *, uint64_t stream);
void order_drop(struct order *, struct order_op *);
/* A node of a graph, beside other nodes: it knows what the stream knew when the
 * graph was launched (order_graph), and what these nodes knew. */
void order_graph(struct order *, uint64_t stream);
struct order_op *order_node(struct order *, struct order_op *const *before,
                            size_t n);
void order_graph_ends(struct order *);

/* ---- events, by ids ---- */
void order_record(struct order *, uint64_t event, uint64_t stream);
void order_wait(struct order *, uint64_t stream, uint64_t event);

/* ---- the host waits ---- */
void order_host_stream(struct order *, uint64_t stream);
void order_host_event(struct order *, uint64_t event);
void order_host_op(struct order *, const struct order_op *);
void order_host_all(struct order *, unsigned gpu); /* for all of its streams */
/* What would be known at the event (0: in the stream), as an operation that
 * does nothing. NULL: incomplete. */
struct order_op *order_query(struct order *, uint64_t stream, uint64_t event);
/* The same after all that is in the GPU's streams. */
struct order_op *order_query_all(struct order *, unsigned gpu);
/* The operation comes after the other one. */
bool order_is_after(const struct order_op *, const struct order_op *other);
/* Operations wait to be done, so nothing may be forgotten of what the host has
 * waited for. */
void order_keep(struct order *, bool keeps);
/* While a host function of a stream runs, the host knows what that operation
 * knows; NULL: no longer. */
void order_host_is(struct order *, const struct order_op *);
/* The host, as it is now, has seen the operation's end. */
bool order_host_knows(const struct order *, const struct order_op *);

/* ---- memory ---- */
void order_uses(struct order *, const struct order_use *, uint64_t from,
                uint64_t bytes);
/* The same of a page's bytes whose bits are set. */
void order_uses_page(struct order *, const struct order_use *, uint64_t page,
                     const uint64_t bits[ORDER_WORDS]);
/* Nobody knows of these bytes any more: they are given back, or new. */
void order_forget(struct order *, uint64_t from, uint64_t bytes);
/* The host sees these bytes, too; no longer. */
void order_share(struct order *, uint64_t from, uint64_t bytes);
void order_unshare(struct order *, uint64_t from);
/* The range of these that holds the address. False: none. */
bool order_shared_at(const struct order *, uint64_t address, uint64_t *from,
                     uint64_t *bytes);
/* Of bytes that the host sees: what operations use that it has not waited for,
 * by address. */
struct order_flight {
    uint64_t from, to; /* [from, to) */
    const struct order_use *use;
};
typedef void order_flies(void *user, const struct order_flight *);
void order_each_flight(struct order *, order_flies *, void *user);
/* The use of this byte by operation seq of the stream number; NULL: none. */
const struct order_use *order_use_at(const struct order *, uint64_t address,
                                     uint32_t stream, uint64_t seq);
/* A use of these bytes, of whatever memory, that the host has not waited for;
 * NULL: none. */
const struct order_use *order_in_use(const struct order *, uint64_t from,
                                     uint64_t bytes, uint64_t *address);
