/* SPDX-License-Identifier: MIT
 *
 * client_order.c: what orders the operations of a program (streams, events,
 * waits), told to the device where it asks for that (ordercheck). It knows
 * CUDA's rules of when a call waits; what follows from them is the device's
 * side's to find (cuda/order).
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "client.h"

#include <dlfcn.h>

/* Guarded by the client's lock: of the operation under way. */
static struct {
    bool met_host, met_pageable;
    struct client_order_kept kept; /* of several GPUs */
    vgpu_call call;
} operation;

bool client_order_is_on(void) {
    return client_device()->wants_order != 0;
}

bool client_is_async(void) {
    return client_device()->is_async != 0;
}

static void order_send(struct vgpu_request_ORDER *request, const void *tail,
                       size_t tail_bytes) {
    struct client_call call = {.request = VGPU_REQUEST_ORDER,
                               .fixed = request,
                               .tail = tail,
                               .tail_bytes = tail_bytes};
    client_send(&call);
}

/* What the host waits for at its next SYNC. */
static void order_waits(struct vgpu_request_ORDER *request) {
    operation.kept.waits = true;
    operation.kept.wait = *request;
    order_send(request, NULL, 0);
}

struct client_order_kept client_order_keep(void) {
    return operation.kept;
}

void client_order_again(const struct client_order_kept *kept) {
    if (kept->is_open) client_order_begin(kept->call, kept->stream);
    operation.kept = *kept;
    if (kept->waits) order_send(&operation.kept.wait, NULL, 0);
}

void client_order_say(vgpu_order what, const void *stream, uint64_t object) {
    if (!client_order_is_on()) return;
    struct vgpu_request_ORDER r = {.what = what,
                                   .stream = client_stream_number(stream),
                                   .object = object,
                                   .gpu = (uint32_t)client_stream_gpu(stream),
                                   .how = what == VGPU_ORDER_STREAM &&
                                          client_stream_is_blocking(stream)};
    if (what == VGPU_ORDER_HOST_STREAM || what == VGPU_ORDER_HOST_EVENT ||
        what == VGPU_ORDER_HOST_ALL)
        order_waits(&r);
    else
        order_send(&r, NULL, 0);
}

void client_order_legacy(uint64_t number) {
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_STREAM,
                                   .stream = number,
                                   .object = VGPU_STREAM_LEGACY,
                                   .gpu = (uint32_t)client_gpu(),
                                   .how = 2};
    if (client_order_is_on()) order_send(&r, NULL, 0);
}

void client_order_begin(vgpu_call call, const void *stream) {
    operation.met_host = operation.met_pageable = false;
    operation.call = call;
    operation.kept = (struct client_order_kept){
        .is_open = true, .call = call, .stream = stream};
    if (client_connect() || !client_order_is_on()) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_BEGIN,
                                   .call = call,
                                   .stream = client_stream_number(stream)};
    client_callers(r.at, VGPU_CALLERS_MAX);
    client_watch_open();
    order_send(&r, NULL, 0);
}

void client_order_node(vgpu_call call, uint64_t number, const uint32_t *before,
                       size_t n) {
    struct vgpu_request_ORDER r = {
        .what = VGPU_ORDER_NODE, .call = call, .object = number};
    operation.met_host = operation.met_pageable = false;
    operation.call = call;
    client_callers(r.at, VGPU_CALLERS_MAX);
    client_watch_open();
    order_send(&r, before, n * sizeof *before);
}

void client_order_end(bool is_waited) {
    if (!client_order_is_on() || client_took_launch_on()) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_END, .how = is_waited};
    operation.kept = (struct client_order_kept){0};
    order_send(&r, NULL, 0);
    client_watch_close();
}

void client_order_function(bool runs) {
    if (!client_order_is_on()) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_FUNCTION, .how = runs};
    if (runs && client_n_gpus() > 1) {
        order_waits(&r);
        client_sync();
        operation.kept.waits = false;
    } else {
        order_send(&r, NULL, 0);
    }
    client_watch_close();
}

int client_order_run(void) {
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_RUN};
    if (!client_is_async()) return cudaSuccess;
    order_waits(&r);
    int error = client_sync();
    operation.kept.waits = false;
    return error;
}

