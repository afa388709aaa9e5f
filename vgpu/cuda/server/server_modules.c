/* SPDX-License-Identifier: MIT
 *
 * server_modules.c: the requests that turn a program's device images into
 * modules, find kernels and symbols in them, and launch.
 */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more item of a growing array; false: no memory. */
static bool reserve(void **items, size_t n, size_t *capacity, size_t bytes) {
    if (n < *capacity) return true;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    void *grown = realloc(*items, wanted * bytes);
    if (!grown) return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

static struct server_image *find_image(struct vgpu_session *session,
                                       uint32_t id) {
    if (id >= session->n_images || session->images[id].is_gone) return NULL;
    return &session->images[id];
}

static void drop_image(struct vgpu_session *session, uint32_t id) {
    struct server_image *image = &session->images[id];
    for (size_t i = 0; i < session->n_kernels; i++)
        if (session->kernels[i].image == id) session->kernels[i].kernel = NULL;
    if (image->module) vgpu_module_unload(session->device, image->module);
    session->image_bytes -= image->used;
    vgpu_discharge(session->device, image->capacity);
    free(image->bytes);
    *image = (struct server_image){.is_gone = true};
}

void server_unload_gpu(struct vgpu_session *session, unsigned gpu) {
    for (uint32_t i = 0; i < session->n_images; i++)
        if (!session->images[i].is_gone && session->images[i].gpu == gpu)
            drop_image(session, i);
}

int server_IMAGE_BEGIN(struct vgpu_session *session, struct server_call *call) {
    uint64_t bytes = call->request.IMAGE_BEGIN.bytes;
    if (bytes > VGPU_IMAGE_MAX || session->n_images >= SERVER_IMAGES_MAX)
        return CUDA_OUT_OF_MEMORY;
    void *items = session->images;
    if (!reserve(&items, session->n_images, &session->images_capacity,
                 sizeof *session->images))
        return CUDA_OUT_OF_MEMORY;
    session->images = items;
    session->images[session->n_images] = (struct server_image){
        .expected = bytes, .gpu = vgpu_gpu(session->device)};
    call->reply.IMAGE_BEGIN.image = (uint32_t)session->n_images++;
    return 0;
}

/* Grows with the bytes that came, not with those that were announced. */
static bool image_reserve(struct vgpu_session *session,
                          struct server_image *image, uint64_t wanted) {
    uint64_t capacity = image->capacity ? image->capacity : VGPU_CHUNK;
    while (capacity < wanted) capacity *= 2;
    if (capacity == image->capacity) return true;
    if (!vgpu_charge(session->device, capacity - image->capacity,
                     "the bytes of an image"))
        return false;
    unsigned char *grown = realloc(image->bytes, (size_t)capacity);
    if (!grown) {
        vgpu_discharge(session->device, capacity - image->capacity);
        return false;
    }
    image->bytes = grown;
    image->capacity = capacity;
    return true;
}

int server_IMAGE_DATA(struct vgpu_session *session, struct server_call *call) {
    struct server_image *image =
        find_image(session, call->request.IMAGE_DATA.image);
    if (!image || image->module) return CUDA_INVALID_HANDLE;
    if (call->tail_bytes > image->expected - image->used) {
        server_violation(session, "more image than announced");
        return CUDA_INVALID_VALUE;
    }
    if (call->tail_bytes > VGPU_IMAGE_MAX - session->image_bytes ||
        !image_reserve(session, image, image->used + call->tail_bytes))
        return CUDA_OUT_OF_MEMORY;
    memcpy(image->bytes + image->used, call->tail, call->tail_bytes);
    image->used += call->tail_bytes;
    session->image_bytes += call->tail_bytes;
    return 0;
}

/* Which finding an image that does not load is. */
static vgpu_finding_kind image_finding(vgpu_status status) {
    return status == VGPU_UNSUPPORTED      ? VGPU_FINDING_UNSUPPORTED
           : status == VGPU_LAUNCH_TIMEOUT ? VGPU_FINDING_BUDGET
                                           : VGPU_FINDING_BAD_IMAGE;
}

static void report_image(struct vgpu_session *session, size_t n_before,
                         vgpu_status status) {
    struct vgpu_message m;
    VGPU_SAY(&m, IMAGE, .why = vgpu_last_message(session->device));
    server_report_new(session, n_before, image_finding(status), &m);
}

int server_IMAGE_LOAD(struct vgpu_session *session, struct server_call *call) {
    struct server_image *image =
        find_image(session, call->request.IMAGE_LOAD.image);
    size_t n_findings = server_n_findings(session);
    if (!image || image->module || image->used != image->expected)
        return CUDA_INVALID_HANDLE;
    vgpu_status status = vgpu_module_load(session->device, image->bytes,
                                          (size_t)image->used, &image->module);
    if (status == VGPU_OK) return 0;
    image->module = NULL;
    report_image(session, n_findings, status);
    return server_error(status);
}

int server_IMAGE_UNLOAD(struct vgpu_session *session,
                        struct server_call *call) {
    uint32_t id = call->request.IMAGE_UNLOAD.image;
    if (!find_image(session, id)) return CUDA_INVALID_HANDLE;
    drop_image(session, id);
    return 0;
}

/* The tail as a C string; the input buffer is not ours to write into. */
static char *tail_name(const struct server_call *call) {
    return strndup((const char *)call->tail, call->tail_bytes);
}

/* The reply's tail: offset and size of each parameter. False: too many. */
static bool put_parameters(struct vgpu_session *session,
                           struct server_call *call,
                           const struct vgpu_kernel_info *info) {
    size_t bytes = info->n_params * 2 * sizeof(uint32_t);
    if (bytes > sizeof session->out) return false;
    uint32_t *to = (uint32_t *)(void *)session->out;
    for (size_t i = 0; i < info->n_params; i++) {
        *to++ = info->param_offset[i];
        *to++ = info->param_size[i];
    }
    call->reply_tail_bytes = bytes;
    return true;
}

static int add_kernel(struct vgpu_session *session, struct server_call *call,
                      vgpu_kernel *kernel) {
    struct vgpu_kernel_info info;
    void *items = session->kernels;
    vgpu_kernel_info(kernel, &info);
    if (session->n_kernels >= SERVER_KERNELS_MAX ||
        !put_parameters(session, call, &info) ||
        !reserve(&items, session->n_kernels, &session->kernels_capacity,
                 sizeof *session->kernels))
        return CUDA_OUT_OF_MEMORY;
    session->kernels = items;
    call->reply.KERNEL = (struct vgpu_reply_KERNEL){
        .kernel = (uint32_t)session->n_kernels,
        .n_params = (uint32_t)info.n_params,
        .param_bytes = (uint32_t)info.param_bytes,
        .static_smem_bytes = info.static_smem_bytes,
        .local_bytes = info.local_bytes,
        .registers = info.registers,
        .max_threads_per_block = info.max_threads_per_block,
        .ptx_target = (uint32_t)info.ptx_target,
        .cluster = {info.cluster[0], info.cluster[1], info.cluster[2]}};
    session->kernels[session->n_kernels++] = (struct server_kernel){
        .kernel = kernel, .image = call->request.KERNEL.image};
    return 0;
}

int server_KERNEL(struct vgpu_session *session, struct server_call *call) {
    struct server_image *image =
        find_image(session, call->request.KERNEL.image);
    vgpu_kernel *kernel = NULL;
    if (!image || !image->module) return CUDA_INVALID_HANDLE;
    char *name = tail_name(call);
    if (!name) return CUDA_OUT_OF_MEMORY;
    size_t n_findings = server_n_findings(session);
    vgpu_status status = vgpu_module_kernel(image->module, name, &kernel);
    free(name);
    if (status == VGPU_OK) return add_kernel(session, call, kernel);
    if (status != VGPU_INVALID_FUNCTION)
        report_image(session, n_findings, status);
    return server_error(status);
}

int server_SYMBOL(struct vgpu_session *session, struct server_call *call) {
    struct server_image *image =
        find_image(session, call->request.SYMBOL.image);
    size_t bytes = 0;
    if (!image || !image->module) return CUDA_INVALID_HANDLE;
    char *name = tail_name(call);
    if (!name) return CUDA_OUT_OF_MEMORY;
    vgpu_status status = vgpu_module_symbol(
        image->module, name, &call->reply.SYMBOL.address, &bytes);
    call->reply.SYMBOL.bytes = bytes;
    free(name);
    return server_error(status);
}

vgpu_kernel *server_kernel(const struct vgpu_session *session, uint32_t id) {
    return id < session->n_kernels ? session->kernels[id].kernel : NULL;
}

static bool is_sticky(vgpu_status status) {
    static const bool table[VGPU_N_STATUS] = {
#define X(name, cuda, sticky, text) sticky,
#include "vgpu_status.def"
#undef X
    };
    return status < VGPU_N_STATUS && table[status];
}

/* Has a finding said already that the code is refused, and why? */
static bool is_told(const struct vgpu_session *session, const char *why) {
    const struct vgpu_finding *list;
    size_t n = vgpu_findings(session->device, &list);
    for (size_t k = 0; k < n; k++) {
        const char *said = vgpu_message_string(&list[k].message, "why");
        if (list[k].kind == VGPU_FINDING_UNSUPPORTED && said &&
            strcmp(said, why) == 0)
            return true;
    }
    return false;
}

int server_launched(struct vgpu_session *session, vgpu_status status,
                    size_t n_findings) {
    session->was_launched = vgpu_names_launches(session->device);
    server_order_launched(session);
    if (status == VGPU_UNSUPPORTED &&
        !is_told(session, vgpu_last_message(session->device)))
        report_image(session, n_findings, status);
    if (!is_sticky(status)) return server_error(status);
    session->sticky_error = server_error(status);
    return 0;
}

/* CUDA's launches are asynchronous: a bad configuration is answered at once, a
 * fault inside the kernel by the next call and every one after it. */
int server_LAUNCH(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_LAUNCH *r = &call->request.LAUNCH;
    vgpu_kernel *kernel = server_kernel(session, r->kernel);
    if (!kernel) return CUDA_INVALID_HANDLE;
    size_t n_findings = server_n_findings(session);
    vgpu_set_cluster(session->device, r->cluster);
    vgpu_status status =
        (r->is_cooperative ? vgpu_launch_cooperative : vgpu_launch)(
            session->device, kernel, r->grid, r->block,
            (size_t)r->dynamic_smem_bytes, call->tail, call->tail_bytes);
    return server_launched(session, status, n_findings);
}
