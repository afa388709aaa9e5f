/* SPDX-License-Identifier: MIT
 *
 * protocol.h: the messages between a program's libcudart.so.13 (client) and
 * the device (server) on a stream socket.
 *
 * How to read this: a request is a vgpu_header, the fixed struct of its row in
 * requests.def, and up to so many bytes as the row allows. Unless the row is
 * ONEWAY, exactly one reply of the same form comes back. Both sides are on one
 * machine: integers are native, structs have no padding that is not named.
 * The client is not trusted: the server checks every length against the table
 * before it reads on, and allocates no buffer for a length that was announced.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#define VGPU_CHANNEL_VARIABLE "VGPU_CHANNEL_FD"
/* The descriptor of the file that holds memory both sides see (vgpu_share);
 * not set: there is none. VGPU_SHARED_NEVER: managed memory is for kernels
 * only.
 */
#define VGPU_SHARED_VARIABLE "VGPU_SHARED_FD"
#define VGPU_SHARED_NEVER    "never"

enum {
    VGPU_MAGIC = 0x55504756, /* "VGPU" in memory */
    VGPU_PROTOCOL_VERSION = 6,
    VGPU_CHUNK = 1 << 18,     /* most bytes of bulk data in one message */
    VGPU_NAME_MAX = 1 << 14,  /* mangled names of templates are long */
    VGPU_PARAMS_MAX = 32764,  /* CUDA's limit for kernel parameters */
    VGPU_IMAGE_MAX = 1 << 28, /* bytes of one image, and of all in a session */
    VGPU_CALLERS_MAX = 8,     /* places that a call came from */
    VGPU_LAUNCHERS_MAX = 32,  /* likewise through a library */
};

enum { /* flags in requests.def */
       VGPU_REQUEST_ONEWAY = 1,
       VGPU_REQUEST_FLUSH = 2,
       VGPU_REQUEST_ALWAYS = 4
};

typedef enum {
#define X(name, request, more, reply, more_reply, flags, text)                 \
    VGPU_REQUEST_##name,
#include "requests.def"
#undef X
    VGPU_N_REQUESTS
} vgpu_request;

typedef enum {
#define X(name, ...) VGPU_MISUSE_##name,
#include "misuse.def"
#undef X
    VGPU_N_MISUSES
} vgpu_misuse;

/* The names a program can call, of the runtime and of the driver; both sides
 * index them by the same lists. */
typedef enum {
#define X(name) VGPU_CALL_##name,
#include "calls.def"
#undef X
#define X(name, version) VGPU_CALL_##name,
#include "driver_calls.def"
#undef X
    VGPU_N_CALLS
} vgpu_call;

/* What a stream is called in messages; those that were created are numbered
 * from the last of these on. */
enum { VGPU_STREAM_LEGACY, VGPU_STREAM_OF_THREAD };

/* What an ORDER request says. Streams and events are numbers that the client
 * gives and never gives again; 1 is the legacy stream. */
typedef enum {
    VGPU_ORDER_STREAM,      /* stream, how: 1 it is blocking, 2 it is the
                               legacy stream of the GPU; object: its name */
    VGPU_ORDER_STREAM_GONE, /* stream */
    VGPU_ORDER_BEGIN,       /* stream, call, at: requests to come are its op */
    VGPU_ORDER_USE,         /* object, bytes, how: the op uses host memory */
    VGPU_ORDER_END,         /* how: the host has waited for the op */
    VGPU_ORDER_RECORD,      /* stream, object: an event */
    VGPU_ORDER_WAIT,        /* stream, object: an event */
    VGPU_ORDER_HOST_STREAM, /* stream: the host waits */
    VGPU_ORDER_HOST_EVENT,  /* object */
    VGPU_ORDER_HOST_ALL,
    VGPU_ORDER_HOST_USE,   /* stream, bytes: of vgpu_watched; object: address;
                              how: 0 read, 1 wrote; at */
    VGPU_ORDER_OVERRUN,    /* object, bytes: past the end of a buffer of the
                              host's, of `stream` bytes; how, call, at */
    VGPU_ORDER_FREE,       /* object, bytes, call, at: given back */
    VGPU_ORDER_SHARE,      /* object, bytes: pinned memory */
    VGPU_ORDER_UNSHARE,    /* object */
    VGPU_ORDER_FUNCTION,   /* how: the op is a host function, which runs; not */
    VGPU_ORDER_RUN,        /* what comes before the op is to be done now */
    VGPU_ORDER_GRAPH,      /* stream: nodes follow; object: an event, of the
                              graph's launches before */
    VGPU_ORDER_NODE,       /* object: its number; call, at; tail */
    VGPU_ORDER_GRAPH_ENDS, /* stream, object: likewise */
    VGPU_N_ORDERS
} vgpu_order;

/* Bytes that the host may not use yet. */
struct vgpu_watched {
    uint64_t from, to, seq; /* [from, to); seq: of the operation */
    uint32_t stream, how;   /* stream: its number on the device's side */
};

struct vgpu_header {
    uint32_t magic;
    uint16_t version, request;
    uint32_t sequence, payload_bytes; /* payload: all that follows */
};

struct vgpu_reply_header {
    struct vgpu_header header; /* request and sequence as in the request */
    int32_t error;             /* cudaError_t */
    uint32_t is_sticky : 1, has_output : 1, wants_callers : 1, runs_on : 1,
        unused : 28; /* runs_on: of a launch, which ends its operation itself */
};

typedef enum { /* of an allocation */
               VGPU_MEMORY_DEVICE,
               VGPU_MEMORY_MANAGED, /* the device's; the host sees it, too */
               VGPU_MEMORY_PINNED,  /* the host's; the device sees it, too */
               VGPU_N_MEMORY_KINDS
} vgpu_memory_kind;

/* The fixed parts: struct vgpu_request_MALLOC, struct vgpu_reply_MALLOC, ... */
#define VGPU_FIELDS(...) __VA_ARGS__
#define NOTHING          uint64_t unused;
#define X(name, request, more, reply, more_reply, flags, text)                 \
    struct vgpu_request_##name {                                               \
        VGPU_FIELDS request                                                    \
    };                                                                         \
    struct vgpu_reply_##name {                                                 \
        VGPU_FIELDS reply                                                      \
    };
#include "requests.def"
#undef X
#undef NOTHING
#undef VGPU_FIELDS

/* Room for any fixed part, aligned for it. */
union vgpu_any_request {
#define X(name, request, more, reply, more_reply, flags, text)                 \
    struct vgpu_request_##name name;
#include "requests.def"
#undef X
};
union vgpu_any_reply {
#define X(name, request, more, reply, more_reply, flags, text)                 \
    struct vgpu_reply_##name name;
#include "requests.def"
#undef X
};

struct vgpu_request_row {
    const char *name;
    uint32_t request_bytes, request_tail; /* fixed, most that may follow */
    uint32_t reply_bytes, reply_tail;
    unsigned flags;
};
/* NULL: no such request. */
const struct vgpu_request_row *vgpu_request_find(unsigned request);
int64_t vgpu_now_ns(void); /* of a clock that only goes forward */
/* As recv, but tries again for a moment, yielding the processor, before it
 * returns EAGAIN: the other side mostly answers sooner than a sleeping thread
 * wakes up on another core. */
ssize_t vgpu_receive_soon(int fd, void *to, size_t bytes);
/* "cudaMalloc"; NULL: no such call. */
const char *vgpu_call_name(unsigned call);
