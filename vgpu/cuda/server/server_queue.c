/* SPDX-License-Identifier: MIT
 *
 * server_queue.c: operations of streams that are done late, or at random times
 * (vgpu --async). What the clocks of order.h say comes before an operation is
 * done before it; nothing else is.
 *
 * A program gets the same bytes in each run with the same options: operations
 * are done only while it waits for an answer.
 */
#include "server.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LOOKED_AT = 64 };
#define MOST_BYTES (256ull << 20)

void server_queue_begin(struct vgpu_session *session) {
    struct server_queue *q = &session->queue;
    uint64_t seed;
    q->async = vgpu_async_of(session->device, &seed);
    q->random = seed * 2 + 1;
    q->end = &q->first;
    q->has_gpus = vgpu_n_gpus(session->device) > 1;
}

static uint64_t random_of(struct server_queue *q) {
    q->random ^= q->random << 13;
    q->random ^= q->random >> 7;
    q->random ^= q->random << 17;
    return q->random >> 11;
}

/* ---- to keep ---- */

static bool can_wait(const struct vgpu_session *session, uint32_t request,
                     const struct server_call *call) {
    const struct vgpu_request_LAUNCH *l = &call->request.LAUNCH;
    vgpu_kernel *kernel;
    struct vgpu_allocation a;
    uint64_t at = 0;
    switch (request) {
    case VGPU_REQUEST_LAUNCH:
        kernel = server_kernel(session, l->kernel);
        vgpu_set_cluster(session->device, l->cluster);
        return kernel && vgpu_may_launch(session->device, kernel, l->grid,
                                         l->block, l->dynamic_smem_bytes);
    case VGPU_REQUEST_WRITE: at = call->request.WRITE.to; break;
    case VGPU_REQUEST_COPY: at = call->request.COPY.to; break;
    case VGPU_REQUEST_FILL: at = call->request.FILL.to; break;
    case VGPU_REQUEST_FREE:
        at = call->request.FREE.of_stream ? call->request.FREE.address : 0;
        break;
    default: return false;
    }
    return vgpu_allocation_at(session->device, at, &a);
}

/* The last one of the queue, where it is this operation; else a new one. */
static struct server_queued *place_in(struct server_queue *q,
                                      struct order_op *op) {
    for (struct server_queued *k = q->first; k; k = k->next)
        if (k->op == op) return k;
    struct server_queued *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->op = op;
    k->end = &k->first;
    op->references++;
    q->n++;
    *q->end = k;
    q->end = &k->next;
    return k;
}

/* A long queue takes long to look through. */
static void shorten(struct vgpu_session *session) {
    enum { LONG = 256 };
    struct server_queue *q = &session->queue;
    while (q->has_gpus && q->n > LONG && server_gpus_step(session)) {
    }
}

bool server_queue_takes(struct vgpu_session *session, uint32_t request,
                        const struct server_call *call) {
    struct server_queue *q = &session->queue;
    struct order_op *now = session->order.now;
    if ((q->async == VGPU_ASYNC_IN_ORDER && !q->has_gpus) || q->is_running ||
        !now || request == VGPU_REQUEST_ORDER || request == VGPU_REQUEST_WATCH)
        return false;
    shorten(session);
    bool takes = q->bytes + call->tail_bytes <= MOST_BYTES &&
                 can_wait(session, request, call);
    struct queued_request *r =
        takes ? malloc(sizeof *r + call->tail_bytes) : NULL;
    struct server_queued *to = r ? place_in(q, now) : NULL;
    if (!to) {
        free(r);
        if (request != VGPU_REQUEST_MALLOC) server_queue_before_now(session);
        return false;
    }
    *r = (struct queued_request){
        .request = request, .gpu = vgpu_gpu(session->device), .call = *call};
    if (call->tail_bytes) memcpy(r->tail, call->tail, call->tail_bytes);
    r->call.tail = r->tail;
    *to->end = r;
    to->end = &r->next;
    q->bytes += call->tail_bytes;
    order_keep(session->order.order, true);
    server_clock_asked(session, to, request, call);
    return true;
}

/* ---- to do ---- */

static void take_out(struct server_queue *q, struct server_queued *of) {
    struct server_queued **at = &q->first;
    while (*at != of) at = &(*at)->next;
    *at = of->next;
    if (!of->next) q->end = at;
    q->n--;
}

void server_queue_run(struct vgpu_session *session, struct server_queued *of) {
    struct server_queue *q = &session->queue;
    struct order_op *now = session->order.now;
    size_t n_findings = server_n_findings(session);
    unsigned gpu = vgpu_gpu(session->device), last = gpu;
    q->is_running = true;
    session->order.now = of->op;
    while (of->first) {
        struct queued_request *r = of->first;
        of->first = r->next;
        q->bytes -= r->call.tail_bytes;
        vgpu_set_gpu(session->device, r->gpu);
        server_clock_begins(session, of);
        if (!session->sticky_error) server_do(session, r->request, &r->call);
        last = r->gpu;
        free(r);
    }
    server_clock_ended(session, of, last);
    of->end = &of->first;
    vgpu_set_gpu(session->device, gpu);
    session->order.now = now;
    q->is_running = false;
    server_queue_done(session, of, n_findings);
}

