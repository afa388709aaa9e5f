/* SPDX-License-Identifier: MIT
 *
 * server_clock.c: model time on a machine with several GPUs. A call takes the
 * host's time when it is made; its operation is done later, in the order of the
 * simulation, but begins, in model time, when it was asked for and what comes
 * before it has ended (order.h). The queue of its GPU is the clock's own.
 */
#include "server.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 4096 };

static bool has_clock(const struct vgpu_session *session) {
    return session->queue.has_gpus && session->order.order &&
           vgpu_has_clock(session->device);
}

static uint64_t asks(struct vgpu_session *session, enum vgpu_asks what) {
    return vgpu_clock_asks(session->device, what);
}

/* Room for one more; false: there is none. */
static bool end_fits(struct server_end **list, size_t *room, size_t n) {
    if (n < *room) return true;
    size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*list, more * sizeof **list);
    if (!grown) return false;
    *list = grown;
    *room = more;
    return true;
}

/* When an operation of the GPU may begin that waits for this end. */
static uint64_t end_on(const struct vgpu_session *session,
                       const struct server_end *e, unsigned gpu) {
    bool hops = e->op->gpu != gpu;
    return e->ps + (hops ? vgpu_clock_event_hops(session->device) : 0);
}

/* When all before the operation has ended, as far as it has been done, where
 * that is later than `time`. */
static uint64_t ends_before(const struct vgpu_session *session,
                            const struct order_op *op, uint64_t time) {
    const struct server_clock *c = &session->clock;
    for (size_t k = 0; k < c->n_ends; k++) {
        if (!order_is_after(op, c->ends[k].op)) continue;
        uint64_t end = end_on(session, &c->ends[k], op->gpu);
        if (end > time) time = end;
    }
    return time;
}

static enum vgpu_asks copy_kind(const struct vgpu_session *session,
                                const struct vgpu_request_COPY *r) {
    struct vgpu_allocation to, from;
    bool known = vgpu_allocation_at(session->device, r->to, &to) &&
                 vgpu_allocation_at(session->device, r->from, &from);
    return known && to.gpu != from.gpu ? VGPU_ASKS_COPY_PEER : VGPU_ASKS_COPY;
}

void server_clock_asked(struct vgpu_session *session, struct server_queued *of,
                        uint32_t request, const struct server_call *call) {
    enum vgpu_asks what = VGPU_ASKS_NOTHING;
    if (!has_clock(session)) return;
    if (request == VGPU_REQUEST_LAUNCH) what = VGPU_ASKS_LAUNCH;
    if (request == VGPU_REQUEST_FILL) what = VGPU_ASKS_FILL;
    if (request == VGPU_REQUEST_COPY)
        what = copy_kind(session, &call->request.COPY);
    uint64_t time = asks(session, what);
    if (time < of->may_begin) time = of->may_begin;
    /* A command that may begin at 0 was not asked for. */
    of->may_begin = ends_before(session, of->op, time ? time : 1);
}

void server_clock_begins(struct vgpu_session *session,
                         const struct server_queued *of) {
    if (has_clock(session))
        vgpu_clock_may_begin(session->device, of->may_begin);
}

/* What ended before the host's now delays nobody. */
static void forget_ends(struct vgpu_session *session, uint64_t now) {
    struct server_clock *c = &session->clock;
    uint64_t hops = vgpu_clock_event_hops(session->device);
    size_t left = 0;
    for (size_t k = 0; k < c->n_ends; k++)
        if (c->ends[k].ps + hops > now)
            c->ends[left++] = c->ends[k];
        else
            order_drop(session->order.order, c->ends[k].op);
    c->n_ends = left;
}

void server_clock_ended(struct vgpu_session *session,
                        const struct server_queued *of, unsigned gpu) {
    struct server_clock *c = &session->clock;
    if (!has_clock(session)) return;
    const struct server_end end = {.op = of->op,
                                   .ps = vgpu_clock_ends(session->device, gpu)};
    vgpu_clock_may_begin(session->device, 0);
    for (struct server_queued *k = session->queue.first; k; k = k->next) {
        uint64_t ps = end_on(session, &end, k->op->gpu);
        if (k != of && k->may_begin < ps && order_is_after(k->op, of->op))
            k->may_begin = ps;
    }
    for (size_t k = 0; k < c->n_events; k++) {
        uint64_t ps = end_on(session, &end, c->events[k].op->gpu);
        if (c->events[k].ps < ps && order_is_after(c->events[k].op, of->op))
            c->events[k].ps = ps;
    }
    forget_ends(session, asks(session, VGPU_ASKS_NOTHING));
    if (!end_fits(&c->ends, &c->ends_room, c->n_ends)) return;
    of->op->references++;
    c->ends[c->n_ends++] = end;
}

void server_clock_awaits(struct vgpu_session *session,
                         const struct order_op *op) {
    const struct server_clock *c = &session->clock;
    uint64_t time = 0;
    if (!has_clock(session) || !op) return;
    for (size_t k = 0; k < c->n_ends; k++)
        if (c->ends[k].ps > time && order_is_after(op, c->ends[k].op))
            time = c->ends[k].ps;
    vgpu_clock_awaits(session->device, time);
}

/* ---- events ---- */

static struct server_end *event_of(struct server_clock *c, uint64_t event) {
    for (size_t k = 0; k < c->n_events; k++)
        if (c->events[k].event == event) return &c->events[k];
    return NULL;
}

void server_clock_records(struct vgpu_session *session, uint64_t event,
                          uint64_t stream) {
    struct server_clock *c = &session->clock;
    if (!has_clock(session)) return;
    struct server_end *e = event_of(c, event);
    struct order_op *op = order_query(session->order.order, stream, 0);
    if (!op) return;
    op->gpu = vgpu_gpu(session->device);
    if (!e && c->n_events < MOST_EVENTS &&
        end_fits(&c->events, &c->events_room, c->n_events))
        e = &c->events[c->n_events++], e->op = NULL;
    if (!e) {
        order_drop(session->order.order, op);
        return;
    }
    if (e->op) order_drop(session->order.order, e->op);
    uint64_t now = asks(session, VGPU_ASKS_NOTHING);
    *e = (struct server_end){
        .op = op, .ps = ends_before(session, op, 0), .event = event, .at = now};
}

void server_clock_event_waits(struct vgpu_session *session) {
    if (has_clock(session)) asks(session, VGPU_ASKS_EVENT_WAIT);
}

uint64_t server_clock_event_time(struct vgpu_session *session, uint64_t event) {
    const struct server_end *e = event_of(&session->clock, event);
    if (!e) return 0;
    uint64_t ps = e->ps ? e->ps + vgpu_clock_event_takes(session->device) : 0;
    return ps > e->at ? ps : e->at;
}

void server_clock_end(struct vgpu_session *session) {
    struct server_clock *c = &session->clock;
    for (size_t k = 0; k < c->n_ends; k++)
        order_drop(session->order.order, c->ends[k].op);
    for (size_t k = 0; k < c->n_events; k++)
        order_drop(session->order.order, c->events[k].op);
    free(c->ends);
    free(c->events);
    *c = (struct server_clock){0};
}
