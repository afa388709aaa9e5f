/* SPDX-License-Identifier: MIT
 *
 * client_arrays.c: cudaArray_t and copies to and from it. Programs cannot look
 * inside one; here its rows lie one behind the other, with a pitch, in ordinary
 * device memory.
 */
#include "client.h"

#include <stdlib.h>

enum { ARRAY_MAGIC = 0x41525256, ARRAY_PITCH = 512, ALLOWED_FLAGS = 15 };

static struct client_array *arrays; /* guarded by the lock */

struct client_array *client_array_find(const void *handle) {
    struct client_array *a = arrays;
    while (a && a != handle) a = a->next;
    return a;
}

size_t client_element_bytes(const struct rt_channel_desc *d) {
    const int bits[4] = {d->x, d->y, d->z, d->w};
    int n = 0;
    while (n < 4 && bits[n]) n++;
    for (int k = 0; k < 4; k++)
        if (bits[k] != (k < n ? d->x : 0)) return 0;
    bool known = (d->x == 8 || d->x == 16 || d->x == 32) && n != 3 && n &&
                 d->f >= 0 && d->f <= 2 && (d->f != 2 || d->x > 8);
    return known ? (size_t)(n * d->x / 8) : 0;
}

/* Of the call, for programs of a judge. */
static bool arrays_are_there(void) {
    return client_connect() || client_can_map();
}

static int array_make(struct client_array **to,
                      const struct rt_channel_desc *desc,
                      struct rt_extent extent, unsigned flags) {
    size_t element = desc ? client_element_bytes(desc) : 0, row, bytes;
    int error = client_unsafe();
    if (error) return error;
    if (desc && !element) return cudaErrorInvalidChannelDescriptor;
    if (!to || !element || !extent.width || (flags & ~(unsigned)ALLOWED_FLAGS))
        return cudaErrorInvalidValue;
    struct client_array *a = calloc(1, sizeof *a);
    if (!a) return cudaErrorMemoryAllocation;
    *a = (struct client_array){.magic = ARRAY_MAGIC,
                               .desc = *desc,
                               .extent = extent,
                               .flags = flags,
                               .element = element};
    if (__builtin_mul_overflow(extent.width, element, &row) ||
        row > SIZE_MAX / 2)
        row = SIZE_MAX / 2;
    a->pitch = (row + ARRAY_PITCH - 1) / ARRAY_PITCH * ARRAY_PITCH;
    if (__builtin_mul_overflow(a->pitch, client_array_rows(a), &bytes) ||
        __builtin_mul_overflow(bytes, client_array_slices(a), &bytes))
        error = cudaErrorMemoryAllocation;
    if (!error) error = client_allocate(&a->memory, bytes);
    if (error) {
        free(a);
        return error;
    }
    a->next = arrays;
    arrays = a;
    *to = a;
    return cudaSuccess;
}

CUDA_API int cudaMallocArray(struct client_array **to,
                             const struct rt_channel_desc *desc, size_t width,
                             size_t height, unsigned flags) {
    const struct rt_extent extent = {width, height, 0};
    client_lock();
    bool there = arrays_are_there();
    if (there) return client_end(array_make(to, desc, extent, flags));
    client_unlock();
    return client_refuse(VGPU_CALL_cudaMallocArray);
}

CUDA_API int cudaMalloc3DArray(struct client_array **to,
                               const struct rt_channel_desc *desc,
                               struct rt_extent extent, unsigned flags) {
    enum { CUBE = 4 };
    client_lock();
    bool there = arrays_are_there() && !(flags & CUBE);
    if (there) return client_end(array_make(to, desc, extent, flags));
    client_unlock();
    return client_refuse(VGPU_CALL_cudaMalloc3DArray);
}

CUDA_API int cudaFreeArray(struct client_array *array) {
    client_lock();
    if (!array) return client_end(client_connect());
    struct client_array *a = client_array_find(array), **at = &arrays;
    if (!a) return client_end(cudaErrorInvalidValue);
    struct vgpu_request_FREE request = {.address =
                                            (uint64_t)(uintptr_t)a->memory};
    int error = client_unsafe();
    if (!error) error = client_ask(VGPU_REQUEST_FREE, &request, NULL);
    while (*at != a) at = &(*at)->next;
    *at = a->next;
    free(a);
    return client_end(error);
}

CUDA_API int cudaArrayGetInfo(struct rt_channel_desc *desc,
                              struct rt_extent *extent, unsigned *flags,
                              const struct client_array *array) {
    client_lock();
    const struct client_array *a = client_array_find(array);
    int error = a ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (a && desc) *desc = a->desc;
    if (a && extent) *extent = a->extent;
    if (a && flags) *flags = a->flags;
    return client_end(error);
}

CUDA_API int cudaGetChannelDesc(struct rt_channel_desc *desc,
                                const struct client_array *array) {
    return cudaArrayGetInfo(desc, NULL, NULL, array);
}

/* ---- copies ---- */

/* The place at byte x of row y, from where so many bytes of so many rows are
 * the array's. NULL: they are not. */
