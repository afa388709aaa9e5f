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
 * before it reads on, and allocates nothing by a number the client names.
 */
#ifndef VGPU_PROTOCOL_H
#define VGPU_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define VGPU_CHANNEL_VARIABLE "VGPU_CHANNEL_FD"
/* The descriptor of the file that holds memory both sides see (vgpu_share);
 * not set: there is none. */
#define VGPU_SHARED_VARIABLE "VGPU_SHARED_FD"

enum {
    VGPU_MAGIC = 0x55504756, /* "VGPU" in memory */
    VGPU_PROTOCOL_VERSION = 2,
    VGPU_CHUNK = 1 << 18,     /* most bytes of bulk data in one message */
    VGPU_NAME_MAX = 1 << 14,  /* mangled names of templates are long */
    VGPU_PARAMS_MAX = 32764,  /* CUDA's limit for kernel parameters */
    VGPU_IMAGE_MAX = 1 << 28, /* bytes of one image, and of all in a session */
};

enum { /* flags in requests.def */
       VGPU_REQUEST_ONEWAY = 1,
       VGPU_REQUEST_FLUSH = 2,
       VGPU_REQUEST_ALWAYS = 4
};

typedef enum {
#define X(name, in, out, flags, text) VGPU_REQUEST_##name,
#include "requests.def"
#undef X
    VGPU_N_REQUESTS
} vgpu_request;

typedef enum {
#define X(name, finding, text) VGPU_MISUSE_##name,
#include "misuse.def"
#undef X
    VGPU_N_MISUSES
} vgpu_misuse;

/* The names a program can call; both sides index them by the same list. */
typedef enum {
#define X(name, state) VGPU_CALL_##name,
#include "calls.def"
#undef X
    VGPU_N_CALLS
} vgpu_call;

struct vgpu_header {
    uint32_t magic;
    uint16_t version, request;
    uint32_t sequence, payload_bytes; /* payload: all that follows */
};

struct vgpu_reply_header {
    struct vgpu_header header; /* request and sequence as in the request */
    int32_t error;             /* cudaError_t */
    uint32_t is_sticky : 1, has_output : 1, unused : 30;
};

typedef enum { /* of an allocation */
               VGPU_MEMORY_DEVICE,
               VGPU_MEMORY_MANAGED, /* the device's; the host sees it, too */
               VGPU_MEMORY_PINNED,  /* the host's; the device sees it, too */
               VGPU_N_MEMORY_KINDS
} vgpu_memory_kind;

#define VGPU_NO_FIELDS                                                         \
    { uint64_t unused; }

struct vgpu_request_HELLO {
    uint32_t fd, unused;
};
struct vgpu_request_IMAGE_BEGIN {
    uint64_t bytes;
};
struct vgpu_request_IMAGE_DATA {
    uint32_t image, unused;
};
struct vgpu_request_IMAGE_LOAD {
    uint32_t image, unused;
};
struct vgpu_request_IMAGE_UNLOAD {
    uint32_t image, unused;
};
struct vgpu_request_KERNEL {
    uint32_t image, unused;
};
struct vgpu_request_SYMBOL {
    uint32_t image, unused;
};
struct vgpu_request_MALLOC {
    uint64_t bytes;
    uint32_t kind, unused; /* vgpu_memory_kind */
};
struct vgpu_request_FREE {
    uint64_t address;
};
/* One copy of total bytes at `to` comes as chunks in order; this one starts at
 * offset. The first chunk is refused when the whole does not fit. */
