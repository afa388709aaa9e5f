/* SPDX-License-Identifier: MIT
 *
 * client_volumes.c: memory in three dimensions: rows with a pitch, slices of
 * rows. Arrays, which are for textures, are refused.
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

static bool fits(const struct rt_pitched *p, const struct rt_pos *at,
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

static int copy(vgpu_call call, const struct rt_copy3d *p) {
    int error = client_connect();
    if (error) return error;
    if (!p) return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray)
        return client_misuse(VGPU_MISUSE_NOT_SUPPORTED, call, 0,
                             cudaErrorNotSupported);
    if (!fits(&p->srcPtr, &p->srcPos, &p->extent) ||
        !fits(&p->dstPtr, &p->dstPos, &p->extent))
        return cudaErrorInvalidPitchValue;
    int kind = p->kind;
    for (size_t z = 0; !error && z < p->extent.depth; z++)
        for (size_t y = 0; !error && y < p->extent.height; y++) {
            error = client_copy(call, row_of(&p->dstPtr, &p->dstPos, y, z),
                                row_of(&p->srcPtr, &p->srcPos, y, z),
                                p->extent.width, kind);
            kind = RT_COPY_DEFAULT; /* what is wrong with it is told once */
        }
    return error;
}

CUDA_API int cudaMemcpy3D(const struct rt_copy3d *p) {
    client_lock();
    int error = client_synchronous();
    return client_end(error ? error : copy(VGPU_CALL_cudaMemcpy3D, p));
}
CUDA_ALSO(cudaMemcpy3D_ptds, cudaMemcpy3D);

CUDA_API int cudaMemcpy3DAsync(const struct rt_copy3d *p, void *stream) {
    client_lock();
    int error = client_not_captured(VGPU_CALL_cudaMemcpy3DAsync, stream);
    return client_end(error ? error : copy(VGPU_CALL_cudaMemcpy3DAsync, p));
}
CUDA_ALSO(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

static int fill(vgpu_call call, struct rt_pitched to, int byte,
                struct rt_extent extent) {
    const struct rt_pos origin = {0, 0, 0};
    int error = client_connect();
    if (!error && !fits(&to, &origin, &extent)) error = cudaErrorInvalidValue;
    for (size_t z = 0; !error && z < extent.depth; z++)
        for (size_t y = 0; !error && y < extent.height; y++)
            error = client_fill(call, row_of(&to, &origin, y, z), byte,
                                extent.width);
    return error;
}

CUDA_API int cudaMemset3D(struct rt_pitched to, int byte,
                          struct rt_extent extent) {
    client_lock();
    int error = client_synchronous();
    return client_end(error ? error
                            : fill(VGPU_CALL_cudaMemset3D, to, byte, extent));
}
CUDA_ALSO(cudaMemset3D_ptds, cudaMemset3D);

CUDA_API int cudaMemset3DAsync(struct rt_pitched to, int byte,
                               struct rt_extent extent, void *stream) {
    client_lock();
    int error = client_not_captured(VGPU_CALL_cudaMemset3DAsync, stream);
    return client_end(
        error ? error : fill(VGPU_CALL_cudaMemset3DAsync, to, byte, extent));
}
CUDA_ALSO(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
