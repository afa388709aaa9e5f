/* SPDX-License-Identifier: MIT
 *
 * device_calls.c: the device's own runtime, as kernels call it (dynamic
 * parallelism). nvcc makes two calls of a launch: the first gives memory, into
 * which the kernel writes the arguments; the second launches.
 *
 * What calls answer was taken from an H200 (vgpu/docs/dynamic-parallelism.md).
 */
#include "arguments.h"
#include "child_errors.h"
#include "watch.h"

enum { RUNTIME_VERSION = 6000 }; /* so says an H200 of CUDA 13.0 */

/* One lane's call. */
struct own_call {
    struct context *c;
    const struct call *call;
    uint32_t lane;
};

static uint64_t call_value(const struct own_call *o, uint32_t k) {
    return call_argument(o->c, o->call, k, o->lane);
}

/* Stores what a pointer of the caller asks for. */
static unsigned call_gives(const struct own_call *o, uint32_t k, const void *v,
                           uint32_t bytes) {
    struct behind to = call_reach(o->c, call_value(o, k), o->lane);
    if (!to.bytes || to.left < bytes) return CHILD_INVALID_VALUE;
    memcpy(to.bytes, v, bytes);
    if (to.written) bits_set(to.written, to.at, bytes, true);
    return CHILD_SUCCESS;
}

/* ---- launches ---- */

static uint64_t child_parameters(const struct own_call *o) {
    struct machine *m = o->c->machine;
    struct vgpu_message why;
    struct child_call at = {o->c, o->lane, &why};
    struct child_shape shape = {.kernel = call_value(o, 0),
                                .dynamic = (uint32_t)call_value(o, 3)};
    uint64_t address = 0;
    call_argument_bytes(o->c, o->call, 1, o->lane, shape.grid,
                        sizeof shape.grid);
    call_argument_bytes(o->c, o->call, 2, o->lane, shape.block,
                        sizeof shape.block);
    unsigned error = m->calls->parameters(m->user, &at, &shape, &address);
    if (error) child_failed(o->c, o->lane, error, &why);
    return address;
}

static unsigned child_launches(const struct own_call *o, bool per_thread) {
    struct machine *m = o->c->machine;
    struct vgpu_message why;
    struct child_call at = {o->c, o->lane, &why};
    uint64_t stream = call_value(o, 1);
    if (per_thread && !stream) stream = CHILD_STREAM_OF_THREAD;
    unsigned error = m->calls->launch(m->user, &at, call_value(o, 0), stream);
    if (error) child_failed(o->c, o->lane, error, &why);
    m->n_children += !error;
    return error;
}

/* ---- streams and events ---- */

static unsigned child_handle(const struct own_call *o,
                             unsigned (*make)(void *, uint64_t *)) {
    uint64_t handle = 0;
    unsigned error = make(o->c->machine->user, &handle);
    return error ? error : call_gives(o, 0, &handle, sizeof handle);
}

static unsigned child_event(const struct own_call *o) {
    enum { NO_TIMING = 2 };
    if (!(call_value(o, 1) & NO_TIMING)) return CHILD_INVALID_VALUE;
    return child_handle(o, o->c->machine->calls->event_new);
}

static unsigned child_orders(const struct own_call *o, bool records,
                             bool per_thread) {
    const struct machine *m = o->c->machine;
    struct child_call at = {o->c, o->lane, NULL};
    uint64_t stream = call_value(o, records ? 1 : 0);
    uint64_t event = call_value(o, records ? 0 : 1);
    if (per_thread && !stream) stream = CHILD_STREAM_OF_THREAD;
    return records ? m->calls->record(m->user, &at, event, stream)
                   : m->calls->wait(m->user, &at, stream, event);
}

/* ---- what is asked for ---- */

static unsigned child_malloc(const struct own_call *o) {
    uint64_t bytes = call_value(o, 1);
    uint64_t address = bytes ? exec_device_malloc(o->c, bytes) : 0;
    unsigned error = call_gives(o, 0, &address, sizeof address);
    return error     ? error
           : address ? CHILD_SUCCESS
           : bytes   ? CHILD_NO_MEMORY
                     : CHILD_INVALID_VALUE;
}

