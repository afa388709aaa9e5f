/* SPDX-License-Identifier: MIT
 *
 * client.h: what the files of the client (libcudart.so.13, and libcudart.so.12)
 * share. CLIENT_CUDA is 12 for the few files that differ in the second.
 *
 * A CUDA program has one runtime and reaches it through functions without a
 * handle, so the client keeps its state in static variables: the channel in
 * client.c, streams, graphs, pools and so on in their own files. The client's
 * lock guards them: callers of the functions below hold it, unless the comment
 * says that the function takes it. Some variables are per thread instead.
 */
#pragma once

#include "client_layout.h"
#include "client_names.h"
#include "protocol.h"
#include "vgpu.h"

/* A function of the CUDA runtime's interface. */
#define CUDA_API __attribute__((visibility("default")))
/* A second name for one (per-thread default stream; everything is in order
 * here, so the default stream of a thread is no different). */
#define CUDA_ALSO(other, name) CUDA_ALSO_EXPANDED(other, name)
#define CUDA_ALSO_EXPANDED(other, name)                                        \
    CUDA_API extern __typeof__(name) other __attribute__((alias(#name)))
#define UNUSED __attribute__((unused))

enum { /* cudaError_t, from errors.def */
#define X(name, value, text) name = value,
#include "errors.def"
#undef X
};

/* ---- the channel (client.c) ---- */
void client_lock(void);
void client_unlock(void);
/* Connects at the first call. Returns a cudaError_t; prints the reason once. */
int client_connect(void);
const struct vgpu_reply_HELLO *client_device(void);
const char *client_device_name(void);

enum { CLIENT_STREAM_PER_THREAD = 2 };

struct client_call {
    vgpu_request request;
    const void *fixed; /* the request's struct */
    const void *tail;
    size_t tail_bytes;
    void *reply; /* the reply's struct; NULL: not wanted */
    void *reply_tail;
    size_t reply_tail_capacity;
    size_t reply_tail_bytes; /* out */
};
/* One round trip, connecting first. A cudaError_t. */
int client_send(struct client_call *);
/* The common case: fixed request, fixed reply or NULL. */
int client_ask(vgpu_request, const void *request, void *reply);
/* The last request was a launch that goes on, and has ended its operation. */
bool client_took_launch_on(void);
/* Waits for what was launched, which shows its errors. */
int client_sync(void);
/* Tells the device what is wrong with a call, and returns error. */
int client_misuse(vgpu_misuse, vgpu_call, uint64_t address, int error);
int client_misuse_kind(vgpu_misuse, vgpu_call, uint64_t address, int kind,
                       int error); /* of a copy */
/* One line on stderr, "vgpu: " before it. */
__attribute__((format(printf, 1, 2))) void client_say(const char *format, ...);
/* Begins a call: locks, connects. A cudaError_t. */
int client_begin(void);
/* Ends a call: unlocks, keeps an error for cudaGetLastError, returns it. */
int client_end(int error);
/* The same for a call that never locked. */
int client_keep(int error);
/* The body of a call: returns `against` if that is an error, else `does`. */
#define CLIENT_CALL(against, does)                                             \
    do {                                                                       \
        client_lock();                                                         \
        int error_before = (against);                                          \
        return client_end(error_before ? error_before : (does));               \
    } while (0)
/* Defines a call that waits, and its form in a stream, which CUDA can capture
 * and this client cannot. `does` may use `call`, the call's name. */
#define CLIENT_CALLS(name, does, ...)                                          \
    CUDA_API int name(__VA_ARGS__) {                                           \
        const vgpu_call call = VGPU_CALL_##name;                               \
        CLIENT_CALL(client_synchronous(), CLIENT_WAITS(NULL, does));           \
    }                                                                          \
    CUDA_API int name##_ptds(__VA_ARGS__) {                                    \
        const vgpu_call call = VGPU_CALL_##name;                               \
        CLIENT_CALL(client_synchronous(),                                      \
                    CLIENT_WAITS(client_of_thread(NULL), does));               \
    }                                                                          \
    CUDA_API int name##Async(__VA_ARGS__, void *stream) {                      \
        const vgpu_call call = VGPU_CALL_##name##Async;                        \
        CLIENT_CALL(client_not_captured(call, stream),                         \
                    CLIENT_IN_STREAM(stream, does));                           \
    }                                                                          \
    CUDA_API int name##Async_ptsz(__VA_ARGS__, void *stream) {                 \
        const vgpu_call call = VGPU_CALL_##name##Async;                        \
        CLIENT_CALL(client_not_captured(call, stream),                         \
                    CLIENT_IN_STREAM(client_of_thread(stream), does));         \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")

/* What a call does, as an operation: of one that waits when it copies from or
 * to the host's memory; of one that waits only where the host's memory is not
 * pinned (CUDA Runtime API, "API synchronization behavior"). */
#define CLIENT_WAITS(stream, does)                                             \
    (client_order_begin(call, stream),                                         \
     client_order_ends(does, client_order_met_host()))
#define CLIENT_IN_STREAM(stream, does)                                         \
    (client_order_begin(call, stream),                                         \
     client_order_ends(does, client_order_met_pageable()))
/* Returns error. The second is to be known after the first has been done. */
#define client_order_ends(error, is_waited)                                    \
    __extension__({                                                            \
        int error_ = (error);                                                  \
        client_order_end(is_waited);                                           \
        error_;                                                                \
    })

/* ---- several GPUs (client_gpus.c) ---- */
int client_n_gpus(void);
/* The calling thread's current one; makes another one it, until it is given
 * back what this returns. */
int client_gpu(void);
int client_use_gpu(int gpu);
/* Of an allocation; of host memory, or what is none: 0. */
int client_gpu_of(const void *pointer);
/* A request was not done: what it needs waits for what nobody has asked for
 * yet. Lets the program's other threads ask; says so where there are none, or
 * they have not for long. The request is to be sent again. */
void client_gpus_wait(int tries);

/* ---- where in the program a call came from (client_callers.c) ---- */
void client_callers(uint64_t *at, size_t most); /* that are zeros */
/* The name of the runtime's function that the program called last; NULL: not
 * known. */
const char *client_called(void);
/* Tells the device that the call answers an error, of the first such calls. */
void client_failed(int error);
/* Is there a device to speak with? */
bool client_is_connected(void);

/* ---- faults (client_fault.c) ---- */
void client_fault_install(int fd);
/* Is our signal handler still installed? */
bool client_fault_is_ours(void);

/* ---- registration (client_images.c) ---- */
struct client_container { /* one fatbin container in the program's memory */
    const void *bytes;
    size_t n_bytes;
    struct client_sent { /* to each GPU */
        bool is_sent;
        int error; /* of loading it */
        uint32_t id;
    } to[VGPU_MOST_GPUS];
};

struct client_image { /* what __cudaRegisterFatBinary was given */
    struct client_container *containers;
    size_t n_containers;
    bool is_linked; /* all containers together are one program */
    bool has_managed, managed_is_ready;
    struct client_image *next;
};

struct client_parameter {
    uint32_t offset, bytes;
};

struct client_function {
    const void *host; /* the stub's address, by which the program names it */
    const char *name; /* mangled */
    struct client_image *image;
    struct client_resolved { /* on each GPU */
        bool is_resolved;
        int error;           /* of resolving */
        uint32_t kernel;     /* info.kernel there */
        size_t dynamic_smem; /* asked for; 0: the default */
        bool large_clusters; /* more than 8 blocks are allowed */
    } on[VGPU_MOST_GPUS];
    struct vgpu_reply_KERNEL info; /* on the GPU for which it was resolved last
                                    */
    struct client_parameter *parameters; /* info.n_params */
    struct client_function *next;
};

struct client_variable {
    const void *host;
    const char *name;
    struct client_image *image;
    uint64_t on[VGPU_MOST_GPUS]; /* its address on each GPU; 0: not resolved */
    uint64_t address;            /* on the GPU for which it was resolved last */
    size_t bytes;
    void **managed; /* where host code looks for it; NULL: not __managed__ */
    void *kept;     /* its bytes, during a reset */
    struct client_variable *next;
};

/* For libcuda.so.1: sends an image before anything of it is asked for; takes it
 * back from the device. A cudaError_t. */
int client_image_load(struct client_image *);
int client_image_unload(struct client_image *);
/* The call is not there: says so once, tells the device. Takes the lock. */
int client_refuse(vgpu_call);
/* NULL: no such kernel. */
struct client_function *client_function_find(const void *host);
struct client_variable *client_variable_find(const void *host);
/* Loads the image and asks for the kernel, once. A cudaError_t. */
int client_function_resolve(struct client_function *);
int client_variable_resolve(struct client_variable *);
/* Around cudaDeviceReset: everything has to be sent again to that GPU; managed
 * variables keep what was written to them, as an H200's do (driver 580.159.04).
 */
void client_images_keep(void);
void client_images_forget(void);

/* ---- memory that both sides see (client_mapped.c) ---- */
/* The tool lends a file for it; a judge does not. */
bool client_can_map(void);
/* DEVICE: not such memory. */
vgpu_memory_kind client_mapped_kind(const void *pointer);
/* Allocates on the device and maps; maps what the device has; both ways back.
 * A cudaError_t. */
int client_map_new(void **pointer, size_t bytes, vgpu_memory_kind);
int client_map(void *at, size_t bytes, vgpu_memory_kind, bool is_variable);
int client_unmap(void *pointer);
void client_mapped_forget(void); /* all of it: cudaDeviceReset */
/* client_mapped_close: a kernel was launched, and the host must not access
 * managed memory. client_mapped_open: it was waited for, and the host may. */
void client_mapped_close(void);
void client_mapped_open(void);
/* Called by the signal handler. True: the access is noted as a fault, and the
 * handler may return to let it happen. */
bool client_mapped_fault(const void *address, unsigned access);
/* Managed memory that is a kernel's own now. */
bool client_mapped_is_closed(const void *address);
/* A noted fault, once. */
bool client_mapped_pending(struct vgpu_request_FAULT *);

/* ---- pointers and memory ---- */
static inline bool client_is_device_address(const void *pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    return address >= VGPU_ADDRESS_BASE && address < VGPU_ADDRESS_LIMIT;
}
/* The device's own memory, managed memory included; not pinned memory, which
 * lies among the device's addresses, too. */
static inline bool client_is_device(const void *pointer) {
    return client_is_device_address(pointer) &&
           client_mapped_kind(pointer) != VGPU_MEMORY_PINNED;
}
/* Copies; the call's name is for findings. A cudaError_t. */
int client_copy(vgpu_call, void *to, const void *from, size_t bytes, int kind);
/* A cudaError_t; the call's name is for findings. */
int client_fill(vgpu_call, void *to, int byte, size_t bytes);
/* cudaMallocHost's and cudaHostRegister's memory (client_host_memory.c). */
bool client_host_find(const void *pointer, void **base);
void client_host_forget(void); /* what was mapped: cudaDeviceReset */
/* cudaMalloc without its lock. */
int client_allocate(void **pointer, size_t bytes);

/* ---- streams (client_streams.c) ---- */
bool client_stream_is_valid(const void *stream);
/* It does as the legacy stream does: no cudaStreamNonBlocking. */
bool client_stream_is_blocking(const void *stream);
struct client_capture;
/* Where a stream that was created keeps its capture (NULL there: it does not
 * capture); NULL: a default stream, or none at all. */
struct client_capture **client_stream_capture(const void *stream);
void client_streams_end_capture(const struct client_capture *);

/* Whose it is: a default stream's is the current GPU. */
int client_stream_gpu(const void *stream);
/* The stream's number in ORDER requests. */
uint64_t client_stream_number(const void *stream);
/* Of an event, which no other one has, in ORDER requests. */
uint64_t client_event_number(void);
/* The default stream of a program whose default streams are its threads'. */
static inline void *client_of_thread(void *stream) {
    return stream ? stream : (void *)(uintptr_t)CLIENT_STREAM_PER_THREAD;
}

/* ---- order (client_order.c): what nobody asked for is not said ---- */
bool client_order_is_on(void);
/* Operations are done later than they are asked for: they must not be done
 * here. */
bool client_is_async(void);
/* What comes before the operation under way is done now. A cudaError_t. */
int client_order_run(void);
/* The operation that is under way, and what the host waits for, are said again:
 * another thread has had its turn. What is kept between the two calls. */
struct client_order_kept {
    bool is_open, waits;
    vgpu_call call;
    const void *stream;
    struct vgpu_request_ORDER wait;
};
struct client_order_kept client_order_keep(void);
void client_order_again(const struct client_order_kept *);
/* Whether the stream, or else the event, has come so far. A cudaError_t. */
int client_order_query(const void *stream, uint64_t event);
/* What the requests in between do is one operation of the stream, asked for by
 * the call. is_waited: the host has waited for it. */
void client_order_begin(vgpu_call, const void *stream);
void client_order_end(bool is_waited);
/* The operation copies between these, or fills (from NULL); they may be
 * anywhere. */
void client_order_copies(void *to, const void *from, size_t bytes);
/* Has it, so far, copied to or from the host's memory; to what is not pinned?
 */
bool client_order_met_host(void);
bool client_order_met_pageable(void);
/* Anything else, from whose arguments an ORDER request is made. */
void client_order_say(vgpu_order, const void *stream, uint64_t object);
/* The legacy stream of the current GPU, where that is not the first one. */
void client_order_legacy(uint64_t number);
void client_order_free(vgpu_call, const void *base, size_t bytes);
void client_order_share(const void *base, size_t bytes);
void client_order_unshare(const void *base);
void client_order_node(vgpu_call, uint64_t number, const uint32_t *before,
                       size_t n);
/* Around a host function that is the operation under way. */
void client_order_function(bool runs);

/* ---- host memory in use (client_watch.c) ---- */
/* Asks what may not be used yet, and takes the host's access to it away; gives
 * it back. */
void client_watch_close(void);
void client_watch_open(void);
/* In the signal handler. True: noted, and the access may happen again. */
bool client_watch_fault(const void *address, unsigned access, void *context);
/* A noted access, once. */
bool client_watch_pending(struct vgpu_request_ORDER *);

/* ---- stream capture (client_capture.c); all connect first ---- */
struct client_graph;
/* Call it before anything is put into a stream: checks that the stream exists
 * and that no capture forbids the call. *into: the graph that the stream
 * captures into; NULL: it does not capture. Pass no `into` for a call that
 * cannot be captured. Returns a cudaError_t. */
int client_stream_use(const void *stream, struct client_graph **into);
/* Before a call that waits for the legacy stream; for the device; that captures
 * call unsafe, such as cudaMalloc. A cudaError_t. */
int client_synchronous(void);
int client_whole_device(void);
int client_unsafe(void);
/* Returns error. */
int client_capture_invalidate(struct client_capture *, int error);
/* The stream goes. */
void client_capture_without(const void *stream);
/* A stream waits for an event of a capture. A cudaError_t. */
int client_capture_join(struct client_capture **stream_capture,
                        struct client_capture *events);

/* ---- graphs (client_graphs.c) ---- */
struct client_op { /* one operation on a stream */
    enum {
        CLIENT_OP_LAUNCH,
        CLIENT_OP_COPY,
        CLIENT_OP_FILL,
        CLIENT_OP_HOST,
        CLIENT_OP_NOTHING
    } kind;
    vgpu_call call;
    struct client_function *kernel; /* LAUNCH; then what the request has */
    struct vgpu_request_LAUNCH launch;
    void *to; /* copies and fills, in rows; width: bytes of one */
    const void *from;
    size_t to_pitch, from_pitch, width, height;
    int copy_kind, byte;
    void (*function)(void *); /* HOST */
    void *user;
    bool is_done;       /* while a graph is put in order */
    const void *origin; /* the node that this one is a copy of; or NULL */
    size_t place;       /* in its graph's list */
    struct client_op *next;
    size_t parameter_bytes;
    unsigned char *parameters; /* LAUNCH: a graph's own */
};
/* Adds the operation to the graph; *made, if `made` is not NULL, becomes its
 * node. Returns a cudaError_t. */
int client_capture(struct client_graph *, const struct client_op *,
                   const void *parameters, size_t parameter_bytes,
                   struct client_op **made);
/* Makes a graph to capture into; turns it into an ordinary one; destroys it. */
struct client_graph *client_graph_capture(unsigned long long *id);
void client_graph_keep(struct client_graph *);
void client_graph_drop(struct client_graph *);
/* NULL: no such graph, or one that is being captured. */
struct client_graph *client_graph_find(const void *handle);
bool client_graph_has(const struct client_graph *, const void *node);
/* The node with this handle, of whatever graph; of an executable graph, the
 * copy of it. NULL: there is none. */
struct client_op *client_graph_node(const void *node);
struct client_op *client_graph_exec_node(const void *exec, const void *node);
/* Same kind of node, other operation. A cudaError_t. */
int client_graph_set(struct client_op *node, const struct client_op *,
                     const void *parameters, size_t parameter_bytes);
int client_graph_order(struct client_graph *, const void *before,
                       const void *after);
/* A LAUNCH and its packed parameters (VGPU_PARAMS_MAX). A cudaError_t. */
int client_prepare_launch(struct client_function *, struct rt_dim3 grid,
                          struct rt_dim3 block, size_t smem_bytes,
                          void **arguments, struct client_op *,
                          unsigned char *parameters);
/* Does the operation. A cudaError_t. */
int client_run(const struct client_op *);
/* Checks the stream; captures or does the operation. A cudaError_t. */
int client_do(const struct client_op *, const void *stream);
/* client_stream_use for a call that could be captured, but is not here. */
int client_not_captured(vgpu_call, const void *stream);
/* Does a LAUNCH, a COPY, a FILL. */
int client_launch(const struct client_op *, const void *parameters);
int client_copy_rows(const struct client_op *);
struct client_op client_copy_op(vgpu_call, void *to, size_t to_pitch,
                                const void *from, size_t from_pitch,
                                size_t width, size_t height, int kind);
int client_fill_rows(const struct client_op *);

/* ---- arrays (client_arrays.c): opaque to programs, rows with a pitch here.
 * Only for a tool's programs: a judge's are refused them. ---- */
struct client_array {
    uint32_t magic;
    struct rt_channel_desc desc;
    struct rt_extent extent; /* as asked for: 0 where there is none */
    unsigned flags;
    void *memory;
    size_t pitch, element;
    struct client_array *next;
};
/* NULL: no such array. */
struct client_array *client_array_find(const void *handle);
/* Bytes of an element; 0: there is no such format. */
size_t client_element_bytes(const struct rt_channel_desc *);
static inline size_t client_array_rows(const struct client_array *a) {
    return a->extent.height ? a->extent.height : 1;
}
static inline size_t client_array_slices(const struct client_array *a) {
    return a->extent.depth ? a->extent.depth : 1;
}

/* ---- attributes (client_device.c) ---- */
int client_attribute(int attribute, int *value);
