/* SPDX-License-Identifier: MIT
 *
 * client_memory.c: device memory: allocation, copies, fills, symbols. The
 * asynchronous calls do the same as the others, since everything runs in
 * order. Addresses tell host from device, and a copy goes by them, as on a GPU
 * with unified addressing; a copy kind that says otherwise is a finding.
 */
#include "client.h"

#include <stdint.h>
#include <string.h>

static uint64_t address_of(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

/* ---- allocation ---- */

static int allocate(void **pointer, size_t bytes, bool of_stream) {
    struct vgpu_request_MALLOC request = {.bytes = bytes,
                                          .of_stream = of_stream};
    struct vgpu_reply_MALLOC reply;
    if (!pointer) return cudaErrorInvalidValue;
    int error = client_connect();
    if (error) return error;
    if (bytes == 0) {
        *pointer = NULL;
        return cudaSuccess;
    }
    error = client_ask(VGPU_REQUEST_MALLOC, &request, &reply);
    if (!error) *pointer = (void *)(uintptr_t)reply.address;
    return error;
}

int client_allocate(void **pointer, size_t bytes) {
    return allocate(pointer, bytes, false);
}

CUDA_API int cudaMalloc(void **pointer, size_t bytes) {
    CLIENT_CALL(client_unsafe(), client_allocate(pointer, bytes));
}

CUDA_API int cudaMallocAsync(void **pointer, size_t bytes, void *stream) {
    client_lock();
    int error = client_not_captured(VGPU_CALL_cudaMallocAsync, stream);
    if (!error) error = client_unsafe(); /* in a stream beside the capture */
    if (error) return client_end(error);
    client_order_begin(VGPU_CALL_cudaMallocAsync, stream);
    error = allocate(pointer, bytes, true);
    client_order_end(false);
    return client_end(error);
}
CUDA_API int cudaMallocAsync_ptsz(void **pointer, size_t bytes, void *stream) {
    return cudaMallocAsync(pointer, bytes, client_of_thread(stream));
}

CUDA_API int cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                             size_t height) {
    enum { PITCH = 512 };
    size_t row = (width + PITCH - 1) / PITCH * PITCH;
    if (!pitch || row < width || (height && row > SIZE_MAX / height))
        return client_keep(cudaErrorInvalidValue);
    client_lock();
    int error = client_unsafe();
    if (!error) error = client_allocate(pointer, row * height);
    if (!error) *pitch = row;
    return client_end(error);
}

static int client_memory_release(vgpu_call call, void *pointer) {
    struct vgpu_request_FREE request = {.address = address_of(pointer),
                                        .of_stream =
                                            call == VGPU_CALL_cudaFreeAsync};
    if (pointer && !client_is_device(pointer))
        return client_misuse(VGPU_MISUSE_FREE_HOST_POINTER, call,
                             address_of(pointer), cudaErrorInvalidValue);
    if (client_mapped_kind(pointer) == VGPU_MEMORY_MANAGED)
        return client_unmap(pointer);
    return client_ask(VGPU_REQUEST_FREE, &request, NULL);
}

/* In a GPU's driver it waits for the device. */
CUDA_API int cudaFree(void *pointer) {
    client_lock();
    int error = client_unsafe();
    if (!error) client_order_say(VGPU_ORDER_HOST_ALL, NULL, 0);
    if (!error) error = client_memory_release(VGPU_CALL_cudaFree, pointer);
    client_watch_close();
    return client_end(error);
}

CUDA_API int cudaFreeAsync(void *pointer, void *stream) {
    client_lock();
    int error = client_not_captured(VGPU_CALL_cudaFreeAsync, stream);
    if (error) return client_end(error);
    client_order_begin(VGPU_CALL_cudaFreeAsync, stream);
    error = client_memory_release(VGPU_CALL_cudaFreeAsync, pointer);
    client_order_end(false);
    return client_end(error);
}
CUDA_API int cudaFreeAsync_ptsz(void *pointer, void *stream) {
    return cudaFreeAsync(pointer, client_of_thread(stream));
}

/* ---- copies ---- */

static int write_device(void *to, const void *from, size_t bytes) {
    struct vgpu_request_WRITE request = {.to = address_of(to), .total = bytes};
    int error = cudaSuccess;
    while (!error && request.offset < bytes) {
        size_t n = bytes - request.offset;
        if (n > VGPU_CHUNK) n = VGPU_CHUNK;
        struct client_call call = {.request = VGPU_REQUEST_WRITE,
                                   .fixed = &request,
                                   .tail = (const char *)from + request.offset,
                                   .tail_bytes = n};
        error = client_send(&call);
        request.offset += n;
    }
    return error;
}

