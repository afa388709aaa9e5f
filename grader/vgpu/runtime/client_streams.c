/* SPDX-License-Identifier: MIT
 *
 * client_streams.c: streams and events. All work is done when its call comes
 * back, so a stream is only a handle that can be wrong, and an event a time.
 * cudaEventElapsedTime is host time between the records, of the interpreter:
 * it says nothing about a GPU's time. What a stream captures is kept in
 * client_graphs.c.
 */
#include "client.h"

#include <stdlib.h>
#include <time.h>

enum { STREAM_NON_BLOCKING = 1, EVENT_NO_TIMING = 2, EVENT_FLAGS = 7 };

struct stream {
    unsigned flags;
    int priority;
    unsigned long long id;
    struct client_graph *capture; /* NULL: it does not capture */
    struct stream *next;
};

struct event {
    unsigned flags;
    bool is_recorded;
    struct client_graph *capture; /* last recorded in a capturing stream */
    struct timespec at;
    struct event *next;
};

/* Guarded by the client's lock. */
static struct stream *streams;
static struct event *events;
static unsigned long long last_stream_id = 2;

/* The three streams that need no creating. */
static bool is_default(const void *stream) {
    return (uintptr_t)stream <= 2; /* none, legacy, per thread */
}

static struct stream **find_stream(const void *handle) {
    struct stream **s = &streams;
    while (*s && *s != handle) s = &(*s)->next;
    return s;
}

static struct event **find_event(const void *handle) {
    struct event **e = &events;
    while (*e && *e != handle) e = &(*e)->next;
    return e;
}

bool client_stream_is_valid(const void *stream) {
    return is_default(stream) || *find_stream(stream);
}

struct client_graph **client_stream_capture(const void *stream) {
    struct stream *s = is_default(stream) ? NULL : *find_stream(stream);
    return s ? &s->capture : NULL;
}

struct client_graph *client_capturing(const void *stream) {
    struct client_graph **at = client_stream_capture(stream);
    return at ? *at : NULL;
}

/* Other streams that joined by an event leave with it. */
void client_streams_end_capture(const struct client_graph *graph) {
    for (struct stream *s = streams; s; s = s->next)
        if (s->capture == graph) s->capture = NULL;
    for (struct event *e = events; e; e = e->next)
        if (e->capture == graph) e->capture = NULL;
}

static int sync_device(void) {
    struct vgpu_request_SYNC none = {0};
    return client_ask(VGPU_REQUEST_SYNC, &none, NULL);
}

/* ---- streams ---- */

static int create_stream(void **handle, unsigned flags, int priority) {
    int error = client_connect();
    if (error) return error;
    if (!handle || flags > STREAM_NON_BLOCKING) return cudaErrorInvalidValue;
    struct stream *s = malloc(sizeof *s);
    if (!s) return cudaErrorMemoryAllocation;
    *s = (struct stream){flags, priority, ++last_stream_id, NULL, streams};
    streams = s;
    *handle = s;
    return cudaSuccess;
}

CUDA_API int cudaStreamCreate(void **stream) {
    client_lock();
    return client_end(create_stream(stream, 0, 0));
}

CUDA_API int cudaStreamCreateWithFlags(void **stream, unsigned flags) {
    client_lock();
    return client_end(create_stream(stream, flags, 0));
}

CUDA_API int cudaStreamCreateWithPriority(void **stream, unsigned flags,
                                          int priority) {
    client_lock();
    return client_end(create_stream(stream, flags, priority));
}

CUDA_API int cudaStreamDestroy(void *handle) {
    client_lock();
    struct stream **s = find_stream(handle), *gone = *s;
    if (!gone) return client_end(cudaErrorInvalidResourceHandle);
    *s = gone->next;
    free(gone);
    return client_end(cudaSuccess);
}

/* Locks, checks the handle; every stream call begins like this. */
static int begin(const void *stream) {
    client_lock();
    int error = client_connect();
    if (error) return error;
    return client_stream_is_valid(stream) ? cudaSuccess
                                          : (int)cudaErrorInvalidResourceHandle;
}