void server_queue_done(struct vgpu_session *session, struct server_queued *of,
                       size_t n_findings) {
    struct server_queue *q = &session->queue;
    take_out(q, of);
    while (of->first) {
        struct queued_request *r = of->first;
        of->first = r->next;
        q->bytes -= r->call.tail_bytes;
        free(r);
    }
    vgpu_found_from(session->device, n_findings, of->op->callers);
    vgpu_library_launched_from(session->device, n_findings, of->op->callers,
                               VGPU_CALLERS);
    if (session->was_copied) vgpu_copied_from(session->device, of->op->callers);
    session->n_findings_before = server_n_findings(session);
    session->was_allocated = session->was_freed = 0;
    session->was_launched = session->was_part = session->was_refused = false;
    session->was_copied = false;
    order_drop(session->order.order, of->op);
    free(of);
    order_keep(session->order.order, q->first != NULL);
}

bool server_queue_is_next(const struct server_queue *q,
                          const struct server_queued *of) {
    for (const struct server_queued *k = q->first; k != of; k = k->next)
        if (order_is_after(of->op, k->op)) return false;
    return true;
}

typedef bool is_wanted(const struct vgpu_session *, const struct order_op *);

/* One that is wanted and can be done: when late, the last one; else, any. */
static struct server_queued *queue_choose(struct vgpu_session *session,
                                          is_wanted *wants) {
    struct server_queue *q = &session->queue;
    struct server_queued *can[MOST_LOOKED_AT];
    size_t n = 0;
    for (struct server_queued *k = q->first; k && n < MOST_LOOKED_AT;
         k = k->next)
        if (wants(session, k->op) && server_queue_is_next(q, k)) can[n++] = k;
    if (!n) return NULL;
    return q->async == VGPU_ASYNC_RANDOM ? can[random_of(q) % n] : can[n - 1];
}

/* With several GPUs what comes first is done first, launches at the same time;
 * whatever else can be done is done on the way. */
static bool any_wanted(const struct vgpu_session *session, is_wanted *wants) {
    for (const struct server_queued *k = session->queue.first; k; k = k->next)
        if (wants(session, k->op)) return true;
    return false;
}

static void run_wanted(struct vgpu_session *session, is_wanted *wants) {
    struct server_queued *k;
    struct server_queue *q = &session->queue;
    if (q->has_gpus && !q->is_running) {
        q->is_stuck = false;
        while (!q->is_stuck && any_wanted(session, wants))
            q->is_stuck = !server_gpus_step(session);
        return;
    }
    while (!session->queue.is_running && (k = queue_choose(session, wants)))
        server_queue_run(session, k);
}

static bool host_wants(const struct vgpu_session *session,
                       const struct order_op *op) {
    return order_host_knows(session->order.order, op);
}

static bool now_wants(const struct vgpu_session *session,
                      const struct order_op *op) {
    return order_is_after(session->order.now, op);
}

static bool all_want(const struct vgpu_session *session,
                     const struct order_op *op) {
    (void)session;
    (void)op;
    return true;
}

void server_queue_for_host(struct vgpu_session *session) {
    if (!session->queue.has_gpus) run_wanted(session, host_wants);
}

bool server_queue_host_waits(struct vgpu_session *session,
                             struct order_op *op) {
    struct order_op *now = session->order.now;
    if (!session->queue.has_gpus || !op) return true;
    session->order.now = op;
    run_wanted(session, now_wants);
    session->order.now = now;
    return !session->queue.is_stuck;
}

bool server_queue_one_before(struct vgpu_session *session,
                             struct order_op *op) {
    struct order_op *now = session->order.now;
    session->order.now = op;
    if (session->queue.has_gpus) {
        if (op) run_wanted(session, now_wants);
        session->order.now = now;
        bool waits = op && session->queue.is_stuck;
        session->queue.is_stuck = false;
        return waits;
    }
    struct server_queued *k = op ? queue_choose(session, now_wants) : NULL;
    session->order.now = now;
    if (k) server_queue_run(session, k);
    return k != NULL;
}

void server_queue_before_now(struct vgpu_session *session) {
    if (session->order.now) run_wanted(session, now_wants);
}

void server_queue_all(struct vgpu_session *session) {
    session->queue.nobody_comes = true;
    run_wanted(session, all_want);
}

static bool one_more(struct vgpu_session *session) {
    struct server_queued *k;
    if (session->queue.is_running) return false;
    if (session->queue.has_gpus) return server_gpus_step(session);
    k = queue_choose(session, all_want);
    if (k) server_queue_run(session, k);
    return k != NULL;
}

void server_queue_some(struct vgpu_session *session) {
    struct server_queue *q = &session->queue;
    while (q->async == VGPU_ASYNC_RANDOM && random_of(q) % 2 &&
           one_more(session)) {
    }
}