static int read_device(vgpu_call call_name, void *to, const void *from,
                       size_t bytes) {
    struct vgpu_request_READ request = {
        .from = address_of(from), .total = bytes, .call = call_name};
    int error = cudaSuccess;
    while (!error && request.offset < bytes) {
        size_t n = bytes - request.offset;
        if (n > VGPU_CHUNK) n = VGPU_CHUNK;
        request.bytes = n;
        struct client_call call = {.request = VGPU_REQUEST_READ,
                                   .fixed = &request,
                                   .reply_tail = (char *)to + request.offset,
                                   .reply_tail_capacity = n};
        error = client_send(&call);
        request.offset += n;
    }
    return error;
}

/* Rows go as one request, so that the device sees what overlaps. */
static int copy_device(const struct client_op *op) {
    struct vgpu_request_COPY request = {.to = address_of(op->to),
                                        .from = address_of(op->from),
                                        .bytes = op->width,
                                        .rows = op->height,
                                        .to_pitch = op->to_pitch,
                                        .from_pitch = op->from_pitch,
                                        .call = (uint32_t)op->call};
    return client_ask(VGPU_REQUEST_COPY, &request, NULL);
}

/* What each kind says about the two pointers: {to, from} is device. */
static const bool kind_says_device[RT_COPY_DEFAULT][2] = {
    [RT_HOST_TO_HOST] = {false, false},
    [RT_HOST_TO_DEVICE] = {true, false},
    [RT_DEVICE_TO_HOST] = {false, true},
    [RT_DEVICE_TO_DEVICE] = {true, true},
};

/* Memory that both sides see is on the right side whatever the kind. */
static bool client_memory_fits(const void *pointer, bool says_device) {
    return client_is_device(pointer) == says_device ||
           client_mapped_kind(pointer) != VGPU_MEMORY_DEVICE;
}

/* As an H200 does with each kind (driver 580; tried with device, pinned,
 * managed and ordinary memory): ordinary host memory where `kind` says device
 * is an error, and nothing is copied; else the pointers decide the direction. A
 * `kind` that contradicts them is reported, once. */
static int check_kind(vgpu_call call, const void *to, const void *from,
                      int kind) {
    if (kind < 0 || kind > RT_COPY_DEFAULT)
        return client_misuse(VGPU_MISUSE_COPY_KIND, call, 0,
                             cudaErrorInvalidMemcpyDirection);
    if (!to || !from)
        return client_misuse(to ? VGPU_MISUSE_COPY_FROM_NULL
                                : VGPU_MISUSE_COPY_TO_NULL,
                             call, 0, cudaErrorInvalidValue);
    if (kind == RT_COPY_DEFAULT) return cudaSuccess;
    const bool *says = kind_says_device[kind];
    bool wrong_to = !client_memory_fits(to, says[0]);
    bool wrong_from = !client_memory_fits(from, says[1]);
    bool peer = call == VGPU_CALL_cudaMemcpyPeer;
    if (wrong_to && says[0])
        return client_misuse_kind(
            peer ? VGPU_MISUSE_PEER_IS_HOST : VGPU_MISUSE_TO_IS_HOST, call,
            address_of(to), kind, cudaErrorInvalidValue);
    if (wrong_from && says[1])
        return client_misuse_kind(
            peer ? VGPU_MISUSE_PEER_IS_HOST : VGPU_MISUSE_FROM_IS_HOST, call,
            address_of(from), kind, cudaErrorInvalidValue);
    if (wrong_to || wrong_from)
        return client_misuse_kind(
            wrong_to ? VGPU_MISUSE_TO_IS_DEVICE : VGPU_MISUSE_FROM_IS_DEVICE,
            call, address_of(wrong_to ? to : from), kind, cudaSuccess);
    return cudaSuccess;
}

struct client_op client_copy_op(vgpu_call call, void *to, size_t to_pitch,
                                const void *from, size_t from_pitch,
                                size_t width, size_t height, int kind) {
    return (struct client_op){.kind = CLIENT_OP_COPY,
                              .call = call,
                              .to = to,
                              .to_pitch = to_pitch,
                              .from = from,
                              .from_pitch = from_pitch,
                              .width = width,
                              .height = height,
                              .copy_kind = kind};
}

/* The device's memory; where it does things later, also the host's that it
 * sees. */
static bool is_for_device(const void *pointer) {
    return client_is_device(pointer) ||
           (client_is_async() &&
            client_mapped_kind(pointer) != VGPU_MEMORY_DEVICE);
}