CUDA_API int cudaStreamSynchronize(void *stream) {
    int error = begin(stream);
    if (!error && client_capturing(stream))
        error = cudaErrorStreamCaptureUnsupported;
    return client_end(error ? error : sync_device());
}
CUDA_ALSO(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

CUDA_API int cudaStreamQuery(void *stream) {
    return cudaStreamSynchronize(stream);
}
CUDA_ALSO(cudaStreamQuery_ptsz, cudaStreamQuery);

CUDA_API int cudaStreamGetFlags(void *stream, unsigned *flags) {
    int error = begin(stream);
    if (!error)
        *flags = is_default(stream) ? 0 : ((struct stream *)stream)->flags;
    return client_end(error);
}
CUDA_ALSO(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

CUDA_API int cudaStreamGetPriority(void *stream, int *priority) {
    int error = begin(stream);
    if (!error)
        *priority =
            is_default(stream) ? 0 : ((struct stream *)stream)->priority;
    return client_end(error);
}
CUDA_ALSO(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

CUDA_API int cudaStreamGetId(void *stream, unsigned long long *id) {
    int error = begin(stream);
    if (!error)
        *id = is_default(stream) ? (unsigned long long)(uintptr_t)stream
                                 : ((struct stream *)stream)->id;
    return client_end(error);
}
CUDA_ALSO(cudaStreamGetId_ptsz, cudaStreamGetId);

CUDA_API int cudaStreamGetDevice(void *stream, int *device) {
    int error = begin(stream);
    if (!error) *device = 0;
    return client_end(error);
}
CUDA_ALSO(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

CUDA_API int cudaThreadExchangeStreamCaptureMode(UNUSED int *mode) {
    return cudaSuccess;
}

/* Everything before it is done, so a host function runs at once; unlocked,
 * because it may not call CUDA but may take locks of its own. */
CUDA_API int cudaLaunchHostFunc(void *stream, void (*function)(void *),
                                void *user) {
    const struct client_op op = {
        .kind = CLIENT_OP_HOST, .function = function, .user = user};
    int error = begin(stream);
    if (!error && function && client_capturing(stream))
        return client_end(client_do(&op, stream));
    if (!error) error = function ? sync_device() : (int)cudaErrorInvalidValue;
    error = client_end(error);
    if (!error && function) function(user);
    return error;
}
CUDA_ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

CUDA_API int cudaStreamAddCallback(void *stream,
                                   void (*function)(void *, int, void *),
                                   void *user, UNUSED unsigned flags) {
    int error = begin(stream);
    if (!error && client_capturing(stream))
        error = cudaErrorStreamCaptureUnsupported;
    if (!error) error = function ? sync_device() : (int)cudaErrorInvalidValue;
    error = client_end(error);
    if (!error && function) function(stream, cudaSuccess, user);
    return error;
}
CUDA_ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

/* ---- events ---- */

static int create_event(void **handle, unsigned flags) {
    int error = client_connect();
    if (error) return error;
    if (!handle || flags > EVENT_FLAGS) return cudaErrorInvalidValue;
    struct event *e = calloc(1, sizeof *e);
    if (!e) return cudaErrorMemoryAllocation;
    e->flags = flags;
    e->next = events;
    events = e;
    *handle = e;
    return cudaSuccess;
}

CUDA_API int cudaEventCreate(void **event) {
    client_lock();
    return client_end(create_event(event, 0));
}

CUDA_API int cudaEventCreateWithFlags(void **event, unsigned flags) {
    client_lock();
    return client_end(create_event(event, flags));
}

CUDA_API int cudaEventDestroy(void *handle) {
    client_lock();
    struct event **e = find_event(handle), *gone = *e;
    if (!gone) return client_end(cudaErrorInvalidResourceHandle);
    *e = gone->next;
    free(gone);
    return client_end(cudaSuccess);
}

CUDA_API int cudaEventRecord(void *handle, void *stream) {
    int error = begin(stream);
    struct event *e = *find_event(handle);
    if (!error && !e) error = cudaErrorInvalidResourceHandle;
    if (!error) {
        clock_gettime(CLOCK_MONOTONIC, &e->at);
        e->capture = client_capturing(stream);
        e->is_recorded = !e->capture;
    }
    return client_end(error);
}
CUDA_ALSO(cudaEventRecord_ptsz, cudaEventRecord);

CUDA_API int cudaEventRecordWithFlags(void *handle, void *stream,
                                      UNUSED unsigned flags) {
    return cudaEventRecord(handle, stream);
}
CUDA_ALSO(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

CUDA_API int cudaEventSynchronize(void *handle) {
    client_lock();
    const struct event *e = *find_event(handle);
    return client_end(!e           ? (int)cudaErrorInvalidResourceHandle
                      : e->capture ? (int)cudaErrorCapturedEvent
                                   : sync_device());
}

CUDA_API int cudaEventQuery(void *handle) {
    return cudaEventSynchronize(handle);
}

CUDA_API int cudaStreamWaitEvent(void *stream, void *handle,
                                 UNUSED unsigned flags) {
    int error = begin(stream);
    const struct event *e = *find_event(handle);
    struct client_graph **capture = client_stream_capture(stream);
    if (!error && !e) error = cudaErrorInvalidResourceHandle;
    if (!error && e->capture && !capture)
        error = cudaErrorStreamCaptureImplicit;
    if (!error && e->capture && *capture && *capture != e->capture)
        error = cudaErrorStreamCaptureMerge;
    /* To wait for a captured event is to join its capture. */
    if (!error && e->capture) *capture = e->capture;
    return client_end(error);
}
CUDA_ALSO(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

CUDA_API int cudaEventElapsedTime(float *ms, void *start, void *end) {
    client_lock();
    struct event *from = *find_event(start), *to = *find_event(end);
    if (!ms) return client_end(cudaErrorInvalidValue);
    if (!from || !to || !from->is_recorded || !to->is_recorded ||
        ((from->flags | to->flags) & EVENT_NO_TIMING))
        return client_end(cudaErrorInvalidResourceHandle);
    *ms = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                  (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return client_end(cudaSuccess);
}
