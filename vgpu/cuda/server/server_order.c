/* SPDX-License-Identifier: MIT
 *
 * server_order.c: ordercheck: what the client says about streams, events and
 * waits goes to order.h, with what the requests of an operation use; what is
 * not ordered becomes a finding.
 */
#include "server.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static void say_operation(const struct vgpu_session *session,
                          const struct order_op *op, struct vgpu_message *to) {
    struct vgpu_message stream, of_gpu;
    const char *call = vgpu_call_name(op->call);
    if (op->label == VGPU_STREAM_LEGACY)
        VGPU_SAY_PLAIN(&stream, STREAM_DEFAULT);
    else if (op->label == VGPU_STREAM_OF_THREAD)
        VGPU_SAY_PLAIN(&stream, STREAM_OF_THREAD);
    else
        VGPU_SAY(&stream, STREAM_NUMBER,
                 .number = op->label - VGPU_STREAM_OF_THREAD);
    if (session->queue.has_gpus) {
        VGPU_SAY(&of_gpu, STREAM_OF_GPU, .stream = &stream, .gpu = op->gpu);
        stream = of_gpu;
    }
    if (op->kernel)
        VGPU_SAY(to, OPERATION_KERNEL, .kernel = op->kernel, .stream = &stream);
    else
        VGPU_SAY(to, OPERATION, .call = call, .stream = &stream);
}

static void say_byte(const struct vgpu_session *session, uint64_t address,
                     struct vgpu_message *to) {
    struct vgpu_allocation a;
    struct vgpu_message array;
    if (!vgpu_allocation_at(session->device, address, &a)) {
        uint64_t from = address, bytes = 0;
        order_shared_at(session->order.order, address, &from, &bytes);
        VGPU_SAY(to, HOST_BYTE, .byte = address - from, .size = bytes);
        return;
    }
    if (a.name)
        VGPU_SAY(&array, ARRAY, .name = a.name);
    else
        VGPU_SAY(&array, UNNAMED_ARRAY, .address = a.address);
    VGPU_SAY(to, BYTE, .byte = address - a.address, .array = &array,
             .size = a.bytes);
}

static uint64_t does(const struct order_use *use) {
    switch (use->op->call) {
    case VGPU_CALL_cudaMallocAsync:
    case VGPU_CALL_cudaMallocFromPoolAsync: return VGPU_OP_ALLOCATES;
    case VGPU_CALL_cudaFreeAsync: return VGPU_OP_FREES;
    default: break;
    }
    return use->how & (VGPU_USE_WRITE | VGPU_USE_STRONG_WRITE) ? VGPU_OP_WRITES
                                                               : VGPU_OP_READS;
}

/* ---- findings ---- */

/* Has a conflict of these two places been told? */
static bool is_told(struct server_order *o, uint64_t now, uint64_t before) {
    uint64_t key = now * 0x9E3779B97F4A7C15ull ^ before;
    for (size_t k = 0; k < o->n_told; k++)
        if (o->told[k] == key) return true;
    if (o->n_told == o->told_capacity) {
        size_t n = o->told_capacity ? 2 * o->told_capacity : 64;
        void *grown = realloc(o->told, n * sizeof *o->told);
        if (!grown) return false;
        o->told = grown;
        o->told_capacity = n;
    }
    o->told[o->n_told++] = key;
    return false;
}

/* A number for the place of a use: its line, or the call. */
static uint64_t place_key(const struct order_use *use) {
    return use->where.line
               ? (uint64_t)(uintptr_t)use->op->kernel << 20 ^ use->where.line
               : use->op->callers[0] << 1 | 1;
}

static void set_before(struct vgpu_finding *f, const struct order_use *before) {
    f->has_before = true;
    f->other_where = before->where;
    f->other_wrote = does(before) != VGPU_OP_READS;
    if (!before->where.line)
        memcpy(f->other_callers, before->op->callers, sizeof f->other_callers);
}

/* Launches of two GPUs that ran at the same time may order each other by flags:
 * that is for racecheck. */
