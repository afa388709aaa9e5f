/* SPDX-License-Identifier: MIT
 *
 * client.h: what the files of the client (libcudart.so.13) share.
 *
 * A CUDA program has one runtime and reaches it through functions without a
 * handle, so the client is the one place in ScanLab with process-wide state:
 * struct client, in client.c. Every function here that touches it is called
 * with its lock held, unless it says that it takes the lock itself.
 */
#ifndef VGPU_CLIENT_H
#define VGPU_CLIENT_H

#include "client_layout.h"
#include "protocol.h"
#include "vgpu.h"

/* A function of the CUDA runtime's interface. */
#define CUDA_API __attribute__((visibility("default")))
/* A second name for one (per-thread default stream; everything is in order
 * here, so the default stream of a thread is no different). */
#define CUDA_ALSO(other, name)                                                 \
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
/* Connects at the first call. A cudaError_t; the reason is said once. */
int client_connect(void);
const struct vgpu_reply_HELLO *client_device(void);
const char *client_device_name(void);

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
/* Tells the device what the client refused to do, and returns error. */
int client_misuse(vgpu_misuse, vgpu_call, uint64_t address, int error);
/* One line on stderr, "vgpu: " before it. */
__attribute__((format(printf, 1, 2))) void client_say(const char *format, ...);
/* Ends a call: unlocks, keeps an error for cudaGetLastError, returns it. */
int client_end(int error);
/* The same for a call that never locked. */
int client_keep(int error);

/* ---- faults (client_fault.c) ---- */
void client_fault_install(int fd);

/* ---- registration (client_images.c) ---- */
struct client_container { /* one fatbin container in the program's memory */
    const void *bytes;
    size_t n_bytes;
    bool is_sent;
    int error; /* of loading it */
    uint32_t id;
};

struct client_image { /* what __cudaRegisterFatBinary was given */
    struct client_container *containers;
    size_t n_containers;
    bool has_managed;
    struct client_image *next;
};

struct client_parameter {
    uint32_t offset, bytes;
};

struct client_function {
    const void *host; /* the stub's address, by which the program names it */
    const char *name; /* mangled */
    struct client_image *image;
    bool is_resolved;
    int error; /* of resolving */
    struct vgpu_reply_KERNEL info;
    struct client_parameter *parameters; /* info.n_params */
    size_t max_dynamic_smem;             /* asked for; 0: the default */
    struct client_function *next;
};

struct client_variable {
    const void *host;
    const char *name;
    struct client_image *image;
    uint64_t address; /* 0: not resolved */
    size_t bytes;
    struct client_variable *next;
};

/* NULL: no such kernel. */
struct client_function *client_function_find(const void *host);
struct client_variable *client_variable_find(const void *host);
/* Loads the image and asks for the kernel, once. A cudaError_t. */
int client_function_resolve(struct client_function *);
int client_variable_resolve(struct client_variable *);
/* After cudaDeviceReset: everything has to be sent again. */
void client_images_forget(void);

/* ---- pointers and memory ---- */
static inline bool client_is_device(const void *pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    return address >= VGPU_ADDRESS_BASE && address < VGPU_ADDRESS_LIMIT;
}
/* Copies; the call's name is for findings. A cudaError_t. */
int client_copy(vgpu_call, void *to, const void *from, size_t bytes, int kind);
/* cudaMallocHost's and cudaHostRegister's memory (client_host_memory.c). */
bool client_host_find(const void *pointer, void **base);

/* ---- streams (client_streams.c) ---- */
bool client_stream_is_valid(const void *stream);

/* ---- attributes (client_device.c) ---- */
int client_attribute(int attribute, int *value);

#endif