struct vgpu_request_WRITE {
    uint64_t to, total, offset;
};
struct vgpu_request_READ {
    uint64_t from, total, offset, bytes;
};
struct vgpu_request_COPY {
    uint64_t to, from, bytes;
};
struct vgpu_request_FILL {
    uint64_t to, bytes;
    uint32_t byte, unused;
};
struct vgpu_request_LAUNCH {
    uint32_t kernel, is_cooperative, grid[3], block[3];
    uint64_t dynamic_smem_bytes;
};
struct vgpu_request_SET_SMEM {
    uint64_t bytes;
    uint32_t kernel, unused;
};
struct vgpu_request_MAX_BLOCKS {
    uint64_t smem;
    uint32_t kernel, threads;
};
struct vgpu_request_MEM_INFO VGPU_NO_FIELDS;
struct vgpu_request_POINTER {
    uint64_t address;
};
struct vgpu_request_SYNC VGPU_NO_FIELDS;
struct vgpu_request_OUTPUT VGPU_NO_FIELDS;
struct vgpu_request_RESET VGPU_NO_FIELDS;
struct vgpu_request_MISUSE {
    uint32_t misuse, call;
    uint64_t address;
};
/* access: 0 read, 1 write, 2 not known. is_managed: the address is the host's
 * to use, but a kernel that was launched may still be at it. */
struct vgpu_request_FAULT {
    uint64_t address;
    uint32_t access, is_managed;
};

struct vgpu_reply_HELLO { /* struct vgpu_profile, in its order */
    int32_t capability, sms, warps_per_sm, blocks_per_sm, registers_per_sm;
    int32_t smem_per_sm, smem_per_block, smem_per_block_optin, memory_mib;
    int32_t unused;
};
struct vgpu_reply_IMAGE_BEGIN {
    uint32_t image, unused;
};
struct vgpu_reply_IMAGE_DATA VGPU_NO_FIELDS;
struct vgpu_reply_IMAGE_LOAD VGPU_NO_FIELDS;
struct vgpu_reply_IMAGE_UNLOAD VGPU_NO_FIELDS;
struct vgpu_reply_KERNEL {
    uint32_t kernel, n_params, param_bytes, static_smem_bytes, local_bytes;
    uint32_t registers, max_threads_per_block, ptx_target;
};
struct vgpu_reply_SYMBOL {
    uint64_t address, bytes;
};
struct vgpu_reply_MALLOC {
    uint64_t address;
};
struct vgpu_reply_FREE VGPU_NO_FIELDS;
struct vgpu_reply_WRITE VGPU_NO_FIELDS;
struct vgpu_reply_READ VGPU_NO_FIELDS;
struct vgpu_reply_COPY VGPU_NO_FIELDS;
struct vgpu_reply_FILL VGPU_NO_FIELDS;
struct vgpu_reply_LAUNCH VGPU_NO_FIELDS;
struct vgpu_reply_SET_SMEM VGPU_NO_FIELDS;
struct vgpu_reply_MAX_BLOCKS {
    int32_t blocks;
    uint32_t unused;
};
struct vgpu_reply_MEM_INFO {
    uint64_t free_bytes, total_bytes;
};
struct vgpu_reply_POINTER {
    uint64_t address, bytes;
};
struct vgpu_reply_SYNC VGPU_NO_FIELDS;
struct vgpu_reply_OUTPUT VGPU_NO_FIELDS;
struct vgpu_reply_RESET VGPU_NO_FIELDS;
struct vgpu_reply_MISUSE VGPU_NO_FIELDS;
struct vgpu_reply_FAULT VGPU_NO_FIELDS;

/* Room for any fixed part, aligned for it. */
union vgpu_any_request {
#define X(name, in, out, flags, text) struct vgpu_request_##name name;
#include "requests.def"
#undef X
};
union vgpu_any_reply {
#define X(name, in, out, flags, text) struct vgpu_reply_##name name;
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
/* recv that asks again for a moment, giving way to others, before it says
 * EAGAIN: the other side mostly answers sooner than a sleeper wakes up on
 * another core. */
ssize_t vgpu_receive_soon(int fd, void *to, size_t bytes);
/* "cudaMalloc"; NULL: no such call. */
const char *vgpu_call_name(unsigned call);

#endif
