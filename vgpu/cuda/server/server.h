/* SPDX-License-Identifier: MIT
 *
 * server.h: what the files of the server share. A session is one program's
 * channel: its input buffer, and what the program made on the device and must
 * lose when it ends.
 */
#pragma once

#include "device_hooks.h"
#include "order.h"
#include "protocol.h"
#include "vgpu.h"

enum { /* of cudaError_t */
       CUDA_INVALID_VALUE = 1,
       CUDA_OUT_OF_MEMORY = 2,
       CUDA_INVALID_HANDLE = 400,
       CUDA_NOT_READY = 600,
       CUDA_OUT_OF_RESOURCES = 701
};

enum {
    SERVER_IMAGES_MAX = 4096,
    SERVER_KERNELS_MAX = 65536,
    SERVER_ALLOCATIONS_MAX = 1 << 18,
    SERVER_REPORTS_MAX = 64, /* findings a client may cause by MISUSE */
    SERVER_IN_BYTES = 2 * VGPU_CHUNK, /* holds the largest request */
};
_Static_assert(SERVER_IN_BYTES >= VGPU_CHUNK +
                                      (int)sizeof(union vgpu_any_request) +
                                      (int)sizeof(struct vgpu_header),
               "the largest request fits the input buffer");

/* A set of addresses: open addressing, 0 is an empty slot, 1 a removed one. */
struct server_set {
    uint64_t *slots;
    size_t n_slots, n_used, n_items; /* used: items and removed ones */
};
bool server_set_add(struct server_set *, uint64_t address); /* false: memory */
bool server_set_remove(struct server_set *, uint64_t address);
void server_set_clear(struct server_set *);

struct server_image {
    unsigned char *bytes; /* kept while the module lives */
    uint64_t expected, used, capacity;
    vgpu_module *module; /* NULL: not loaded */
    unsigned gpu;        /* that loaded it */
    bool is_gone;
};

struct server_kernel {
    vgpu_kernel *kernel; /* NULL: its image was unloaded */
    uint32_t image;
};

/* ordercheck (server_order.c). */
struct server_order {
    struct order *order;     /* NULL: it is off */
    struct order_op *now;    /* that requests belong to; NULL: none */
    struct order_op **nodes; /* of the graph that is being launched */
    size_t n_nodes, nodes_capacity;
    uint64_t *told; /* keys of conflicts */
    size_t n_told, told_capacity;
    bool has_told_incomplete;
    bool is_checked; /* else only the clocks are needed (server_queue.c) */
};

/* Operations that wait to be done (server_queue.c). */
struct server_queued;
struct server_queue {
    vgpu_async async;
    uint64_t random;
    struct server_queued *first, **end; /* as they were asked for */
    uint64_t bytes;
    size_t n;
    bool is_running; /* one of them is being done */
    /* Of a machine with several GPUs, whose launches run at the same time: it
     * is one; what is wanted waits for what nobody has asked for yet; nobody
     * will (requests.def, NOBODY). */
    bool has_gpus, is_stuck, nobody_comes;
    uint64_t steps; /* launches begun and ended */
};

/* Model time on a machine with several GPUs (server_clock.c): when what has
 * been done ends, and the events that have been recorded. */
struct server_clock {
    struct server_end {
        struct order_op *op;
        uint64_t ps;
        uint64_t event, at; /* of an event: its number, when it was asked for;
                               op: what comes before it */
    } * ends, *events;
    size_t n_ends, ends_room, n_events, events_room;
};

/* A launch whose request is under way, while its kernel may wait for the host.
 */
struct server_answer {
    const struct vgpu_header *header; /* NULL: none */
    struct server_call *call;
    bool is_sent, has_asked;
};

struct vgpu_session {
    vgpu_device *device;
    int fd;
    uint32_t client_fd; /* what the client calls its end; 0: not said */
    bool is_broken;     /* the protocol was violated */
    bool several;       /* vgpu_session_serves_several */
    bool was_short;     /* a call was answered with "out of memory", and not
                       because of vgpu_fail_call */
    int64_t write_deadline_ns;
    int64_t asked_ns; /* when the caller was asked whether time is over */
    int sticky_error; /* cudaError_t of the fault that ended the context */
    unsigned n_reports;
    /* Whether the client has to send its callers: for findings after this
     * number, or for a call that was refused, failed, ... */
    size_t n_findings_before;
    size_t n_findings_then; /* as there were before the program's last call */
    bool was_refused, was_part, was_failed, was_launched, was_copied,
        has_told_null;
    uint64_t was_allocated; /* an address that is named by its line; or 0 */
    uint64_t was_freed;     /* likewise */
    struct server_image *images;
    size_t n_images, images_capacity;
    uint64_t image_bytes; /* held by all images */
    struct server_kernel *kernels;
    size_t n_kernels, kernels_capacity;
    struct server_set allocations;
    struct server_order order;
    struct server_queue queue;
    struct server_clock clock;
    struct server_answer answer;
    size_t in_used;
    _Alignas(16) unsigned char in[SERVER_IN_BYTES];
    _Alignas(16) unsigned char out[VGPU_CHUNK]; /* a reply's tail */
};

