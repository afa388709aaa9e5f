/* SPDX-License-Identifier: MIT
 *
 * server_gpus.c: a machine with several GPUs: operations are kept until
 * somebody waits for them (server_queue.c), and then launches of different GPUs
 * run at the same time.
 *
 * A program gets the same bytes in each run, as long as its host threads ask
 * for the same in the same order. Copies, fills and frees are done as soon as
 * what comes before them is done; of each GPU one launch is under way.
 */
#include "server.h"

#include <string.h>

int server_PEER(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_PEER *r = &call->request.PEER;
    vgpu_device *d = session->device;
    if (r->peer >= vgpu_n_gpus(d)) {
        server_violation(session, "no such GPU");
        return CUDA_INVALID_VALUE;
    }
    vgpu_reach(d, vgpu_gpu(d), r->peer, r->may != 0);
    return 0;
}

static bool is_launch(const struct server_queued *k) {
    return k->first && k->first->request == VGPU_REQUEST_LAUNCH;
}

static vgpu_status take_off(struct vgpu_session *session,
                            struct server_queued *of) {
    const struct server_call *call = &of->first->call;
    const struct vgpu_request_LAUNCH *r = &call->request.LAUNCH;
    vgpu_kernel *kernel = server_kernel(session, r->kernel);
    if (kernel) vgpu_set_cluster(session->device, r->cluster);
    return kernel
               ? vgpu_flight_begin(session->device, kernel, r->grid, r->block,
                                   (size_t)r->dynamic_smem_bytes, call->tail,
                                   call->tail_bytes, r->is_cooperative != 0)
               : VGPU_INVALID_HANDLE;
}

static void server_gpus_start(struct vgpu_session *session,
                              struct server_queued *of) {
    size_t n_findings = server_n_findings(session);
    unsigned gpu = vgpu_gpu(session->device);
    vgpu_set_gpu(session->device, of->first->gpu);
    server_clock_begins(session, of);
    vgpu_status s =
        session->sticky_error ? VGPU_LAUNCH_FAILURE : take_off(session, of);
    vgpu_set_gpu(session->device, gpu);
    of->flies = s == VGPU_OK;
    of->op->began = ++session->queue.steps;
    if (!of->flies) server_queue_done(session, of, n_findings);
}

static void land(struct vgpu_session *session, unsigned gpu) {
    struct server_queued *of = session->queue.first;
    struct order_op *now = session->order.now;
    while (of && !(of->flies && of->first->gpu == gpu)) of = of->next;
    size_t n_findings = server_n_findings(session);
    vgpu_flight_launched_from(session->device, gpu, of->op->callers,
                              VGPU_CALLERS);
    vgpu_status s = vgpu_flight_end(session->device, gpu);
    of->op->ended = ++session->queue.steps;
    server_clock_ended(session, of, gpu);
    session->order.now = of->op;
    server_launched(session, s, n_findings);
    session->order.now = now;
    server_queue_done(session, of, n_findings);
}

/* The first operation that can be done; NULL: there is none. Of each stream
 * only its first one is looked at. */
static struct server_queued *
first_that_can(const struct vgpu_session *session) {
    const struct server_queue *q = &session->queue;
    bool waits[ORDER_STREAMS] = {false};
    for (struct server_queued *k = q->first; k; k = k->next) {
        if (waits[k->op->stream]) continue;
        waits[k->op->stream] = true;
        if (k->flies ||
            (is_launch(k) && vgpu_flies(session->device, k->first->gpu)))
            continue;
        if (server_queue_is_next(q, k)) return k;
    }
    return NULL;
}

bool server_gpus_step(struct vgpu_session *session) {
    struct server_queued *k = first_that_can(session);
    if (k && is_launch(k)) {
        server_gpus_start(session, k);
        return true;
    }
    if (k) {
        server_queue_run(session, k);
        return true;
    }
    int gpu = vgpu_flights_run(session->device, session->queue.nobody_comes);
    if (gpu < 0) return false;
    land(session, (unsigned)gpu);
    return true;
}
