/* SPDX-License-Identifier: MIT
 *
 * client_images.c: what a program registers before main. Constructors only
 * note where things are; an image travels to the device when the first kernel
 * or variable in it is asked for, so that a program pays for what it uses.
 *
 * A registered wrapper is {u32 0x466243B1, u32 version, container *data,
 * void *extra}. In version 2 (device linking) extra is a list of containers
 * that ends in NULL, one for each source; the device links what is in them. A
 * container is {u32 0xBA55ED50, u16 version, u16 header bytes, u64 bytes after
 * the header}; an empty one may come first.
 */
#include "client.h"

#include <stdlib.h>
#include <string.h>

enum { WRAPPER_MAGIC = 0x466243B1, WRAPPER_LINKED = 2, CONTAINERS_MAX = 4096 };
static const uint32_t container_magic = 0xBA55ED50u;

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *linked;
};

struct container_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

/* Registered things, newest first; constructors run before any thread. */
static struct registry {
    struct client_image *images;
    struct client_function *functions;
    struct client_variable *variables;
} registry;

static void add_container(struct client_image *image, const void *bytes) {
    const struct container_header *header = bytes;
    if (!bytes || header->magic != container_magic || header->bytes == 0)
        return;
    size_t n = image->n_containers + 1;
    struct client_container *grown =
        realloc(image->containers, n * sizeof *grown);
    if (!grown) return;
    image->containers = grown;
    grown[n - 1] = (struct client_container){
        .bytes = bytes, .n_bytes = header->header_bytes + header->bytes};
    image->n_containers = n;
}

CUDA_API void **__cudaRegisterFatBinary(void *fatbin) {
    const struct wrapper *wrapper = fatbin;
    struct client_image *image = calloc(1, sizeof *image);
    if (!image) return NULL;
    if (wrapper->magic == WRAPPER_MAGIC) {
        add_container(image, wrapper->data);
        image->is_linked = wrapper->version == WRAPPER_LINKED;
        if (image->is_linked && wrapper->linked)
            for (int i = 0; i < CONTAINERS_MAX && wrapper->linked[i]; i++)
                add_container(image, wrapper->linked[i]);
    }
    client_lock();
    image->next = registry.images;
    registry.images = image;
    client_unlock();
    return (void **)image;
}

CUDA_API void __cudaRegisterFatBinaryEnd(UNUSED void **handle) {}

/* Runs at exit and at dlclose. Kernels of a closed library must not be found
 * by an address that something else may get. */
CUDA_API void __cudaUnregisterFatBinary(void **handle) {
    struct client_image *image = (struct client_image *)handle;
    if (!image) return;
    client_lock();
    for (struct client_function *f = registry.functions; f; f = f->next)
        if (f->image == image) f->host = NULL;
    for (struct client_variable *v = registry.variables; v; v = v->next)
        if (v->image == image) v->host = NULL;
    image->n_containers = 0; /* their bytes go with the library */
    client_unlock();
}

CUDA_API void __cudaRegisterFunction(void **handle, const char *host,
                                     UNUSED char *device_function,
                                     const char *device_name,
                                     UNUSED int thread_limit, UNUSED void *tid,
                                     UNUSED void *bid, UNUSED void *block,
                                     UNUSED void *grid, UNUSED int *warp) {
    struct client_function *f = calloc(1, sizeof *f);
    if (!f) return;
    f->host = host;
    f->name = device_name;
    f->image = (struct client_image *)handle;
    client_lock();
    f->next = registry.functions;
    registry.functions = f;
    client_unlock();
}

static void register_variable(struct client_variable fresh) {
    struct client_variable *v = malloc(sizeof *v);
    if (!v) return;
    *v = fresh;
    client_lock();
    if (v->managed) v->image->has_managed = true;
    v->next = registry.variables;
    registry.variables = v;
    client_unlock();
}

CUDA_API void __cudaRegisterVar(void **handle, char *host,
                                UNUSED char *device_address,
                                const char *device_name, UNUSED int ext,
                                size_t bytes, UNUSED int is_constant,
                                UNUSED int is_global) {
    register_variable(
        (struct client_variable){.host = host,
                                 .name = device_name,
                                 .image = (struct client_image *)handle,
                                 .bytes = bytes});
}

CUDA_API void __cudaRegisterManagedVar(void **handle, void **host_address,
                                       UNUSED char *device_address,
                                       const char *device_name, UNUSED int ext,
                                       size_t bytes, UNUSED int is_constant,
                                       UNUSED int is_global) {
    if (!handle) return;
    register_variable(
        (struct client_variable){.managed = host_address,
                                 .name = device_name,
                                 .image = (struct client_image *)handle,
                                 .bytes = bytes});
}

CUDA_API void __cudaRegisterHostVar(UNUSED void **handle,
                                    UNUSED const char *name, UNUSED char *host,
                                    UNUSED size_t bytes) {}

CUDA_API void __cudaRegisterUnifiedTable(UNUSED void **handle,
                                         UNUSED void *table) {}