static unsigned child_attribute(const struct own_call *o) {
    const struct vgpu_profile *p = o->c->machine->profile;
    if (call_value(o, 2) >= o->c->machine->n_gpus) return CHILD_INVALID_DEVICE;
    int32_t value;
    switch (call_value(o, 1)) {
#define X(number, is)                                                          \
    case number:                                                               \
        value = is;                                                            \
        break;
#include "child_attributes.def"
#undef X
    default: return CHILD_INVALID_VALUE;
    }
    return call_gives(o, 0, &value, sizeof value);
}

static unsigned child_limit(const struct own_call *o) {
    const struct machine *m = o->c->machine;
    unsigned error = CHILD_SUCCESS;
    uint64_t value =
        m->calls->limit(m->user, (uint32_t)call_value(o, 1), &error);
    unsigned gives = call_gives(o, 0, &value, sizeof value);
    return error ? error : gives;
}

static uint64_t child_text(const struct own_call *o, bool name) {
    static const struct {
        unsigned number;
        const char *name, *text;
    } rows[] = {
#define X(number, name, text) {number, name, text},
#include "child_texts.def"
#undef X
    };
    const struct machine *m = o->c->machine;
    const char *found = "unrecognized error code";
    uint32_t wanted = (uint32_t)call_value(o, 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].number == wanted)
            found = name ? rows[k].name : rows[k].text;
    return m->calls->text(m->user, found);
}

/* Calls that answer with an error, which becomes the thread's last one. */
static unsigned child_does(const struct own_call *o) {
    const struct machine *m = o->c->machine;
    int32_t gpu = (int32_t)m->gpu, n = (int32_t)m->n_gpus;
    int32_t version = RUNTIME_VERSION;
    switch (o->call->builtin) {
    case BUILTIN_STREAM_NEW: return child_handle(o, m->calls->stream_new);
    case BUILTIN_STREAM_DROP:
        return m->calls->stream_drop(m->user, call_value(o, 0));
    case BUILTIN_STREAM_WAIT: return child_orders(o, false, false);
    case BUILTIN_STREAM_WAIT_PER_THREAD: return child_orders(o, false, true);
    case BUILTIN_EVENT_NEW: return child_event(o);
    case BUILTIN_EVENT_DROP:
        return m->calls->event_drop(m->user, call_value(o, 0));
    case BUILTIN_EVENT_RECORD: return child_orders(o, true, false);
    case BUILTIN_EVENT_RECORD_PER_THREAD: return child_orders(o, true, true);
    case BUILTIN_DEVICE_MALLOC: return child_malloc(o);
    case BUILTIN_DEVICE_FREE:
        exec_device_free(o->c, o->lane, call_value(o, 0));
        return CHILD_SUCCESS;
    case BUILTIN_GET_DEVICE: return call_gives(o, 0, &gpu, sizeof gpu);
    case BUILTIN_DEVICE_COUNT: return call_gives(o, 0, &n, sizeof n);
    case BUILTIN_ATTRIBUTE: return child_attribute(o);
    case BUILTIN_DEVICE_LIMIT: return child_limit(o);
    case BUILTIN_RUNTIME_VERSION:
        return call_gives(o, 0, &version, sizeof version);
    default: return CHILD_NOT_SUPPORTED;
    }
}

static uint64_t child_answers(const struct own_call *o) {
    struct context *c = o->c;
    switch (o->call->builtin) {
    case BUILTIN_PARAMETERS: return child_parameters(o);
    case BUILTIN_LAUNCH_NOW: return child_launches(o, false);
    case BUILTIN_LAUNCH_PER_THREAD: return child_launches(o, true);
    case BUILTIN_LAST_ERROR: return child_last_error(c, o->lane, true);
    case BUILTIN_PEEK_ERROR: return child_last_error(c, o->lane, false);
    case BUILTIN_ERROR_NAME: return child_text(o, true);
    case BUILTIN_ERROR_STRING: return child_text(o, false);
    default: break;
    }
    unsigned error = child_does(o);
    if (error) child_failed(c, o->lane, error, NULL);
    return error;
}

bool exec_device_call(struct context *c, const struct call *call) {
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        struct own_call o = {c, call, (uint32_t)__builtin_ctz(m)};
        call_result(c, call, o.lane, child_answers(&o));
    }
    c->machine->progress++;
    return c->machine->status == VGPU_OK;
}
