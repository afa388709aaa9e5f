/* SPDX-License-Identifier: MIT
 *
 * client_textures.c: texture and surface objects: from their descriptions to
 * what the device keeps. What it has none of (mipmaps, cubes, views, sRGB) is
 * refused.
 */
#include "client.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_FLOAT = 2, READ_NORMALISED = 1, FILTER_LINEAR = 1 };

/* What was described, for those who ask. */
struct object {
    uint64_t handle;
    struct rt_resource resource;
    struct rt_texture texture;
    bool is_surface;
    struct object *next;
};
static struct object *objects; /* guarded by the lock */

static struct object **object_at(uint64_t handle, bool is_surface) {
    struct object **at = &objects;
    while (*at && ((*at)->handle != handle || (*at)->is_surface != is_surface))
        at = &(*at)->next;
    return at;
}

static void describe_array(const struct client_array *a,
                           struct vgpu_request_TEXTURE *t) {
    t->address = (uint64_t)(uintptr_t)a->memory;
    t->pitch = a->pitch;
    t->slice = a->pitch * client_array_rows(a);
    t->width = (uint32_t)a->extent.width;
    t->height = (uint32_t)client_array_rows(a);
    t->depth = (uint32_t)client_array_slices(a);
    t->is_layered = (a->flags & RT_ARRAY_LAYERED) != 0;
    t->dims = t->is_layered || !a->extent.depth ? a->extent.height ? 2 : 1 : 3;
}

/* NULL: there is no format. */
static const struct rt_channel_desc *
texture_describe(const struct rt_resource *r, struct vgpu_request_TEXTURE *t) {
    t->height = t->depth = t->dims = 1;
    if (r->kind == RT_RESOURCE_ARRAY) {
        const struct client_array *a = client_array_find(r->array);
        if (a) describe_array(a, t);
        return a ? &a->desc : NULL;
    }
    size_t element = client_element_bytes(&r->memory.desc);
    if (!element || !client_is_device_address(r->memory.pointer)) return NULL;
    bool is_linear = r->kind == RT_RESOURCE_LINEAR;
    t->address = (uint64_t)(uintptr_t)r->memory.pointer;
    t->is_linear = is_linear;
    t->width =
        (uint32_t)(is_linear ? r->memory.size / element : r->memory.size);
    if (!is_linear) {
        t->height = (uint32_t)r->memory.height;
        t->pitch = r->memory.pitch;
        t->dims = 2;
    }
    return &r->memory.desc;
}

static void set_format(const struct rt_channel_desc *d,
                       struct vgpu_request_TEXTURE *t) {
    const int bits[4] = {d->x, d->y, d->z, d->w};
    t->bits = (uint32_t)d->x;
    t->kind = (uint32_t)d->f;
    while (t->channels < 4 && bits[t->channels]) t->channels++;
}

static bool has_border(const struct rt_texture *d) {
    for (int k = 0; k < 4; k++)
        if (d->border[k] != 0) return true;
    return false;
}

/* A cudaError_t; *refused: it is what the virtual GPU does not have. */
static int set_texture(const struct rt_texture *d,
                       struct vgpu_request_TEXTURE *t, bool *refused) {
    bool wide = t->kind == KIND_FLOAT || t->bits == 32;
    bool reals = t->kind == KIND_FLOAT || d->read_mode == READ_NORMALISED;
    if (d->filter == FILTER_LINEAR && t->kind != KIND_FLOAT && (!reals || wide))
        return cudaErrorInvalidFilterSetting;
    if (d->read_mode == READ_NORMALISED && wide)
        return cudaErrorInvalidNormSetting;
    *refused = d->srgb || (!reals && has_border(d));
    for (int k = 0; k < 3; k++) t->mode[k] = (uint32_t)d->mode[k];
    t->filters = d->filter == FILTER_LINEAR && !t->is_linear;
    t->reads_normalised = d->read_mode == READ_NORMALISED;
    t->takes_normalised = d->is_normalised != 0;
    memcpy(t->border, d->border, sizeof t->border);
    return cudaSuccess;
}

