/* SPDX-License-Identifier: MIT
 *
 * server.h: what the files of the server share. A session is one program's
 * channel: its input buffer, and what the program made on the device and must
 * lose when it ends.
 */
#pragma once

#include "device_hooks.h"
#include "protocol.h"
#include "vgpu.h"

enum { /* of cudaError_t */
       CUDA_INVALID_VALUE = 1,
       CUDA_OUT_OF_MEMORY = 2,
       CUDA_INVALID_HANDLE = 400,
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
    bool is_gone;
};

struct server_kernel {
    vgpu_kernel *kernel; /* NULL: its image was unloaded */
    uint32_t image;
};

struct vgpu_session {
    vgpu_device *device;
    int fd;
    uint32_t client_fd; /* what the client calls its end; 0: not said */
    bool is_broken;     /* the protocol was violated */
    bool was_short;     /* out of memory, without having been told to be */
    int64_t write_deadline_ns;
    int64_t asked_ns; /* when the caller was asked whether time is over */
    int sticky_error; /* cudaError_t of the fault that ended the context */
    unsigned n_reports;
    /* What the client is asked for: findings from here on, or the call that
     * there was no room for. */
    size_t n_findings_before;
    bool was_refused, was_part, was_failed, was_launched, has_told_null;
    uint64_t was_allocated; /* an address that is named by its line; or 0 */
    uint64_t was_freed;     /* likewise */
    struct server_image *images;
    size_t n_images, images_capacity;
    uint64_t image_bytes; /* held by all images */
    struct server_kernel *kernels;
    size_t n_kernels, kernels_capacity;
    struct server_set allocations;
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
                       vgpu_finding_kind, const char *message);
size_t server_n_findings(const struct vgpu_session *);
/* Something that has no line yet was seen since there were n_before findings.
 */
bool server_wants_callers(const struct vgpu_session *, size_t n_before);
/* Unloads every module and frees what the program allocated. */
void server_release_all(struct vgpu_session *);
void server_unload_all(struct vgpu_session *);