/* One request on its way through a handler. */
struct server_call {
    union vgpu_any_request request;
    const unsigned char *tail;
    size_t tail_bytes;
    union vgpu_any_reply reply; /* zero when the handler begins */
    size_t reply_tail_bytes;    /* of session->out */
};

/* Each returns a cudaError_t. A PROTOCOL violation sets is_broken. */
#define X(name, request, more, reply, more_reply, flags, text)                 \
    int server_##name(struct vgpu_session *, struct server_call *);
#include "requests.def"
#undef X

/* NULL: no kernel has this number, or its image was unloaded. */
vgpu_kernel *server_kernel(const struct vgpu_session *, uint32_t id);
/* The channel is no longer usable; why becomes part of the finding. */
void server_violation(struct vgpu_session *, const char *why);
/* A status as the program sees it. */
int server_error(vgpu_status);
/* Reports unless the device itself has reported since there were n_before. */
void server_report_new(struct vgpu_session *, size_t n_before,
                       vgpu_finding_kind, const struct vgpu_message *);
size_t server_n_findings(const struct vgpu_session *);
/* Has something been found, since there were n_before findings, whose line is
 * not known yet? */
bool server_wants_callers(const struct vgpu_session *, size_t n_before);
/* ordercheck: it begins and ends with the session; the operation under way uses
 * the device's memory; the launch that has just been made does; memory is new,
 * or goes. A kind is a vgpu_memory_kind. */
void server_order_begin(struct vgpu_session *);
void server_order_end(struct vgpu_session *);
void server_order_uses(struct vgpu_session *, uint64_t from, uint64_t bytes,
                       unsigned how);
void server_order_launched(struct vgpu_session *);
/* It had its answer before it was done. */
void server_order_ran_on(struct vgpu_session *);
void server_order_new(struct vgpu_session *, uint64_t from, uint64_t bytes,
                      unsigned kind);
void server_order_goes(struct vgpu_session *, uint64_t from, bool of_stream);
/* Operations that are done later: the request of the one under way is kept for
 * that (false: it is to be served now, and what comes before it has been done);
 * what the host now knows is done; what comes before the operation under way;
 * a part of what may be; all. */
void server_queue_begin(struct vgpu_session *);
bool server_queue_takes(struct vgpu_session *, uint32_t request,
                        const struct server_call *);
void server_queue_for_host(struct vgpu_session *);
/* With several GPUs, before that: false: what comes before the operation, or
 * itself, cannot be done yet (queue.is_stuck). */
bool server_queue_host_waits(struct vgpu_session *, struct order_op *);
void server_queue_before_now(struct vgpu_session *);
void server_queue_some(struct vgpu_session *);
/* False: nothing that comes before it waits; NULL: likewise. */
bool server_queue_one_before(struct vgpu_session *, struct order_op *);
void server_queue_all(struct vgpu_session *);
/* Several GPUs (server_gpus.c): does one operation that can be done, or goes on
 * with launches until one is over. False: nobody can go on. */
bool server_gpus_step(struct vgpu_session *);
/* For server_gpus.c: nothing in the queue comes before it; takes it out, does
 * it; takes it out, it is done, and has found what is behind n_findings. */
bool server_queue_is_next(const struct server_queue *,
                          const struct server_queued *);
void server_queue_run(struct vgpu_session *, struct server_queued *);
void server_queue_done(struct vgpu_session *, struct server_queued *,
                       size_t n_findings);
struct queued_request {
    struct queued_request *next;
    uint32_t request;
    unsigned gpu;
    struct server_call call;
    unsigned char tail[];
};
struct server_queued {
    struct order_op *op;
    struct queued_request *first, **end;
    bool flies;         /* its launch is under way */
    uint64_t may_begin; /* model time: it was asked for, and what comes before
                           it has ended */
    struct server_queued *next;
};
/* Model time (server_clock.c): this request of the operation, which will be
 * done later, has been asked for; the operation begins, and has ended in the
 * queue of this GPU; the host will wait for all before op; an event is
 * recorded, a stream waits for one; its time. */
void server_clock_asked(struct vgpu_session *, struct server_queued *,
                        uint32_t request, const struct server_call *);
void server_clock_begins(struct vgpu_session *, const struct server_queued *);
void server_clock_ended(struct vgpu_session *, const struct server_queued *,
                        unsigned gpu);
void server_clock_awaits(struct vgpu_session *, const struct order_op *);
void server_clock_records(struct vgpu_session *, uint64_t event,
                          uint64_t stream);
void server_clock_event_waits(struct vgpu_session *);
uint64_t server_clock_event_time(struct vgpu_session *, uint64_t event);
void server_clock_end(struct vgpu_session *);
/* A launch that ends with this status. */
int server_launched(struct vgpu_session *, vgpu_status, size_t n_findings);
/* One request, whatever its kind. A cudaError_t. */
int server_do(struct vgpu_session *, uint32_t request, struct server_call *);
/* Unloads every module and frees what the program allocated; of one GPU. */
void server_release_all(struct vgpu_session *);
void server_release_gpu(struct vgpu_session *, unsigned gpu);
void server_unload_gpu(struct vgpu_session *, unsigned gpu);