static int texture_keep(uint64_t handle, const struct rt_resource *r,
                        const struct rt_texture *d) {
    struct object *o = calloc(1, sizeof *o);
    if (!o) return cudaErrorMemoryAllocation;
    *o = (struct object){.handle = handle, .resource = *r, .next = objects};
    o->is_surface = !d;
    if (d) o->texture = *d;
    objects = o;
    return cudaSuccess;
}

/* d NULL: a surface. */
static int create(unsigned long long *handle, const struct rt_resource *r,
                  const struct rt_texture *d, bool *refused) {
    struct vgpu_request_TEXTURE t = {.is_surface = !d};
    struct vgpu_reply_TEXTURE reply = {0};
    int error = client_connect();
    if (error) return error;
    *refused = !client_can_map() || (r && r->kind == RT_RESOURCE_MIPMAPPED);
    if (*refused) return cudaSuccess;
    if (!handle || !r || r->kind < 0 || r->kind > RT_RESOURCE_PITCH)
        return cudaErrorInvalidValue;
    const struct rt_channel_desc *format = texture_describe(r, &t);
    if (!format) return cudaErrorInvalidValue;
    set_format(format, &t);
    bool is_array = r->kind == RT_RESOURCE_ARRAY;
    /* The flag cudaArraySurfaceLoadStore is not asked for by a GPU either. */
    if (!d && !is_array) return cudaErrorInvalidValue;
    if (d) error = set_texture(d, &t, refused);
    if (error || *refused) return error;
    error = client_ask(VGPU_REQUEST_TEXTURE, &t, &reply);
    if (!error) error = texture_keep(reply.handle, r, d);
    if (!error) *handle = reply.handle;
    return error;
}

CUDA_API int cudaCreateTextureObject(unsigned long long *texture,
                                     const struct rt_resource *resource,
                                     const struct rt_texture *description,
                                     const void *view) {
    bool refused = false;
    client_lock();
    int error = description ? create(texture, resource, description, &refused)
                            : (int)cudaErrorInvalidValue;
    if (!refused && !view) return client_end(error);
    client_unlock();
    return client_refuse(VGPU_CALL_cudaCreateTextureObject);
}

CUDA_API int cudaCreateSurfaceObject(unsigned long long *surface,
                                     const struct rt_resource *resource) {
    bool refused = false;
    client_lock();
    int error = create(surface, resource, NULL, &refused);
    if (!refused) return client_end(error);
    client_unlock();
    return client_refuse(VGPU_CALL_cudaCreateSurfaceObject);
}

static int destroy(unsigned long long handle, bool is_surface) {
    struct vgpu_request_TEXTURE_GONE request = {.handle = handle};
    int error = client_begin();
    struct object **at = object_at(handle, is_surface), *gone = *at;
    if (error || !gone) return client_end(error); /* as a GPU does */
    error = client_ask(VGPU_REQUEST_TEXTURE_GONE, &request, NULL);
    *at = gone->next;
    free(gone);
    return client_end(error);
}

CUDA_API int cudaDestroyTextureObject(unsigned long long texture) {
    return destroy(texture, false);
}
CUDA_API int cudaDestroySurfaceObject(unsigned long long surface) {
    return destroy(surface, true);
}

static int describe_object(unsigned long long handle, bool is_surface,
                           struct rt_resource *r, struct rt_texture *d) {
    int error = client_begin();
    const struct object *o = *object_at(handle, is_surface);
    if (!error && !o) error = cudaErrorInvalidValue;
    if (!error && r) *r = o->resource;
    if (!error && d) *d = o->texture;
    return client_end(error);
}

CUDA_API int cudaGetTextureObjectResourceDesc(struct rt_resource *to,
                                              unsigned long long texture) {
    return describe_object(texture, false, to, NULL);
}
CUDA_API int cudaGetTextureObjectTextureDesc(struct rt_texture *to,
                                             unsigned long long texture) {
    return describe_object(texture, false, NULL, to);
}
CUDA_API int cudaGetSurfaceObjectResourceDesc(struct rt_resource *to,
                                              unsigned long long surface) {
    return describe_object(surface, true, to, NULL);
}
