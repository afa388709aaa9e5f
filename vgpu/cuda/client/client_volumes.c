/* SPDX-License-Identifier: MIT
 *
 * client_volumes.c: memory in three dimensions: rows with a pitch, slices of
 * rows, and arrays, which are for textures.
 */
#include "client.h"

CUDA_API int cudaMalloc3D(struct rt_pitched *to, struct rt_extent extent) {
    enum { PITCH = 512 };
    size_t row = (extent.width + PITCH - 1) / PITCH * PITCH, rows, bytes;
    void *pointer = NULL;
    if (!to || row < extent.width ||
        __builtin_mul_overflow(extent.height, extent.depth, &rows) ||
        __builtin_mul_overflow(row, rows, &bytes))
        return client_keep(cudaErrorInvalidValue);
    client_lock();
    int error = client_unsafe();
    if (!error) error = client_allocate(&pointer, bytes);
    if (!error)
        *to = (struct rt_pitched){pointer, row, extent.width, extent.height};
    return client_end(error);
}

static bool client_volumes_fits(const struct rt_pitched *p,
                                const struct rt_pos *at,
                                const struct rt_extent *extent) {
    return at->x <= p->pitch && extent->width <= p->pitch - at->x &&
           (extent->depth <= 1 ||
            (at->y <= p->ysize && extent->height <= p->ysize - at->y));
}

static char *row_of(const struct rt_pitched *p, const struct rt_pos *at,
                    size_t y, size_t z) {
    return (char *)p->ptr + ((at->z + z) * p->ysize + at->y + y) * p->pitch +
           at->x;
}

/* An array's memory stands for it. False: there is no such array. */
static bool side_of(const void *handle, struct rt_pitched *p, struct rt_pos *at,
                    size_t *element) {
    const struct client_array *a = client_array_find(handle);
    if (!handle) return true;
    if (!a) return false;
    *element = a->element;
    *p = (struct rt_pitched){a->memory, a->pitch, a->extent.width,
                             client_array_rows(a)};
    at->x *= a->element;
    return at->z <= client_array_slices(a);
}

static int copy(vgpu_call call, const struct rt_copy3d *p) {
    int error = client_connect();
    if (error) return error;
    if (!p) return cudaErrorInvalidValue;
    struct rt_copy3d own = *p;
    size_t element = 1;
    if (!side_of(own.srcArray, &own.srcPtr, &own.srcPos, &element) ||
        !side_of(own.dstArray, &own.dstPtr, &own.dstPos, &element))
        return cudaErrorInvalidValue;
    own.extent.width *= element; /* with an array: elements */
    p = &own;
    if (!client_volumes_fits(&p->srcPtr, &p->srcPos, &p->extent) ||
        !client_volumes_fits(&p->dstPtr, &p->dstPos, &p->extent))
        return cudaErrorInvalidPitchValue;
    int kind = p->kind;
    for (size_t z = 0; !error && z < p->extent.depth; z++) {
        const struct client_op slice = {
            .kind = CLIENT_OP_COPY,
            .call = call,
            .to = row_of(&p->dstPtr, &p->dstPos, 0, z),
            .to_pitch = p->dstPtr.pitch,
            .from = row_of(&p->srcPtr, &p->srcPos, 0, z),
            .from_pitch = p->srcPtr.pitch,
            .width = p->extent.width,
            .height = p->extent.height,
            .copy_kind = kind};
        error = client_copy_rows(&slice);
        kind = RT_COPY_DEFAULT; /* what is wrong with it is told once */
    }
    return error;
}

CLIENT_CALLS(cudaMemcpy3D, copy(call, p), const struct rt_copy3d *p);

static int client_volumes_fill(vgpu_call call, struct rt_pitched to, int byte,
                               struct rt_extent extent) {
    const struct rt_pos origin = {0, 0, 0};
    int error = client_connect();
    if (!error && !client_volumes_fits(&to, &origin, &extent))
        error = cudaErrorInvalidValue;
    for (size_t z = 0; !error && z < extent.depth; z++)
        for (size_t y = 0; !error && y < extent.height; y++)
            error = client_fill(call, row_of(&to, &origin, y, z), byte,
                                extent.width);
    return error;
}

CLIENT_CALLS(cudaMemset3D, client_volumes_fill(call, to, byte, extent),
             struct rt_pitched to, int byte, struct rt_extent extent);