static bool ran_beside(const struct order_op *now,
                       const struct order_op *before) {
    return now->gpu != before->gpu && before->ended &&
           now->began < before->ended;
}

/* Of the graph that is being launched. */
static bool is_node(const struct server_order *o, const struct order_op *op) {
    for (size_t k = 0; k < o->n_nodes; k++)
        if (o->nodes[k] == op) return true;
    return false;
}

static void on_conflict(void *user, const struct order_conflict *c) {
    struct vgpu_session *session = user;
    struct vgpu_message now, before, where;
    struct vgpu_finding f = {.kind = VGPU_FINDING_STREAM_RACE,
                             .kernel = c->now->op->kernel,
                             .where = c->now->where,
                             .address = c->address,
                             .writes = does(c->now) != VGPU_OP_READS};
    if (ran_beside(c->now->op, c->before->op) ||
        is_told(&session->order, place_key(c->now), place_key(c->before)))
        return;
    if (!f.where.line) memcpy(f.callers, c->now->op->callers, sizeof f.callers);
    set_before(&f, c->before);
    say_operation(session, c->now->op, &now);
    say_operation(session, c->before->op, &before);
    say_byte(session, c->address, &where);
    if (is_node(&session->order, c->now->op) &&
        is_node(&session->order, c->before->op))
        VGPU_SAY(&f.message, NODE_RACE, .now = &now, .does = does(c->now),
                 .where = &where, .before = &before, .did = does(c->before));
    else
        VGPU_SAY(&f.message, STREAM_RACE, .now = &now, .does = does(c->now),
                 .where = &where, .before = &before, .did = does(c->before));
    vgpu_report_order(session->device, &f);
}

static void order_host_used(struct vgpu_session *session,
                            const struct vgpu_request_ORDER *r) {
    struct vgpu_message before, where;
    const struct order_use *use = order_use_at(session->order.order, r->object,
                                               (uint32_t)r->stream, r->bytes);
    if (!use || use->op->is_told || r->how > 2) return;
    struct vgpu_finding f = {.kind = VGPU_FINDING_HOST_RACE,
                             .address = r->object,
                             .writes = r->how == 1};
    use->op->is_told = true;
    if (is_told(&session->order, r->at[0], place_key(use))) return;
    memcpy(f.callers, r->at, sizeof f.callers);
    set_before(&f, use);
    say_operation(session, use->op, &before);
    say_byte(session, r->object, &where);
    VGPU_SAY(&f.message, HOST_RACE, .did = r->how, .where = &where,
             .before = &before, .does = does(use));
    vgpu_report_order(session->device, &f);
}

static void order_host_frees(struct vgpu_session *session,
                             const struct vgpu_request_ORDER *r) {
    struct vgpu_message before, where;
    uint64_t address = 0;
    struct order *o = session->order.order;
    const struct order_use *use =
        order_in_use(o, r->object, r->bytes, &address);
    const char *call = vgpu_call_name(r->call);
    if (use && call && !is_told(&session->order, r->at[0], place_key(use))) {
        struct vgpu_finding f = {.kind = VGPU_FINDING_EARLY_FREE,
                                 .address = address};
        memcpy(f.callers, r->at, sizeof f.callers);
        set_before(&f, use);
        say_operation(session, use->op, &before);
        say_byte(session, address, &where);
        VGPU_SAY(&f.message, EARLY_FREE, .call = call, .where = &where,
                 .before = &before, .does = does(use));
        vgpu_report_order(session->device, &f);
    }
    order_forget(o, r->object, r->bytes);
    order_unshare(o, r->object);
}

static void order_host_overrun(struct vgpu_session *session,
                               const struct vgpu_request_ORDER *r) {
    struct vgpu_finding f = {.kind = VGPU_FINDING_HOST_MISUSE};
    bool reads = r->how == VGPU_USE_READ;
    if (is_told(&session->order, r->at[0], ~(uint64_t)r->how)) return;
    memcpy(f.callers, r->at, sizeof f.callers);
    VGPU_SAY(&f.message, HOST_OVERRUN, .call = vgpu_call_name(r->call),
             .does = reads ? VGPU_OP_READS : VGPU_OP_WRITES, .bytes = r->bytes,
             .byte = r->object, .size = r->stream);
    vgpu_report_order(session->device, &f);
}