int client_copy(vgpu_call call, void *to, const void *from, size_t bytes,
                int kind) {
    int error = client_connect();
    if (error) return error;
    if (bytes == 0 && kind >= 0 && kind <= RT_COPY_DEFAULT)
        return client_sync(); /* shows a waiting error */
    error = check_kind(call, to, from, kind);
    if (error) return error;
    client_order_copies(to, from, bytes);
    if (is_for_device(to) && is_for_device(from)) {
        struct client_op op =
            client_copy_op(call, to, bytes, from, bytes, bytes, 1, kind);
        return copy_device(&op);
    }
    if (client_is_device(to)) return write_device(to, from, bytes);
    if (client_is_device(from)) return read_device(call, to, from, bytes);
    error = client_order_run();
    if (!error) memmove(to, from, bytes);
    return error;
}

int client_copy_rows(const struct client_op *op) {
    int error = cudaSuccess, kind = op->copy_kind;
    if (op->width > op->to_pitch || op->width > op->from_pitch)
        return client_misuse(VGPU_MISUSE_COPY_PITCH, op->call, 0,
                             cudaErrorInvalidPitchValue);
    if (op->width == op->to_pitch && op->width == op->from_pitch)
        return client_copy(op->call, op->to, op->from, op->width * op->height,
                           kind);
    if (op->width && op->height && client_is_device(op->to) &&
        client_is_device(op->from)) {
        error = client_connect();
        if (!error) error = check_kind(op->call, op->to, op->from, kind);
        return error ? error : copy_device(op);
    }
    for (size_t row = 0; !error && row < op->height; row++) {
        error = client_copy(op->call, (char *)op->to + row * op->to_pitch,
                            (const char *)op->from + row * op->from_pitch,
                            op->width, kind);
        kind = RT_COPY_DEFAULT; /* what is wrong with it is told once */
    }
    return error;
}

/* A call that waits, and the one in a stream; their operation has their name
 * in `call`. */
#define OPERATIONS(name, operation, ...)                                       \
    CUDA_API int name(__VA_ARGS__) {                                           \
        const vgpu_call call = VGPU_CALL_##name;                               \
        const struct client_op op = operation;                                 \
        CLIENT_CALL(client_synchronous(),                                      \
                    CLIENT_WAITS(NULL, client_run(&op)));                      \
    }                                                                          \
    CUDA_API int name##_ptds(__VA_ARGS__) {                                    \
        const vgpu_call call = VGPU_CALL_##name;                               \
        const struct client_op op = operation;                                 \
        CLIENT_CALL(client_synchronous(),                                      \
                    CLIENT_WAITS(client_of_thread(NULL), client_run(&op)));    \
    }                                                                          \
    CUDA_API int name##Async(__VA_ARGS__, void *stream) {                      \
        const vgpu_call call = VGPU_CALL_##name##Async;                        \
        const struct client_op op = operation;                                 \
        client_lock();                                                         \
        return client_end(client_do(&op, stream));                             \
    }                                                                          \
    CUDA_API int name##Async_ptsz(__VA_ARGS__, void *stream) {                 \
        const vgpu_call call = VGPU_CALL_##name##Async;                        \
        const struct client_op op = operation;                                 \
        client_lock();                                                         \
        return client_end(client_do(&op, client_of_thread(stream)));           \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")

OPERATIONS(cudaMemcpy,
           client_copy_op(call, to, bytes, from, bytes, bytes, 1, kind),
           void *to, const void *from, size_t bytes, int kind);
OPERATIONS(cudaMemcpy2D,
           client_copy_op(call, to, to_pitch, from, from_pitch, width, height,
                          kind),
           void *to, size_t to_pitch, const void *from, size_t from_pitch,
           size_t width, size_t height, int kind);

/* Memory of all devices lies in one address space, so the pointers say all. */
static int check_peer(vgpu_call call, const void *pointer, int device) {
    if (client_connect()) return cudaSuccess; /* the copy will say it */
    if (device < 0 || device >= client_n_gpus()) return cudaErrorInvalidDevice;
    if (client_n_gpus() == 1 || !client_is_device(pointer) ||
        client_gpu_of(pointer) == device)
        return cudaSuccess;
    return client_misuse(VGPU_MISUSE_NOT_OF_THAT_DEVICE, call,
                         address_of(pointer), cudaErrorInvalidValue);
}

static int check_peers(vgpu_call call, const void *to, int to_device,
                       const void *from, int from_device) {
    int error = check_peer(call, to, to_device);
    return error ? error : check_peer(call, from, from_device);
}