static char *array_place(const struct client_array *handle, size_t x, size_t y,
                         size_t width, size_t height, size_t *pitch) {
    const struct client_array *a = client_array_find(handle);
    if (!a) return NULL;
    size_t row = a->extent.width * a->element;
    size_t rows = client_array_rows(a) * client_array_slices(a);
    if (x > row || width > row - x || y > rows || height > rows - y)
        return NULL;
    *pitch = a->pitch;
    return (char *)a->memory + y * a->pitch + x;
}

static int copy_rows(vgpu_call call, void *to, size_t to_pitch,
                     const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind) {
    const struct client_op op = client_copy_op(call, to, to_pitch, from,
                                               from_pitch, width, height, kind);
    if (!to || !from) return cudaErrorInvalidValue;
    return client_copy_rows(&op);
}

static int to_array(vgpu_call call, struct client_array *to, size_t x, size_t y,
                    const void *from, size_t from_pitch, size_t width,
                    size_t height, int kind) {
    size_t pitch = 0;
    int error = client_connect();
    if (error) return error;
    void *at = array_place(to, x, y, width, height, &pitch);
    return copy_rows(call, at, pitch, from, from_pitch, width, height, kind);
}

static int from_array(vgpu_call call, void *to, size_t to_pitch,
                      const struct client_array *from, size_t x, size_t y,
                      size_t width, size_t height, int kind) {
    size_t pitch = 0;
    int error = client_connect();
    if (error) return error;
    const void *at = array_place(from, x, y, width, height, &pitch);
    return copy_rows(call, to, to_pitch, at, pitch, width, height, kind);
}

CLIENT_CALLS(cudaMemcpy2DToArray,
             to_array(call, to, x, y, from, pitch, width, height, kind),
             struct client_array *to, size_t x, size_t y, const void *from,
             size_t pitch, size_t width, size_t height, int kind);
CLIENT_CALLS(cudaMemcpy2DFromArray,
             from_array(call, to, pitch, from, x, y, width, height, kind),
             void *to, size_t pitch, const struct client_array *from, size_t x,
             size_t y, size_t width, size_t height, int kind);

/* So many bytes, row by row, beginning anywhere in one. */
static int to_rows(vgpu_call call, struct client_array *to, size_t x, size_t y,
                   const char *from, size_t bytes, int kind) {
    const struct client_array *a = client_array_find(to);
    int error = a ? cudaSuccess : cudaErrorInvalidValue;
    while (!error && bytes) {
        size_t row = a->extent.width * a->element;
        size_t n = x < row && bytes > row - x ? row - x : bytes;
        error = to_array(call, to, x, y++, from, n, n, 1, kind);
        x = 0;
        from += n;
        bytes -= n;
    }
    return error;
}

static int from_rows(vgpu_call call, char *to, const struct client_array *from,
                     size_t x, size_t y, size_t bytes, int kind) {
    const struct client_array *a = client_array_find(from);
    int error = a ? cudaSuccess : cudaErrorInvalidValue;
    while (!error && bytes) {
        size_t row = a->extent.width * a->element;
        size_t n = x < row && bytes > row - x ? row - x : bytes;
        error = from_array(call, to, n, from, x, y++, n, 1, kind);
        x = 0;
        to += n;
        bytes -= n;
    }
    return error;
}

CLIENT_CALLS(cudaMemcpyToArray, to_rows(call, to, x, y, from, bytes, kind),
             struct client_array *to, size_t x, size_t y, const void *from,
             size_t bytes, int kind);
CLIENT_CALLS(cudaMemcpyFromArray, from_rows(call, to, from, x, y, bytes, kind),
             void *to, const struct client_array *from, size_t x, size_t y,
             size_t bytes, int kind);

static int between(vgpu_call call, struct client_array *to, size_t to_x,
                   size_t to_y, const struct client_array *from, size_t x,
                   size_t y, size_t width, size_t height, int kind) {
    size_t pitch = 0;
    const void *at = array_place(from, x, y, width, height, &pitch);
    return at ? to_array(call, to, to_x, to_y, at, pitch, width, height, kind)
              : (int)cudaErrorInvalidValue;
}

CUDA_API int cudaMemcpy2DArrayToArray(struct client_array *to, size_t to_x,
                                      size_t to_y,
                                      const struct client_array *from, size_t x,
                                      size_t y, size_t width, size_t height,
                                      int kind) {
    const vgpu_call call = VGPU_CALL_cudaMemcpy2DArrayToArray;
    CLIENT_CALL(client_synchronous(),
                CLIENT_WAITS(NULL, between(call, to, to_x, to_y, from, x, y,
                                           width, height, kind)));
}
CUDA_API int cudaMemcpy2DArrayToArray_ptds(struct client_array *to, size_t to_x,
                                           size_t to_y,
                                           const struct client_array *from,
                                           size_t x, size_t y, size_t width,
                                           size_t height, int kind) {
    const vgpu_call call = VGPU_CALL_cudaMemcpy2DArrayToArray;
    CLIENT_CALL(client_synchronous(),
                CLIENT_WAITS(client_of_thread(NULL),
                             between(call, to, to_x, to_y, from, x, y, width,
                                     height, kind)));
}