static void tell_incomplete(struct vgpu_session *session) {
    struct server_order *o = &session->order;
    if (o->has_told_incomplete || !order_is_incomplete(o->order)) return;
    o->has_told_incomplete = true;
    vgpu_order_incomplete(session->device,
                          "memory was short, or more than 4096 streams and "
                          "nodes of graphs were under way at a time",
                          "let the host wait for the device now and then");
}

/* ---- what requests do ---- */

void server_order_begin(struct vgpu_session *session) {
    uint64_t seed;
    session->order.is_checked =
        vgpu_is_checked(session->device, VGPU_CHECK_ORDERCHECK);
    if (session->order.is_checked || vgpu_async_of(session->device, &seed) ||
        vgpu_n_gpus(session->device) > 1)
        session->order.order = order_new(on_conflict, session);
}

static void drop_nodes(struct server_order *o) {
    for (size_t k = 0; k < o->n_nodes; k++) order_drop(o->order, o->nodes[k]);
    o->n_nodes = 0;
}

static void end_op(struct server_order *o) {
    order_host_is(o->order, NULL);
    order_drop(o->order, o->now);
    o->now = NULL;
}

void server_order_end(struct vgpu_session *session) {
    struct server_order *o = &session->order;
    if (!o->order) return;
    server_clock_end(session);
    end_op(o);
    drop_nodes(o);
    order_free(o->order);
    free(o->nodes);
    free(o->told);
    *o = (struct server_order){0};
}

void server_order_uses(struct vgpu_session *session, uint64_t from,
                       uint64_t bytes, unsigned how) {
    struct server_order *o = &session->order;
    const struct order_use use = {.op = o->now, .how = how};
    if (o->now && bytes && o->is_checked)
        order_uses(o->order, &use, from, bytes);
}

void server_order_launched(struct vgpu_session *session) {
    struct server_order *o = &session->order;
    struct vgpu_used u;
    if (!o->now || !o->is_checked) return;
    o->now->kernel = vgpu_last_kernel(session->device);
    for (size_t k = 0; vgpu_last_used(session->device, k, &u); k++) {
        const struct order_use use = {o->now, u.how, u.where};
        order_uses_page(o->order, &use, u.page, u.bits);
    }
    if (vgpu_last_used_is_cut(session->device))
        vgpu_order_incomplete(session->device,
                              "memory was short for what a launch used",
                              "make the launch smaller");
}

void server_order_ran_on(struct vgpu_session *session) {
    if (session->order.now) end_op(&session->order);
}

void server_order_new(struct vgpu_session *session, uint64_t from,
                      uint64_t bytes, unsigned kind) {
    struct server_order *o = &session->order;
    if (!o->order) return;
    if (kind != VGPU_MEMORY_DEVICE) order_share(o->order, from, bytes);
    server_order_uses(session, from, bytes, VGPU_USE_WRITE);
}

void server_order_goes(struct vgpu_session *session, uint64_t from,
                       bool of_stream) {
    struct server_order *o = &session->order;
    struct vgpu_allocation a;
    if (!o->order || !vgpu_allocation_at(session->device, from, &a)) return;
    if (of_stream)
        server_order_uses(session, from, a.bytes, VGPU_USE_WRITE);
    else
        order_forget(o->order, from, a.bytes);
    order_unshare(o->order, from);
}

/* ---- ORDER ---- */

typedef void order_does(struct vgpu_session *,
                        const struct vgpu_request_ORDER *);

/* False: what the host waits for waits itself, for what nobody has asked for
 * yet. */
