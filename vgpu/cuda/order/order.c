/* SPDX-License-Identifier: MIT
 *
 * order.c: clocks of streams, events and the host: see order.h.
 */
#include "order_inside.h"

#include <stdlib.h>
#include <string.h>

void order_short(struct order *o) {
    o->is_incomplete = true;
}

bool order_is_incomplete(const struct order *o) {
    return o->is_incomplete;
}

/* ---- clocks ---- */

static bool clock_reach(struct order *o, struct order_clock *c, uint32_t n) {
    if (n <= c->n) return true;
    uint64_t *at = realloc(c->at, n * sizeof *at);
    if (!at) {
        order_short(o);
        return false;
    }
    memset(at + c->n, 0, (n - c->n) * sizeof *at);
    c->at = at;
    c->n = n;
    return true;
}

static void clock_join(struct order *o, struct order_clock *to,
                       const struct order_clock *from) {
    if (!clock_reach(o, to, from->n)) return;
    for (uint32_t k = 0; k < from->n; k++)
        if (from->at[k] > to->at[k]) to->at[k] = from->at[k];
}

static void clock_forget(struct order_clock *c) {
    free(c->at);
    *c = (struct order_clock){0};
}

/* ---- streams ---- */

struct order *order_new(order_told *told, void *user) {
    struct order *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->told = told;
    o->user = user;
    o->streams = calloc(ORDER_STREAMS, sizeof *o->streams);
    if (!o->streams) {
        free(o);
        return NULL;
    }
    order_stream(o, ORDER_LEGACY, ORDER_IS_LEGACY, 0, 0);
    return o;
}

void order_free(struct order *o) {
    if (!o) return;
    order_pages_free(o);
    for (uint32_t k = 0; k < o->n_streams; k++)
        clock_forget(&o->streams[k].clock);
    for (uint64_t k = 0; k < o->n_events; k++) clock_forget(&o->events[k]);
    clock_forget(&o->host);
    clock_forget(&o->at_launch);
    free(o->streams);
    free(o->stream_of);
    free(o->events);
    free(o->shared);
    free(o);
}

/* One that is gone, and of whose operations the new one knows all; or a new
 * one. Its operations go on being counted. NULL: too many. */
static struct order_stream *place_for_stream(struct order *o,
                                             const struct order_clock *known) {
    for (uint32_t k = 0; k < o->n_streams; k++)
        if (!o->streams[k].is_used &&
            order_clock_at(known, k) >= o->streams[k].seq)
            return &o->streams[k];
    if (o->n_streams < ORDER_STREAMS) return &o->streams[o->n_streams++];
    order_short(o);
    return NULL;
}

enum { IDS_MAX = 1 << 24 };

/* Room for numbers that grow. */
static void *order_reach(struct order *o, void *items, uint64_t *n, uint64_t id,
                         size_t bytes) {
    uint64_t more = id + 1 + id / 2;
    if (id < *n) return items;
    char *grown = id < IDS_MAX ? realloc(items, more * bytes) : NULL;
    if (!grown) {
        order_short(o);
        return items;
    }
    memset(grown + *n * bytes, 0, (more - *n) * bytes);
    *n = more;
    return grown;
}

static struct order_stream *find_stream(struct order *o, uint64_t id) {
    uint32_t at = id < o->n_ids ? o->stream_of[id] : 0;
    return at ? &o->streams[at - 1] : NULL;
}

void order_stream(struct order *o, uint64_t id, enum order_kind kind,
                  uint64_t label, unsigned gpu) {
    if (!id || find_stream(o, id) || gpu >= VGPU_MOST_GPUS) return;
    o->stream_of =
        order_reach(o, o->stream_of, &o->n_ids, id, sizeof *o->stream_of);
    struct order_stream *s =
        id < o->n_ids ? place_for_stream(o, &o->host) : NULL;
    if (!s) return;
    s->id = id;
    s->label = label;
    s->is_used = true;
    s->is_blocking = kind != ORDER_NON_BLOCKING;
    s->is_legacy = kind == ORDER_IS_LEGACY;
    s->gpu = gpu;
    if (s->is_legacy) o->legacy[gpu] = (uint32_t)(s - o->streams) + 1;
    o->stream_of[id] = (uint32_t)(s - o->streams) + 1;
}

void order_stream_gone(struct order *o, uint64_t id) {
    struct order_stream *s = find_stream(o, id);
    if (!s || s->is_legacy) return;
    s->is_used = false;
    o->stream_of[id] = 0;
}

/* What comes before what the host puts into the stream now: what the host and
 * the stream know; the legacy stream waits for all blocking ones, and they for
 * it (CUDA, "Stream synchronization behavior"). */
static void knows_before(struct order *o, struct order_stream *s) {
    uint32_t legacy = o->legacy[s->gpu];
    clock_join(o, &s->clock, &o->host);
    if (o->host_function) clock_join(o, &s->clock, &o->host_function->clock);
    if (!s->is_blocking) return;
    if (!s->is_legacy && legacy)
        clock_join(o, &s->clock, &o->streams[legacy - 1].clock);
    for (uint32_t k = 1; s->is_legacy && k < o->n_streams; k++)
        if (o->streams[k].is_blocking && o->streams[k].gpu == s->gpu)
            clock_join(o, &s->clock, &o->streams[k].clock);
}