static void refuse_managed(struct client_image *image) {
    if (!image->has_managed || (client_can_map() && client_n_gpus() == 1))
        return;
    image->has_managed = false; /* say it once */
    client_say("__managed__ variables are not supported by the virtual GPU");
    client_misuse(VGPU_MISUSE_MANAGED, VGPU_CALL___cudaRegisterManagedVar, 0,
                  cudaErrorNotSupported);
}

/* Host code finds a managed variable through a pointer of its own, which is
 * its name for it as well. */
static int map_managed(struct client_image *image) {
    int error = cudaSuccess;
    image->managed_is_ready = true;
    for (struct client_variable *v = registry.variables; v; v = v->next) {
        if (v->image != image || !v->managed) continue;
        int failure = client_variable_resolve(v);
        void *at = (void *)(uintptr_t)v->address;
        if (!failure)
            failure = client_map(at, v->bytes, VGPU_MEMORY_MANAGED, true);
        if (!failure) *v->managed = at;
        if (!failure) v->host = at;
        if (failure) error = failure;
    }
    return error;
}

/* Called before host code uses a managed variable of the image. */
CUDA_API char __cudaInitModule(void **handle) {
    struct client_image *image = (struct client_image *)handle;
    int error = cudaSuccess;
    client_lock();
    if (handle && client_connect() == cudaSuccess) {
        refuse_managed(image);
        if (image->has_managed && !image->managed_is_ready)
            error = map_managed(image);
    }
    client_end(error);
    return 1;
}

/* A cudaKernel_t, which is our struct's address, may stand for the stub. */
struct client_function *client_function_find(const void *host) {
    struct client_function *f = registry.functions;
    while (f && (!host || (f->host != host && f != host))) f = f->next;
    return f;
}

struct client_variable *client_variable_find(const void *host) {
    struct client_variable *v = registry.variables;
    while (v && (v->host != host || !host)) v = v->next;
    return v;
}

static int send_bytes(struct client_container *container) {
    const char *bytes = container->bytes;
    struct vgpu_request_IMAGE_DATA data = {.image =
                                               container->to[client_gpu()].id};
    int error = cudaSuccess;
    for (size_t at = 0; !error && at < container->n_bytes;) {
        size_t n = container->n_bytes - at;
        if (n > VGPU_CHUNK) n = VGPU_CHUNK;
        struct client_call call = {.request = VGPU_REQUEST_IMAGE_DATA,
                                   .fixed = &data,
                                   .tail = bytes + at,
                                   .tail_bytes = n};
        error = client_send(&call);
        at += n;
    }
    return error;
}

static int send_container(struct client_container *container) {
    struct vgpu_request_IMAGE_BEGIN begin = {.bytes = container->n_bytes};
    struct vgpu_reply_IMAGE_BEGIN reply = {0};
    struct client_sent *sent = &container->to[client_gpu()];
    if (sent->is_sent) return sent->error;
    int error = client_ask(VGPU_REQUEST_IMAGE_BEGIN, &begin, &reply);
    if (!error) {
        struct vgpu_request_IMAGE_LOAD load = {.image = reply.image};
        sent->id = reply.image;
        error = send_bytes(container);
        if (!error) error = client_ask(VGPU_REQUEST_IMAGE_LOAD, &load, NULL);
    }
    sent->is_sent = true;
    sent->error = error;
    return error;
}

/* The parts of a linked program are one image; the first stands for all. */
static int send_linked(struct client_image *image) {
    struct client_sent *first = &image->containers[0].to[client_gpu()];
    struct vgpu_request_IMAGE_BEGIN begin = {0};
    struct vgpu_reply_IMAGE_BEGIN reply = {0};
    if (first->is_sent) return first->error;
    for (size_t i = 0; i < image->n_containers; i++)
        begin.bytes += image->containers[i].n_bytes;
    int error = client_ask(VGPU_REQUEST_IMAGE_BEGIN, &begin, &reply);
    struct vgpu_request_IMAGE_LOAD load = {.image = reply.image};
    for (size_t i = 0; !error && i < image->n_containers; i++) {
        image->containers[i].to[client_gpu()].id = reply.image;
        error = send_bytes(&image->containers[i]);
    }
    if (!error) error = client_ask(VGPU_REQUEST_IMAGE_LOAD, &load, NULL);
    first->is_sent = true;
    first->error = error;
    return error;
}

int client_image_load(struct client_image *image) {
    int error = image->n_containers ? cudaSuccess
                                    : (int)cudaErrorNoKernelImageForDevice;
    if (!error && image->is_linked) return send_linked(image);
    for (size_t i = 0; !error && i < image->n_containers; i++)
        error = send_container(&image->containers[i]);
    return error;
}