static bool waits_for(struct vgpu_session *session, struct order_op *what) {
    bool done = server_queue_host_waits(session, what);
    if (done) server_clock_awaits(session, what);
    order_drop(session->order.order, what);
    return done;
}

#define ORDER_DOES(name, ...)                                                  \
    static void order_##name(                                                  \
        __attribute__((unused)) struct vgpu_session *session,                  \
        __attribute__((unused)) const struct vgpu_request_ORDER *r) {          \
        __attribute__((unused)) struct server_order *o = &session->order;      \
        __VA_ARGS__;                                                           \
    }

ORDER_DOES(opens_stream,
           order_stream(o->order, r->stream,
                        r->how < 2 ? (enum order_kind)r->how : ORDER_IS_LEGACY,
                        r->object, r->gpu))
ORDER_DOES(loses_stream, order_stream_gone(o->order, r->stream))
ORDER_DOES(
    ends,
    if (r->how && server_queue_host_waits(session, o->now)) {
        order_host_op(o->order, o->now);
        server_queue_for_host(session);
    } session->queue.is_stuck = false;
    end_op(o))
ORDER_DOES(records, order_record(o->order, r->object, r->stream);
           server_clock_records(session, r->object, r->stream))
ORDER_DOES(waits, order_wait(o->order, r->stream, r->object);
           server_clock_event_waits(session))
ORDER_DOES(host_waits_stream,
           if (!waits_for(session, order_query(o->order, r->stream, 0))) return;
           order_host_stream(o->order, r->stream);
           server_queue_for_host(session))
ORDER_DOES(host_waits_event,
           if (!waits_for(session, order_query(o->order, 0, r->object))) return;
           order_host_event(o->order, r->object);
           server_queue_for_host(session))
ORDER_DOES(host_waits_all, unsigned gpu = vgpu_gpu(session->device);
           if (!waits_for(session, order_query_all(o->order, gpu))) return;
           order_host_all(o->order, gpu); server_queue_for_host(session))
ORDER_DOES(shares, order_share(o->order, r->object, r->bytes))
ORDER_DOES(unshares, order_unshare(o->order, r->object))
ORDER_DOES(calls_function, if (r->how) server_queue_before_now(session);
           order_host_is(o->order, r->how ? o->now : NULL))
ORDER_DOES(runs, server_queue_before_now(session))
ORDER_DOES(graph_begins, drop_nodes(o);
           order_wait(o->order, r->stream, r->object);
           order_graph(o->order, r->stream))
ORDER_DOES(graph_is_over, drop_nodes(o); order_graph_ends(o->order);
           order_record(o->order, r->object, r->stream))

static void name_op(struct order_op *op, const struct vgpu_request_ORDER *r) {
    if (!op) return;
    op->call = r->call;
    memcpy(op->callers, r->at, sizeof op->callers);
}

static void order_begins(struct vgpu_session *session,
                         const struct vgpu_request_ORDER *r) {
    struct server_order *o = &session->order;
    end_op(o);
    o->now = order_begin(o->order, r->stream);
    name_op(o->now, r);
}

static void order_uses_host(struct vgpu_session *session,
                            const struct vgpu_request_ORDER *r) {
    server_order_uses(session, r->object, r->bytes,
                      r->how & (VGPU_USE_READ | VGPU_USE_WRITE));
}

static order_does *const doing[VGPU_N_ORDERS] = {
    [VGPU_ORDER_STREAM] = order_opens_stream,
    [VGPU_ORDER_STREAM_GONE] = order_loses_stream,
    [VGPU_ORDER_BEGIN] = order_begins,
    [VGPU_ORDER_USE] = order_uses_host,
    [VGPU_ORDER_END] = order_ends,
    [VGPU_ORDER_RECORD] = order_records,
    [VGPU_ORDER_WAIT] = order_waits,
    [VGPU_ORDER_HOST_STREAM] = order_host_waits_stream,
    [VGPU_ORDER_HOST_EVENT] = order_host_waits_event,
    [VGPU_ORDER_HOST_ALL] = order_host_waits_all,
    [VGPU_ORDER_HOST_USE] = order_host_used,
    [VGPU_ORDER_OVERRUN] = order_host_overrun,
    [VGPU_ORDER_FREE] = order_host_frees,
    [VGPU_ORDER_SHARE] = order_shares,
    [VGPU_ORDER_UNSHARE] = order_unshares,
    [VGPU_ORDER_FUNCTION] = order_calls_function,
    [VGPU_ORDER_RUN] = order_runs,
    [VGPU_ORDER_GRAPH] = order_graph_begins,
    [VGPU_ORDER_GRAPH_ENDS] = order_graph_is_over};

