/* SPDX-License-Identifier: MIT
 *
 * client_streams.c: streams and events. All work is done when its call comes
 * back, so a stream is only a handle that can be wrong, and an event a time.
 * cudaEventElapsedTime is model time where the device has a clock. Without one
 * it is host time between the records, of the interpreter, and says nothing
 * about a GPU's time. Stream capture is in client_capture.c.
 */
#include "client.h"

#include <stdlib.h>
#include <time.h>

enum {
    STREAM_NON_BLOCKING = 1,
    EVENT_NO_TIMING = 2,
    EVENT_FLAGS = 7,
    EVENT_WAIT_EXTERNAL = 1
};

struct stream {
    unsigned flags;
    int priority;
    unsigned long long id;
    struct client_capture *capture; /* NULL: it does not capture */
    int gpu;
    struct stream *next;
};

struct event {
    unsigned flags;
    uint64_t number; /* in ORDER requests */
    int gpu;
    bool is_recorded;
    struct client_capture *capture; /* last recorded in a capturing stream */
    struct timespec at;
    struct event *next;
};

/* Guarded by the client's lock. */
static struct stream *streams;
static struct event *events;
static unsigned long long last_stream_id = 2, last_event_number;
/* Numbers of threads' default streams come from the same row. */
static _Thread_local uint64_t thread_streams[VGPU_MOST_GPUS];
static uint64_t legacy_streams[VGPU_MOST_GPUS] = {1}; /* 0: not named yet */

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

bool client_stream_is_blocking(const void *stream) {
    const struct stream *s = is_default(stream) ? NULL : *find_stream(stream);
    return !s || !(s->flags & STREAM_NON_BLOCKING);
}

int client_stream_gpu(const void *stream) {
    return is_default(stream) ? client_gpu()
                              : ((const struct stream *)stream)->gpu;
}

static uint64_t legacy_stream(void) {
    uint64_t *number = &legacy_streams[client_gpu()];
    if (*number) return *number;
    *number = ++last_stream_id;
    client_order_legacy(*number);
    return *number;
}

uint64_t client_stream_number(const void *stream) {
    uint64_t *thread_stream = &thread_streams[client_gpu()];
    if ((uintptr_t)stream < CLIENT_STREAM_PER_THREAD) return legacy_stream();
    if ((uintptr_t)stream > CLIENT_STREAM_PER_THREAD)
        return ((const struct stream *)stream)->id;
    if (!*thread_stream) {
        *thread_stream = ++last_stream_id;
        client_order_say(VGPU_ORDER_STREAM, stream, VGPU_STREAM_OF_THREAD);
    }
    return *thread_stream;
}

struct client_capture **client_stream_capture(const void *stream) {
    struct stream *s = is_default(stream) ? NULL : *find_stream(stream);
    return s ? &s->capture : NULL;
}

/* Other streams that joined by an event leave with it. */
void client_streams_end_capture(const struct client_capture *capture) {
    for (struct stream *s = streams; s; s = s->next)
        if (s->capture == capture) s->capture = NULL;
    for (struct event *e = events; e; e = e->next)
        if (e->capture == capture) e->capture = NULL;
}

/* ---- streams ---- */

static int create_stream(void **handle, unsigned flags, int priority) {
    int error = client_connect();
    if (error) return error;
    if (!handle || flags > STREAM_NON_BLOCKING) return cudaErrorInvalidValue;
    struct stream *s = malloc(sizeof *s);
    if (!s) return cudaErrorMemoryAllocation;
    *s = (struct stream){flags, priority,     ++last_stream_id,
                         NULL,  client_gpu(), streams};
    streams = s;
    *handle = s;
    client_order_say(VGPU_ORDER_STREAM, s, VGPU_STREAM_OF_THREAD + s->id - 2);
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
    client_capture_without(handle);
    client_order_say(VGPU_ORDER_STREAM_GONE, gone, 0);
    *s = gone->next;
    free(gone);
    return client_end(cudaSuccess);
}

/* Locks, checks the handle; calls that ask about a stream begin like this. */
static int client_streams_begin(const void *stream) {
    int error = client_begin();
    if (error) return error;
    return client_stream_is_valid(stream) ? cudaSuccess
                                          : (int)cudaErrorInvalidResourceHandle;
}

/* Beside a capture it is unsafe whichever stream it is. */
CUDA_API int cudaStreamSynchronize(void *stream) {
    client_lock();
    int error = client_stream_use(stream, NULL);
    if (!error) error = client_unsafe();
    if (!error) client_order_say(VGPU_ORDER_HOST_STREAM, stream, 0);
    if (!error) error = client_sync();
    client_watch_close();
    return client_end(error);
}
CUDA_API int cudaStreamSynchronize_ptsz(void *stream) {
    return cudaStreamSynchronize(client_of_thread(stream));
}

