/* SPDX-License-Identifier: MIT
 *
 * client_capture.c: streams that capture, and what may not be called
 * meanwhile. Such a call fails and takes the capture with it: its streams and
 * events can do nothing more until cudaStreamEndCapture, which then has no
 * graph to give (CUDA Programming Guide, "Prohibited and Unhandled Operations",
 * "Invalidation"; which call gives which error in a global capture was measured
 * on an H200, driver 580.159.04, 2026-11-22). What goes into a graph is in
 * client_graphs.c.
 */
#include "client.h"

#include <stdlib.h>

enum { GLOBAL, THREAD_LOCAL, RELAXED, MODES }; /* cudaStreamCaptureMode */
enum { NONE, ACTIVE, INVALIDATED };            /* cudaStreamCaptureStatus */

struct client_capture {
    struct client_graph *graph; /* NULL: invalidated */
    const void *origin;         /* the stream that began it */
    const void *thread;
    int mode;
    bool joins_legacy; /* the legacy stream would wait for it */
    unsigned long long id;
    struct client_capture *next;
};

/* Guarded by the client's lock: captures that have not ended. */
static struct client_capture *captures;

/* How the calling thread takes captures; its address names the thread. */
static _Thread_local int thread_mode = GLOBAL;

static bool is_legacy(const void *stream) {
    return (uintptr_t)stream <= 1; /* none, cudaStreamLegacy */
}

static struct client_capture *capture_of(const void *stream) {
    struct client_capture **at = client_stream_capture(stream);
    return at ? *at : NULL;
}

int client_capture_invalidate(struct client_capture *c, int error) {
    if (c->graph) client_graph_drop(c->graph);
    c->graph = NULL;
    return error;
}

/* ---- what may not be done ---- */

/* The legacy stream stands for all streams that do not say otherwise. */
static int use_legacy(void) {
    int error = cudaSuccess;
    for (struct client_capture *c = captures; c; c = c->next)
        if (c->joins_legacy)
            error =
                client_capture_invalidate(c, cudaErrorStreamCaptureImplicit);
    return error;
}