int client_order_query(const void *stream, uint64_t event) {
    struct vgpu_request_QUERY request = {.stream = client_stream_number(stream),
                                         .event = event};
    struct vgpu_reply_QUERY reply = {0};
    int error = client_ask(VGPU_REQUEST_QUERY, &request, &reply);
    client_watch_close();
    if (error) return error;
    return reply.is_ready ? client_sync() : (int)cudaErrorNotReady;
}

/* ---- copies ---- */

/* Of the host's memory: does it end where the program's buffer ends? Asked is
 * a library that ordercheck puts into the program (cuda/sizes). */
static void check_end(const void *pointer, size_t bytes, unsigned how) {
    static bool (*find)(const void *, uint64_t *, uint64_t *);
    static bool has_asked;
    uint64_t base, size;
    if (!has_asked) *(void **)&find = dlsym(RTLD_DEFAULT, "vgpu_sizes_find");
    has_asked = true;
    if (!find || !find(pointer, &base, &size)) return;
    uint64_t byte = (uint64_t)(uintptr_t)pointer - base;
    /* At the end of one block another may begin, of somebody else. */
    if (byte == size || bytes <= size - byte) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_OVERRUN,
                                   .call = operation.call,
                                   .stream = size,
                                   .object = byte,
                                   .bytes = bytes,
                                   .how = how};
    client_callers(r.at, VGPU_CALLERS_MAX);
    order_send(&r, NULL, 0);
}

static void one_side(const void *pointer, size_t bytes, unsigned how) {
    void *base;
    vgpu_memory_kind kind = client_mapped_kind(pointer);
    bool is_device = client_is_device(pointer);
    bool is_pinned = !is_device && client_host_find(pointer, &base);
    operation.met_host |= !is_device || kind == VGPU_MEMORY_MANAGED;
    operation.met_pageable |= !is_device && !is_pinned && how == VGPU_USE_WRITE;
    if (!client_is_device_address(pointer)) check_end(pointer, bytes, how);
    if (!is_pinned || !bytes) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_USE,
                                   .object = (uint64_t)(uintptr_t)pointer,
                                   .bytes = bytes,
                                   .how = how};
    order_send(&r, NULL, 0);
}

static bool is_of_host(const void *pointer) {
    return !client_is_device(pointer) &&
           client_mapped_kind(pointer) != VGPU_MEMORY_MANAGED;
}

void client_order_copies(void *to, const void *from, size_t bytes) {
    if (!client_order_is_on()) return;
    if (from) one_side(from, bytes, VGPU_USE_READ);
    one_side(to, bytes, VGPU_USE_WRITE);
    /* From the host's memory to the host's a call of CUDA waits, whatever its
     * name ("API synchronization behavior"). */
    operation.met_pageable |= from && is_of_host(from) && is_of_host(to);
}

bool client_order_met_host(void) {
    return operation.met_host;
}

bool client_order_met_pageable(void) {
    return operation.met_pageable;
}

/* ---- memory ---- */

void client_order_free(vgpu_call call, const void *base, size_t bytes) {
    if (!client_order_is_on()) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_FREE,
                                   .call = call,
                                   .object = (uint64_t)(uintptr_t)base,
                                   .bytes = bytes};
    client_callers(r.at, VGPU_CALLERS_MAX);
    order_send(&r, NULL, 0);
    client_watch_close();
}

/* Only whole pages can be watched. */
static uint64_t whole_pages(const void *base) {
    enum { PAGE = 4096 };
    return ((uint64_t)(uintptr_t)base + PAGE - 1) / PAGE * PAGE;
}

void client_order_share(const void *base, size_t bytes) {
    enum { PAGE = 4096 };
    if (client_connect() || !client_order_is_on()) return;
    uint64_t from = whole_pages(base);
    uint64_t to = ((uint64_t)(uintptr_t)base + bytes) / PAGE * PAGE;
    struct vgpu_request_ORDER r = {
        .what = VGPU_ORDER_SHARE, .object = from, .bytes = to - from};
    if (to > from) order_send(&r, NULL, 0);
}

void client_order_unshare(const void *base) {
    if (!client_order_is_on()) return;
    struct vgpu_request_ORDER r = {.what = VGPU_ORDER_UNSHARE,
                                   .object = whole_pages(base)};
    order_send(&r, NULL, 0);
    client_watch_close();
}