CUDA_API int cudaStreamQuery(void *stream) {
    if (!client_is_async()) return cudaStreamSynchronize(stream);
    client_lock();
    int error = client_stream_use(stream, NULL);
    if (!error) error = client_unsafe();
    return client_end(error ? error : client_order_query(stream, 0));
}
CUDA_API int cudaStreamQuery_ptsz(void *stream) {
    return cudaStreamQuery(client_of_thread(stream));
}

/* What is asked of a stream; s: NULL for one that needed no creating. */
#define ASKED(name, type, value)                                               \
    CUDA_API int name(void *stream, type *to) {                                \
        int error = client_streams_begin(stream);                              \
        UNUSED const struct stream *s = is_default(stream) ? NULL : stream;    \
        if (!error) *to = value;                                               \
        return client_end(error);                                              \
    }                                                                          \
    CUDA_ALSO(name##_ptsz, name)

ASKED(cudaStreamGetFlags, unsigned, s ? s->flags : 0);
ASKED(cudaStreamGetPriority, int, s ? s->priority : 0);
ASKED(cudaStreamGetId, unsigned long long, s ? s->id : (uintptr_t)stream);
ASKED(cudaStreamGetDevice, int, client_stream_gpu(stream));

/* Everything before it is done, so a host function runs at once; unlocked,
 * because it may not call CUDA but may take locks of its own. */
static void host_function_begins(vgpu_call call, const void *stream) {
    client_order_begin(call, stream);
    client_order_function(true);
    client_unlock();
}
static void host_function_ends(void) {
    client_lock();
    client_order_function(false);
    client_order_end(false);
    client_unlock();
}

CUDA_API int cudaLaunchHostFunc(void *stream, void (*function)(void *),
                                void *user) {
    const struct client_op op = {
        .kind = CLIENT_OP_HOST, .function = function, .user = user};
    struct client_graph *into;
    client_lock();
    int error = client_stream_use(stream, &into);
    if (function && into) return client_end(client_do(&op, stream));
    if (!error) error = function ? client_sync() : (int)cudaErrorInvalidValue;
    if (error || !function) return client_end(error);
    host_function_begins(VGPU_CALL_cudaLaunchHostFunc, stream);
    function(user);
    host_function_ends();
    return cudaSuccess;
}
CUDA_API int cudaLaunchHostFunc_ptsz(void *stream, void (*function)(void *),
                                     void *user) {
    return cudaLaunchHostFunc(client_of_thread(stream), function, user);
}

CUDA_API int cudaStreamAddCallback(void *stream,
                                   void (*function)(void *, int, void *),
                                   void *user, UNUSED unsigned flags) {
    client_lock();
    int error = client_stream_use(stream, NULL);
    if (!error) error = function ? client_sync() : (int)cudaErrorInvalidValue;
    if (error || !function) return client_end(error);
    host_function_begins(VGPU_CALL_cudaStreamAddCallback, stream);
    function(stream, cudaSuccess, user);
    host_function_ends();
    return cudaSuccess;
}
CUDA_API int cudaStreamAddCallback_ptsz(void *stream,
                                        void (*function)(void *, int, void *),
                                        void *user, unsigned flags) {
    return cudaStreamAddCallback(client_of_thread(stream), function, user,
                                 flags);
}

/* ---- events ---- */

uint64_t client_event_number(void) {
    return ++last_event_number;
}

static int create_event(void **handle, unsigned flags) {
    int error = client_connect();
    if (error) return error;
    if (!handle || flags > EVENT_FLAGS) return cudaErrorInvalidValue;
    struct event *e = calloc(1, sizeof *e);
    if (!e) return cudaErrorMemoryAllocation;
    e->flags = flags;
    e->number = client_event_number();
    e->gpu = client_gpu();
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

/* Of a machine with several GPUs the time is known when it is asked for: what
 * comes before the event may not have been done. */
static int ask_time(struct event *e, uint64_t number) {
    struct vgpu_request_EVENT request = {.event = number};
    struct vgpu_reply_EVENT reply = {0};
    int error = client_ask(VGPU_REQUEST_EVENT, &request, &reply);
    uint64_t ns = reply.ps / 1000;
    e->at.tv_sec = (time_t)(ns / 1000000000);
    e->at.tv_nsec = (long)(ns % 1000000000);
    return error;
}

static int read_time(struct event *e) {
    if (client_device()->has_clock)
        return client_n_gpus() > 1 ? (int)cudaSuccess : ask_time(e, 0);
    return clock_gettime(CLOCK_MONOTONIC, &e->at) ? (int)cudaErrorUnknown
                                                  : (int)cudaSuccess;
}

CUDA_API int cudaEventRecord(void *handle, void *stream) {
    struct client_graph *into;
    client_lock();
    struct event *e = *find_event(handle);
    int error = e ? client_stream_use(stream, &into)
                  : (int)cudaErrorInvalidResourceHandle;
    if (!error && e->gpu != client_stream_gpu(stream))
        error =
            client_misuse(VGPU_MISUSE_EVENT_OF_OTHER, VGPU_CALL_cudaEventRecord,
                          (uint64_t)e->gpu, cudaErrorInvalidResourceHandle);
    if (!error) {
        error = read_time(e);
        e->capture = into ? *client_stream_capture(stream) : NULL;
        e->is_recorded = !e->capture && !error;
        if (e->is_recorded)
            client_order_say(VGPU_ORDER_RECORD, stream, e->number);
    }
    return client_end(error);
}
CUDA_API int cudaEventRecord_ptsz(void *handle, void *stream) {
    return cudaEventRecord(handle, client_of_thread(stream));
}

CUDA_API int cudaEventRecordWithFlags(void *handle, void *stream,
                                      UNUSED unsigned flags) {
    return cudaEventRecord(handle, stream);
}
CUDA_API int cudaEventRecordWithFlags_ptsz(void *handle, void *stream,
                                           unsigned flags) {
    return cudaEventRecordWithFlags(handle, client_of_thread(stream), flags);
}

/* An event of a capture never happens. */
static int wait_for(const struct event *e) {
    if (!e) return cudaErrorInvalidResourceHandle;
    if (e->capture)
        return client_capture_invalidate(e->capture, cudaErrorCapturedEvent);
    int error = client_unsafe();
    if (error) return error;
    client_order_say(VGPU_ORDER_HOST_EVENT, NULL, e->number);
    error = client_sync();
    client_watch_close();
    return error;
}

CUDA_API int cudaEventSynchronize(void *handle) {
    client_lock();
    return client_end(wait_for(*find_event(handle)));
}

CUDA_API int cudaEventQuery(void *handle) {
    client_lock();
    const struct event *e = *find_event(handle);
    if (!client_is_async() || !e || e->capture) return client_end(wait_for(e));
    int error = client_unsafe();
    return client_end(error ? error : client_order_query(NULL, e->number));
}

/* What is captured may not wait for what is not. */
static int wait_event(const void *stream, const struct event *e,
                      unsigned flags) {
    struct client_graph *into;
    if (!client_stream_is_valid(stream) || !e)
        return cudaErrorInvalidResourceHandle;
    struct client_capture **capture = client_stream_capture(stream);
    if (e->capture) return client_capture_join(capture, e->capture);
    int error = client_stream_use(stream, &into);
    if (into && e->is_recorded && !(flags & EVENT_WAIT_EXTERNAL))
        error = client_capture_invalidate(*capture,
                                          cudaErrorStreamCaptureIsolation);
    if (!error && !into) client_order_say(VGPU_ORDER_WAIT, stream, e->number);
    return error;
}

CUDA_API int cudaStreamWaitEvent(void *stream, void *handle, unsigned flags) {
    CLIENT_CALL(client_connect(),
                wait_event(stream, *find_event(handle), flags));
}
CUDA_API int cudaStreamWaitEvent_ptsz(void *stream, void *handle,
                                      unsigned flags) {
    return cudaStreamWaitEvent(client_of_thread(stream), handle, flags);
}

CUDA_API int cudaEventElapsedTime(float *ms, void *start, void *end) {
    client_lock();
    struct event *from = *find_event(start), *to = *find_event(end);
    if (!ms) return client_end(cudaErrorInvalidValue);
    if (!from || !to || !from->is_recorded || !to->is_recorded ||
        ((from->flags | to->flags) & EVENT_NO_TIMING))
        return client_end(cudaErrorInvalidResourceHandle);
    if (from->gpu != to->gpu)
        return client_end(client_misuse(
            VGPU_MISUSE_EVENTS_OF_TWO, VGPU_CALL_cudaEventElapsedTime,
            (uint64_t)from->gpu, cudaErrorInvalidResourceHandle));
    if (client_device()->has_clock && client_n_gpus() > 1) {
        int error = ask_time(from, from->number);
        if (!error) error = ask_time(to, to->number);
        if (error) return client_end(error);
    }
    *ms = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                  (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
    return client_end(cudaSuccess);
}