int client_stream_use(const void *stream, struct client_graph **into) {
    int error = client_connect();
    if (into) *into = NULL;
    if (error) return error;
    if (!client_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
    if (is_legacy(stream)) return use_legacy();
    struct client_capture *c = capture_of(stream);
    if (!c) return cudaSuccess;
    if (!into) /* the same for what is invalidated already */
        return client_capture_invalidate(c, cudaErrorStreamCaptureUnsupported);
    if (!c->graph) return cudaErrorStreamCaptureInvalidated;
    *into = c->graph;
    return cudaSuccess;
}

int client_synchronous(void) {
    return client_stream_use(NULL, NULL);
}

int client_whole_device(void) {
    int error = client_connect();
    for (struct client_capture *c = captures; c; c = c->next)
        error = client_capture_invalidate(c, cudaErrorStreamCaptureUnsupported);
    return error;
}

/* As cudaThreadExchangeStreamCaptureMode has it. */
static bool is_prohibited(const struct client_capture *c) {
    if (thread_mode == RELAXED) return false;
    if (c->thread == &thread_mode) return c->mode != RELAXED;
    return thread_mode == GLOBAL && c->mode == GLOBAL;
}

int client_unsafe(void) {
    int error = client_connect();
    for (struct client_capture *c = captures; c; c = c->next)
        if (is_prohibited(c))
            error =
                client_capture_invalidate(c, cudaErrorStreamCaptureUnsupported);
    return error;
}

/* ---- the calls ---- */

static int begin_capture(void *stream, int mode, bool joins_legacy) {
    int error = client_connect();
    if (error) return error;
    if (mode < 0 || mode >= MODES) return cudaErrorInvalidValue;
    struct client_capture **at = client_stream_capture(stream);
    if (!at) { /* a default stream does not capture */
        if (!client_stream_is_valid(stream))
            return cudaErrorInvalidResourceHandle;
        error = is_legacy(stream) ? use_legacy() : cudaSuccess;
        return error ? error : (int)cudaErrorStreamCaptureUnsupported;
    }
    if (*at) return cudaErrorIllegalState;
    struct client_capture *c = calloc(1, sizeof *c);
    if (!c) return cudaErrorMemoryAllocation;
    c->graph = client_graph_capture(&c->id);
    if (!c->graph) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    c->origin = stream;
    c->thread = &thread_mode;
    c->mode = mode;
    c->joins_legacy = joins_legacy;
    c->next = captures;
    captures = c;
    *at = c;
    return cudaSuccess;
}

CUDA_API int cudaStreamBeginCapture(void *stream, int mode) {
    client_lock();
    return client_end(
        begin_capture(stream, mode, client_stream_is_blocking(stream)));
}

/* From a program whose default stream is each thread's own: it has no calls on
 * the legacy stream, and its others have these functions' other names. */
CUDA_API int cudaStreamBeginCapture_ptsz(void *stream, int mode) {
    client_lock();
    return client_end(begin_capture(stream, mode, false));
}

static void forget(struct client_capture *gone) {
    struct client_capture **at = &captures;
    while (*at != gone) at = &(*at)->next;
    *at = gone->next;
    client_streams_end_capture(gone);
    free(gone);
}

CUDA_API int cudaStreamEndCapture(void *stream, void **graph) {
    int error = client_begin();
    struct client_capture *c = error ? NULL : capture_of(stream);
    if (!error && !client_stream_is_valid(stream))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !c) error = cudaErrorIllegalState;
    if (!error && !graph) error = cudaErrorInvalidValue;
    if (!error && c->origin != stream)
        error = client_capture_invalidate(c, cudaErrorStreamCaptureUnmatched);
    if (!error && c->mode != RELAXED && c->thread != &thread_mode)
        error = client_capture_invalidate(c, cudaErrorStreamCaptureWrongThread);
    if (error) return client_end(error);
    *graph = c->graph;
    if (c->graph)
        client_graph_keep(c->graph);
    else
        error = cudaErrorStreamCaptureInvalidated;
    forget(c);
    return client_end(error);
}
CUDA_ALSO(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

void client_capture_without(const void *stream) {
    struct client_capture *c = capture_of(stream);
    if (!c) return;
    client_capture_invalidate(c, 0);
    if (c->origin == stream) forget(c);
}

/* To ask is no use of the legacy stream, but has no answer. */
static int client_capture_ask(const void *stream, const int *status) {
    int error = client_connect();
    if (error) return error;
    if (!client_stream_is_valid(stream)) return cudaErrorInvalidResourceHandle;
    if (!status) return cudaErrorInvalidValue;
    for (const struct client_capture *c = captures; c; c = c->next)
        if (is_legacy(stream) && c->joins_legacy)
            return cudaErrorStreamCaptureImplicit;
    return cudaSuccess;
}

static int status_of(const struct client_capture *c) {
    return !c ? NONE : c->graph ? ACTIVE : INVALIDATED;
}

CUDA_API int cudaStreamIsCapturing(void *stream, int *status) {
    client_lock();
    int error = client_capture_ask(stream, status);
    if (!error) *status = status_of(capture_of(stream));
    return client_end(error);
}
CUDA_ALSO(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

CUDA_API int cudaStreamGetCaptureInfo(void *stream, int *status,
                                      unsigned long long *id, void **graph,
                                      UNUSED const void **dependencies,
                                      UNUSED const void **edges,
                                      size_t *n_dependencies) {
    client_lock();
    int error = client_capture_ask(stream, status);
    if (error) return client_end(error);
    const struct client_capture *c = capture_of(stream);
    *status = status_of(c);
    if (id) *id = c ? c->id : 0;
    if (graph) *graph = c ? c->graph : NULL;
    if (n_dependencies) *n_dependencies = 0;
    return client_end(cudaSuccess);
}
CUDA_ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);

CUDA_API int cudaThreadExchangeStreamCaptureMode(int *mode) {
    if (!mode || *mode < 0 || *mode >= MODES)
        return client_keep(cudaErrorInvalidValue);
    int before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ---- events ---- */

int client_capture_join(struct client_capture **stream_capture,
                        struct client_capture *events) {
    struct client_capture *own = stream_capture ? *stream_capture : NULL;
    if (!events->graph || (own && !own->graph))
        return cudaErrorStreamCaptureInvalidated;
    if (!stream_capture)
        return client_capture_invalidate(events,
                                         cudaErrorStreamCaptureImplicit);
    if (own && own != events) {
        client_capture_invalidate(own, 0);
        return client_capture_invalidate(events, cudaErrorStreamCaptureMerge);
    }
    *stream_capture = events;
    return cudaSuccess;
}