/* Of all GPUs; what a linked one's first container says, all say. */
int client_image_unload(struct client_image *image) {
    int error = cudaSuccess, gpu = client_gpu();
    size_t n =
        image->is_linked && image->n_containers ? 1 : image->n_containers;
    for (int g = 0; g < client_n_gpus(); g++)
        for (size_t i = 0; i < n; i++) {
            struct client_sent *sent = &image->containers[i].to[g];
            struct vgpu_request_IMAGE_UNLOAD request = {.image = sent->id};
            if (!sent->is_sent || sent->error) continue;
            client_use_gpu(g);
            error = client_ask(VGPU_REQUEST_IMAGE_UNLOAD, &request, NULL);
            sent->is_sent = false;
        }
    client_use_gpu(gpu);
    return error;
}

/* Asks every container of the image in turn for a name, until one has it. */
static int find_in_image(struct client_image *image,
                         const struct client_call *question, int not_found,
                         size_t *tail_bytes) {
    struct vgpu_request_KERNEL where = {0}; /* SYMBOL's has the same form */
    struct client_call call = *question;
    int result =
        image->n_containers ? not_found : (int)cudaErrorNoKernelImageForDevice;
    int error = client_connect();
    if (error) return error;
    refuse_managed(image);
    call.fixed = &where;
    size_t n = image->n_containers;
    if (image->is_linked && n) n = 1;
    for (size_t i = 0; i < n; i++) {
        error = image->is_linked ? send_linked(image)
                                 : send_container(&image->containers[i]);
        if (!error) {
            where.image = image->containers[i].to[client_gpu()].id;
            error = client_send(&call);
            *tail_bytes = call.reply_tail_bytes;
            if (!error) return cudaSuccess;
        }
        if (error != not_found) result = error;
    }
    return result;
}

static int ask_for_function(struct client_function *f) {
    static uint32_t pairs[VGPU_CHUNK / sizeof(uint32_t)]; /* under the lock */
    struct client_call call = {.request = VGPU_REQUEST_KERNEL,
                               .tail = f->name,
                               .tail_bytes = strlen(f->name),
                               .reply = &f->info,
                               .reply_tail = pairs,
                               .reply_tail_capacity = sizeof pairs};
    if (call.tail_bytes > VGPU_NAME_MAX) return cudaErrorInvalidDeviceFunction;
    size_t bytes = 0;
    int error =
        find_in_image(f->image, &call, cudaErrorInvalidDeviceFunction, &bytes);
    if (error) return error;
    free(f->parameters);
    f->parameters = malloc(bytes + 1);
    if (!f->parameters) return cudaErrorMemoryAllocation;
    memcpy(f->parameters, pairs, bytes);
    return cudaSuccess;
}

int client_function_resolve(struct client_function *f) {
    struct client_resolved *on = &f->on[client_gpu()];
    if (!on->is_resolved) {
        on->error = ask_for_function(f);
        /* A fault elsewhere is no property of this kernel: ask again. */
        on->is_resolved = on->error == cudaSuccess ||
                          on->error == cudaErrorInvalidDeviceFunction;
        on->kernel = f->info.kernel;
    }
    f->info.kernel = on->kernel;
    return on->error;
}

int client_variable_resolve(struct client_variable *v) {
    struct vgpu_reply_SYMBOL reply;
    struct client_call call = {.request = VGPU_REQUEST_SYMBOL,
                               .tail = v->name,
                               .tail_bytes = strlen(v->name),
                               .reply = &reply};
    uint64_t *on = &v->on[client_gpu()];
    v->address = *on;
    if (v->address) return cudaSuccess;
    if (call.tail_bytes > VGPU_NAME_MAX) return cudaErrorInvalidSymbol;
    size_t none;
    int error = find_in_image(v->image, &call, cudaErrorInvalidSymbol, &none);
    if (error) return error;
    v->address = *on = reply.address;
    v->bytes = reply.bytes;
    return cudaSuccess;
}

static bool is_mapped(const struct client_variable *v) {
    return v->managed && v->image->managed_is_ready &&
           client_mapped_kind(*v->managed) == VGPU_MEMORY_MANAGED;
}

void client_images_keep(void) {
    for (struct client_variable *v = registry.variables; v; v = v->next) {
        free(v->kept);
        v->kept = is_mapped(v) ? malloc(v->bytes) : NULL;
        if (v->kept) memcpy(v->kept, *v->managed, v->bytes);
    }
}

static void restore(struct client_variable *v) {
    if (v->kept && is_mapped(v)) memcpy(*v->managed, v->kept, v->bytes);
    free(v->kept);
    v->kept = NULL;
}

void client_images_forget(void) {
    for (struct client_image *i = registry.images; i; i = i->next)
        for (size_t c = 0; c < i->n_containers; c++)
            i->containers[c].to[client_gpu()].is_sent = false;
    for (struct client_function *f = registry.functions; f; f = f->next)
        f->on[client_gpu()].is_resolved = false;
    for (struct client_variable *v = registry.variables; v; v = v->next)
        v->address = v->on[client_gpu()] = 0;
    for (struct client_image *i = registry.images; i; i = i->next)
        if (i->managed_is_ready && !client_gpu()) map_managed(i);
    for (struct client_variable *v = registry.variables; v; v = v->next)
        restore(v);
}