/* A node of the graph under way: the tail has the numbers of those before it.
 */
static void order_node_begins(struct vgpu_session *session,
                              const struct server_call *call) {
    struct server_order *o = &session->order;
    size_t n = call->tail_bytes / sizeof(uint32_t);
    struct order_op **before = calloc(n + 1, sizeof(void *));
    if (o->n_nodes == o->nodes_capacity) {
        size_t more = o->nodes_capacity ? 2 * o->nodes_capacity : 16;
        void *grown = realloc(o->nodes, more * sizeof *o->nodes);
        if (grown) o->nodes = grown, o->nodes_capacity = more;
    }
    end_op(o);
    for (size_t k = 0; before && k < n; k++) {
        uint32_t at;
        memcpy(&at, call->tail + k * sizeof at, sizeof at);
        before[k] = at < o->n_nodes ? o->nodes[at] : NULL;
    }
    if (before) o->now = order_node(o->order, before, n);
    name_op(o->now, &call->request.ORDER);
    if (o->n_nodes < o->nodes_capacity) {
        if (o->now) o->now->references++;
        o->nodes[o->n_nodes++] = o->now;
    }
    free(before);
}

int server_ORDER(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_ORDER *r = &call->request.ORDER;
    enum { MOST_BITS = 34 };
    bool is_range = r->what == VGPU_ORDER_USE || r->what == VGPU_ORDER_FREE ||
                    r->what == VGPU_ORDER_SHARE;
    if (!session->order.order || r->what >= VGPU_N_ORDERS ||
        !vgpu_call_name(r->call) ||
        (is_range && (r->bytes >> MOST_BITS || r->object >> 48))) {
        server_violation(session, "an order that nobody asked for");
        return CUDA_INVALID_VALUE;
    }
    if (r->what == VGPU_ORDER_NODE)
        order_node_begins(session, call);
    else
        doing[r->what](session, r);
    tell_incomplete(session);
    return 0;
}

/* ---- WATCH ---- */

struct watched_list {
    struct vgpu_watched *to;
    size_t n, most;
};

static void add_watched(void *user, const struct order_flight *f) {
    struct watched_list *list = user;
    const struct order_op *op = f->use->op;
    if (list->n < list->most)
        list->to[list->n++] = (struct vgpu_watched){f->from, f->to, op->seq,
                                                    op->stream, f->use->how};
}

int server_QUERY(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_QUERY *r = &call->request.QUERY;
    struct server_order *o = &session->order;
    call->reply.QUERY.is_ready = true;
    if (!o->order) return 0;
    struct order_op *asked = order_query(o->order, r->stream, r->event);
    call->reply.QUERY.is_ready = !server_queue_one_before(session, asked);
    order_drop(o->order, asked);
    if (!call->reply.QUERY.is_ready) return 0;
    if (r->event)
        order_host_event(o->order, r->event);
    else
        order_host_stream(o->order, r->stream);
    return 0;
}

int server_WATCH(struct vgpu_session *session, struct server_call *call) {
    struct watched_list list = {.to =
                                    (struct vgpu_watched *)(void *)session->out,
                                .most = sizeof session->out / sizeof *list.to};
    server_queue_some(session);
    if (session->order.order)
        order_each_flight(session->order.order, add_watched, &list);
    call->reply.WATCH.n = list.n;
    call->reply_tail_bytes = list.n * sizeof *list.to;
    return 0;
}