CUDA_API int cudaMemcpyPeer(void *to, int to_device, const void *from,
                            int from_device, size_t bytes) {
    const vgpu_call call = VGPU_CALL_cudaMemcpyPeer;
    client_lock();
    int error = check_peers(call, to, to_device, from, from_device);
    if (error) return client_end(error);
    client_unlock();
    CLIENT_CALL(client_synchronous(),
                CLIENT_WAITS(NULL, client_copy(call, to, from, bytes,
                                               RT_DEVICE_TO_DEVICE)));
}

CUDA_API int cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                 int from_device, size_t bytes, void *stream) {
    const struct client_op op =
        client_copy_op(VGPU_CALL_cudaMemcpyPeer, to, bytes, from, bytes, bytes,
                       1, RT_DEVICE_TO_DEVICE);
    client_lock();
    int error = check_peers(op.call, to, to_device, from, from_device);
    return client_end(error ? error : client_do(&op, stream));
}

/* ---- fills ---- */

int client_fill(vgpu_call call, void *to, int byte, size_t bytes) {
    struct vgpu_request_FILL request = {.to = address_of(to),
                                        .bytes = bytes,
                                        .byte = (uint32_t)byte & 255u,
                                        .call = (uint32_t)call};
    client_order_copies(to, NULL, bytes);
    if (client_mapped_kind(to) == VGPU_MEMORY_PINNED && !client_is_async()) {
        memset(to, byte, bytes);
        return cudaSuccess;
    }
    if (bytes && !is_for_device(to))
        return client_misuse(to ? VGPU_MISUSE_FILL_HOST_POINTER
                                : VGPU_MISUSE_FILL_NULL,
                             call, address_of(to), cudaErrorInvalidValue);
    return client_ask(VGPU_REQUEST_FILL, &request, NULL);
}

int client_fill_rows(const struct client_op *op) {
    int error = cudaSuccess;
    if (op->width > op->to_pitch) return cudaErrorInvalidValue;
    if (op->width == op->to_pitch)
        return client_fill(op->call, op->to, op->byte, op->width * op->height);
    for (size_t row = 0; !error && row < op->height; row++)
        error = client_fill(op->call, (char *)op->to + row * op->to_pitch,
                            op->byte, op->width);
    return error;
}

static struct client_op fill_op(vgpu_call call, void *to, size_t pitch,
                                int byte, size_t width, size_t height) {
    return (struct client_op){.kind = CLIENT_OP_FILL,
                              .call = call,
                              .to = to,
                              .to_pitch = pitch,
                              .width = width,
                              .height = height,
                              .byte = byte};
}

OPERATIONS(cudaMemset, fill_op(call, to, bytes, byte, bytes, 1), void *to,
           int byte, size_t bytes);
OPERATIONS(cudaMemset2D, fill_op(call, to, pitch, byte, width, height),
           void *to, size_t pitch, int byte, size_t width, size_t height);

/* ---- what is known about memory ---- */

CUDA_API int cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    struct vgpu_request_MEM_INFO none = {0};
    struct vgpu_reply_MEM_INFO reply = {0};
    client_lock();
    int error = client_ask(VGPU_REQUEST_MEM_INFO, &none, &reply);
    if (!error && free_bytes) *free_bytes = reply.free_bytes;
    if (!error && total_bytes) *total_bytes = reply.total_bytes;
    return client_end(error);
}

CUDA_API int cudaPointerGetAttributes(struct rt_pointer_attributes *attributes,
                                      const void *pointer) {
    struct vgpu_request_POINTER request = {.address = address_of(pointer)};
    struct vgpu_reply_POINTER reply;
    void *mutable = (void *)(uintptr_t)pointer, *base;
    if (!attributes) return client_keep(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    int error = client_begin();
    if (!error && client_is_device(pointer)) {
        bool is_managed = client_mapped_kind(pointer) == VGPU_MEMORY_MANAGED;
        error = client_ask(VGPU_REQUEST_POINTER, &request, &reply);
        attributes->type = is_managed ? RT_MANAGED : RT_DEVICE;
        attributes->devicePointer = mutable;
        attributes->device = (int)reply.gpu;
        if (is_managed) attributes->hostPointer = mutable;
    } else if (!error && client_host_find(pointer, &base)) {
        attributes->type = RT_HOST;
        attributes->hostPointer = mutable;
        if (client_is_device_address(pointer))
            attributes->devicePointer = mutable;
    } else if (!error) {
        attributes->device = -2; /* cudaInvalidDeviceId */
        attributes->hostPointer = mutable;
    }
    return client_end(error);
}