static struct order_op *begin_in(struct order *o, struct order_stream *s) {
    struct order_op *op = calloc(1, sizeof *op);
    uint32_t number = (uint32_t)(s - o->streams);
    if (!op || !clock_reach(o, &s->clock, number + 1)) {
        free(op);
        order_short(o);
        return NULL;
    }
    s->clock.at[number] = ++s->seq;
    op->stream = number;
    op->seq = s->seq;
    op->label = s->label;
    op->gpu = s->gpu;
    op->references = 1;
    clock_join(o, &op->clock, &s->clock);
    return op;
}

struct order_op *order_begin(struct order *o, uint64_t stream) {
    struct order_stream *s = find_stream(o, stream);
    if (!s) return NULL;
    knows_before(o, s);
    return begin_in(o, s);
}

void order_drop(struct order *o, struct order_op *op) {
    (void)o;
    if (!op || --op->references) return;
    clock_forget(&op->clock);
    free(op);
}

/* ---- graphs: each node has a stream of its own, for the launch ---- */

void order_graph(struct order *o, uint64_t stream) {
    struct order_stream *s = find_stream(o, stream);
    clock_forget(&o->at_launch);
    o->graph_stream = 0;
    if (!s) return;
    knows_before(o, s);
    clock_join(o, &o->at_launch, &s->clock);
    o->graph_stream = (uint32_t)(s - o->streams);
}

struct order_op *order_node(struct order *o, struct order_op *const *before,
                            size_t n) {
    struct order_stream *of = &o->streams[o->graph_stream];
    struct order_clock known = {0};
    clock_join(o, &known, &o->at_launch);
    for (size_t k = 0; k < n; k++)
        if (before[k]) clock_join(o, &known, &before[k]->clock);
    struct order_stream *s = place_for_stream(o, &known);
    if (!s) {
        clock_forget(&known);
        return NULL;
    }
    clock_forget(&s->clock);
    s->clock = known;
    s->is_blocking = s->is_legacy = false;
    s->gpu = of->gpu;
    s->id = 0;
    s->label = of->label;
    struct order_op *op = begin_in(o, s);
    if (op) clock_join(o, &of->clock, &op->clock);
    return op;
}

void order_graph_ends(struct order *o) {
    clock_forget(&o->at_launch);
}

/* ---- events ---- */

void order_record(struct order *o, uint64_t event, uint64_t stream) {
    struct order_stream *s = find_stream(o, stream);
    o->events =
        order_reach(o, o->events, &o->n_events, event, sizeof *o->events);
    if (!s || event >= o->n_events) return;
    knows_before(o, s);
    clock_forget(&o->events[event]);
    clock_join(o, &o->events[event], &s->clock);
}

void order_wait(struct order *o, uint64_t stream, uint64_t event) {
    struct order_stream *s = find_stream(o, stream);
    if (!s) return;
    knows_before(o, s);
    if (event < o->n_events) clock_join(o, &s->clock, &o->events[event]);
}

/* ---- the host ---- */

void order_host_stream(struct order *o, uint64_t stream) {
    struct order_stream *s = find_stream(o, stream);
    if (!s) return;
    knows_before(o, s);
    clock_join(o, &o->host, &s->clock);
}

void order_host_event(struct order *o, uint64_t event) {
    if (event < o->n_events) clock_join(o, &o->host, &o->events[event]);
}

void order_host_op(struct order *o, const struct order_op *op) {
    if (op) clock_join(o, &o->host, &op->clock);
}

void order_host_all(struct order *o, unsigned gpu) {
    for (uint32_t k = 0; k < o->n_streams; k++)
        if (o->streams[k].gpu == gpu && clock_reach(o, &o->host, k + 1))
            o->host.at[k] = o->streams[k].seq;
}

void order_host_is(struct order *o, const struct order_op *op) {
    o->host_function = op;
}

struct order_op *order_query(struct order *o, uint64_t stream, uint64_t event) {
    struct order_op *op = calloc(1, sizeof *op);
    struct order_stream *s = find_stream(o, stream);
    if (!op) return NULL;
    op->references = 1;
    if (!event && s) {
        knows_before(o, s);
        clock_join(o, &op->clock, &s->clock);
    } else if (event && event < o->n_events) {
        clock_join(o, &op->clock, &o->events[event]);
    }
    return op;
}

struct order_op *order_query_all(struct order *o, unsigned gpu) {
    struct order_op *op = calloc(1, sizeof *op);
    if (!op) return NULL;
    op->references = 1;
    for (uint32_t k = 0; k < o->n_streams; k++)
        if (o->streams[k].gpu == gpu && clock_reach(o, &op->clock, k + 1))
            op->clock.at[k] = o->streams[k].seq;
    return op;
}

bool order_is_after(const struct order_op *op, const struct order_op *other) {
    return order_knows(&op->clock, other);
}

void order_keep(struct order *o, bool keeps) {
    o->keeps = keeps;
}

bool order_host_knows(const struct order *o, const struct order_op *op) {
    return order_knows(&o->host, op) ||
           (o->host_function && order_knows(&o->host_function->clock, op));
}
