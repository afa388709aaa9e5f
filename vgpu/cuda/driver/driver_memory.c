/* SPDX-License-Identifier: MIT
 *
 * driver_memory.c: device memory, host memory that the device sees, and copies
 * between them.
 */
#include "driver.h"

#include <string.h>

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_POINTERS };

/* A result that is an address. */
static int give_address(driver_address *to, void *pointer, int error) {
    if (!error) *to = (driver_address)(uintptr_t)pointer;
    return error;
}
/* The body of a call that makes `made`, whose address it gives. */
#define GIVES(to, ...)                                                         \
    do {                                                                       \
        void *made = NULL;                                                     \
        int error_before = driver_enter();                                     \
        if (error_before) return error_before;                                 \
        if (!(to)) return CU_INVALID_VALUE;                                    \
        /* First the call: the order of arguments is the compiler's. */        \
        int error_made = driver_result(driver_runtime()->__VA_ARGS__);         \
        return give_address(to, made, error_made);                             \
    } while (0)

DRIVER_API int cuMemAlloc_v2(driver_address *address, size_t bytes) {
    if (!bytes) return CU_INVALID_VALUE;
    GIVES(address, cudaMalloc(&made, bytes));
}
DRIVER_API int cuMemAllocPitch_v2(driver_address *address, size_t *pitch,
                                  size_t width, size_t height,
                                  UNUSED unsigned element) {
    GIVES(address, cudaMallocPitch(&made, pitch, width, height));
}
DRIVER_API int cuMemAllocManaged(driver_address *address, size_t bytes,
                                 unsigned flags) {
    GIVES(address, cudaMallocManaged(&made, bytes, flags));
}
DRIVER_API int cuMemAllocAsync(driver_address *address, size_t bytes,
                               void *stream) {
    GIVES(address, cudaMallocAsync(&made, bytes, stream));
}
DRIVER_API int cuMemAllocAsync_ptsz(driver_address *address, size_t bytes,
                                    void *stream) {
    return cuMemAllocAsync(address, bytes, driver_of_thread(stream));
}
DRIVER_API int cuMemAllocFromPoolAsync(driver_address *address, size_t bytes,
                                       void *pool, void *stream) {
    GIVES(address, cudaMallocFromPoolAsync(&made, bytes, pool, stream));
}
DRIVER_API int cuMemFree_v2(driver_address address) {
    DRIVER_DOES(cudaFree(driver_pointer(address)));
}
DRIVER_API int cuMemFreeAsync(driver_address address, void *stream) {
    DRIVER_DOES(cudaFreeAsync(driver_pointer(address), stream));
}
DRIVER_API int cuMemFreeAsync_ptsz(driver_address address, void *stream) {
    return cuMemFreeAsync(address, driver_of_thread(stream));
}
DRIVER_API int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
    DRIVER_DOES(cudaMemGetInfo(free_bytes, total_bytes));
}

/* ---- host memory ---- */

DRIVER_API int cuMemAllocHost_v2(void **pointer, size_t bytes) {
    DRIVER_DOES(cudaHostAlloc(pointer, bytes, 0));
}
DRIVER_API int cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    DRIVER_DOES(cudaHostAlloc(pointer, bytes, flags));
}
DRIVER_API int cuMemFreeHost(void *pointer) {
    DRIVER_DOES(cudaFreeHost(pointer));
}
DRIVER_API int cuMemHostRegister_v2(void *pointer, size_t bytes,
                                    unsigned flags) {
    DRIVER_DOES(cudaHostRegister(pointer, bytes, flags));
}
DRIVER_API int cuMemHostUnregister(void *pointer) {
    DRIVER_DOES(cudaHostUnregister(pointer));
}
DRIVER_API int cuMemHostGetDevicePointer_v2(driver_address *address,
                                            void *pointer, unsigned flags) {
    GIVES(address, cudaHostGetDevicePointer(&made, pointer, flags));
}
DRIVER_API int cuMemHostGetFlags(unsigned *flags, void *pointer) {
    DRIVER_DOES(cudaHostGetFlags(flags, pointer));
}

/* ---- copies: one that waits, its form in a stream, and those of programs
 * whose default streams are their threads' ---- */

#define COPIES(base, waits, to_type, from_type, to, from, kind)                \
    DRIVER_API int waits(to_type a, from_type b, size_t bytes) {               \
        DRIVER_DOES(cudaMemcpy(to, from, bytes, kind));                        \
    }                                                                          \
    DRIVER_API int waits##_ptds(to_type a, from_type b, size_t bytes) {        \
        DRIVER_DOES(cudaMemcpy_ptds(to, from, bytes, kind));                   \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")
#define COPIES_LATER(later, to_type, from_type, to, from, kind)                \
    DRIVER_API int later(to_type a, from_type b, size_t bytes, void *stream) { \
        DRIVER_DOES(cudaMemcpyAsync(to, from, bytes, kind, stream));           \
    }                                                                          \
    DRIVER_API int later##_ptsz(to_type a, from_type b, size_t bytes,          \
                                void *stream) {                                \
        return later(a, b, bytes, driver_of_thread(stream));                   \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")

COPIES(cuMemcpy, cuMemcpy, driver_address, driver_address, driver_pointer(a),
       driver_pointer(b), BY_POINTERS);
COPIES(cuMemcpyHtoD, cuMemcpyHtoD_v2, driver_address, const void *,
       driver_pointer(a), b, HOST_TO_DEVICE);
COPIES(cuMemcpyDtoH, cuMemcpyDtoH_v2, void *, driver_address, a,
       driver_pointer(b), DEVICE_TO_HOST);
COPIES(cuMemcpyDtoD, cuMemcpyDtoD_v2, driver_address, driver_address,
       driver_pointer(a), driver_pointer(b), DEVICE_TO_DEVICE);
COPIES_LATER(cuMemcpyAsync, driver_address, driver_address, driver_pointer(a),
             driver_pointer(b), BY_POINTERS);
COPIES_LATER(cuMemcpyHtoDAsync_v2, driver_address, const void *,
             driver_pointer(a), b, HOST_TO_DEVICE);
COPIES_LATER(cuMemcpyDtoHAsync_v2, void *, driver_address, a, driver_pointer(b),
             DEVICE_TO_HOST);
COPIES_LATER(cuMemcpyDtoDAsync_v2, driver_address, driver_address,
             driver_pointer(a), driver_pointer(b), DEVICE_TO_DEVICE);

DRIVER_API int cuMemcpyPeer(driver_address to, struct driver_context *of_to,
                            driver_address from, struct driver_context *of_from,
                            size_t bytes) {
    if (driver_check(of_to) || driver_check(of_from)) return CU_INVALID_CONTEXT;
    DRIVER_DOES(cudaMemcpyPeer(driver_pointer(to), of_to->device,
                               driver_pointer(from), of_from->device, bytes));
}
DRIVER_API int cuMemcpyPeerAsync(driver_address to,
                                 struct driver_context *of_to,
                                 driver_address from,
                                 struct driver_context *of_from, size_t bytes,
                                 void *stream) {
    if (driver_check(of_to) || driver_check(of_from)) return CU_INVALID_CONTEXT;
    DRIVER_DOES(cudaMemcpyPeerAsync(driver_pointer(to), of_to->device,
                                    driver_pointer(from), of_from->device,
                                    bytes, stream));
}

struct copy2d { /* CUDA_MEMCPY2D */
    struct {
        size_t x, y;
        int type;
        void *host;
        driver_address device;
        void *array;
        size_t pitch;
    } from, to;
    size_t width, height;
};
enum { TYPE_HOST = 1, TYPE_DEVICE, TYPE_ARRAY, TYPE_UNIFIED };

/* Of one side: where its first byte is. False: an array, which is not here. */
static bool copy_side(const void *side, char **first, size_t *pitch,
                      size_t width) {
    const __typeof__(((struct copy2d *)0)->from) *s = side;
    *pitch = s->pitch ? s->pitch : width;
    *first = s->type == TYPE_HOST ? s->host : driver_pointer(s->device);
    if (s->type == TYPE_ARRAY) return false;
    *first += s->y * *pitch + s->x;
    return true;
}

DRIVER_API int cuMemcpy2D_v2(const struct copy2d *c) {
    char *to, *from;
    size_t to_pitch, from_pitch;
    if (!c) return CU_INVALID_VALUE;
    if (!copy_side(&c->to, &to, &to_pitch, c->width) ||
        !copy_side(&c->from, &from, &from_pitch, c->width))
        return driver_refuse(VGPU_CALL_cuMemcpy2D_v2);
    DRIVER_DOES(cudaMemcpy2D(to, to_pitch, from, from_pitch, c->width,
                             c->height, BY_POINTERS));
}
DRIVER_ALSO(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
DRIVER_API int cuMemcpy2DAsync_v2(const struct copy2d *c, void *stream) {
    char *to, *from;
    size_t to_pitch, from_pitch;
    if (!c) return CU_INVALID_VALUE;
    if (!copy_side(&c->to, &to, &to_pitch, c->width) ||
        !copy_side(&c->from, &from, &from_pitch, c->width))
        return driver_refuse(VGPU_CALL_cuMemcpy2DAsync_v2);
    DRIVER_DOES(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, c->width,
                                  c->height, BY_POINTERS, stream));
}

/* ---- fills ---- */

/* The bytes of an element are all alike, or not: then the elements come in
 * copies from the host. */
static int fill_rows(driver_address to, size_t pitch, const void *element,
                     size_t size, size_t n, size_t rows, void *stream) {
    enum { AT_ONCE = 4096 };
    unsigned char bytes[AT_ONCE];
    const struct driver_runtime *rt = driver_runtime();
    const unsigned char *e = element;
    int error = driver_enter();
    bool alike = true;
    for (size_t k = 1; k < size; k++) alike &= e[k] == e[0];
    if (error) return error;
    if (to % size) return CU_INVALID_VALUE;
    if (alike)
        return driver_result(
            rows == 1 ? rt->cudaMemsetAsync(driver_pointer(to), e[0], n * size,
                                            stream)
                      : rt->cudaMemset2DAsync(driver_pointer(to), pitch, e[0],
                                              n * size, rows, stream));
    for (size_t k = 0; k < AT_ONCE; k += size) memcpy(bytes + k, e, size);
    for (size_t row = 0; !error && row < rows; row++)
        for (size_t at = 0; !error && at < n * size; at += AT_ONCE) {
            size_t left = n * size - at;
            error = driver_result(rt->cudaMemcpyAsync(
                driver_pointer(to + row * pitch + at), bytes,
                left < AT_ONCE ? left : AT_ONCE, HOST_TO_DEVICE, stream));
        }
    return error;
}

#define FILLS(bits, type)                                                      \
    DRIVER_API int cuMemsetD##bits##_v2(driver_address to, type value,         \
                                        size_t n) {                            \
        return fill_rows(to, 0, &value, sizeof value, n, 1, NULL);             \
    }                                                                          \
    DRIVER_API int cuMemsetD##bits##Async(driver_address to, type value,       \
                                          size_t n, void *stream) {            \
        return fill_rows(to, 0, &value, sizeof value, n, 1, stream);           \
    }                                                                          \
    DRIVER_API int cuMemsetD##bits##Async_ptsz(driver_address to, type value,  \
                                               size_t n, void *stream) {       \
        return fill_rows(to, 0, &value, sizeof value, n, 1,                    \
                         driver_of_thread(stream));                            \
    }                                                                          \
    DRIVER_API int cuMemsetD2D##bits##_v2(driver_address to, size_t pitch,     \
                                          type value, size_t n, size_t rows) { \
        return fill_rows(to, pitch, &value, sizeof value, n, rows, NULL);      \
    }                                                                          \
    DRIVER_API int cuMemsetD2D##bits##Async(driver_address to, size_t pitch,   \
                                            type value, size_t n, size_t rows, \
                                            void *stream) {                    \
        return fill_rows(to, pitch, &value, sizeof value, n, rows, stream);    \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")
FILLS(8, unsigned char);
FILLS(16, unsigned short);
FILLS(32, unsigned);

/* ---- what is known of a pointer ---- */

DRIVER_API int cuMemGetAddressRange_v2(driver_address *base, size_t *bytes,
                                       driver_address address) {
    uint64_t first = 0, size = 0;
    int error = driver_enter();
    if (!error)
        error = driver_result(
            driver_runtime()->table->range(address, &first, &size));
    if (error) return error == CU_INVALID_VALUE ? (int)CU_NOT_FOUND : error;
    if (base) *base = first;
    if (bytes) *bytes = (size_t)size;
    return CU_SUCCESS;
}

struct pointer { /* cudaPointerAttributes */
    int type, device;
    void *to_device, *to_host;
    long more[16];
};
enum { POINTER_UNKNOWN, POINTER_HOST, POINTER_DEVICE, POINTER_MANAGED };
enum { /* CU_POINTER_ATTRIBUTE_* */
       ASKS_CONTEXT = 1,
       ASKS_TYPE,
       ASKS_DEVICE_POINTER,
       ASKS_HOST_POINTER,
       ASKS_BUFFER = 7,
       ASKS_IS_MANAGED,
       ASKS_DEVICE,
       ASKS_FIRST = 11,
       ASKS_BYTES
};

static int pointer_range(driver_address address, int attribute, void *to) {
    driver_address base = 0;
    size_t bytes = 0;
    int error = cuMemGetAddressRange_v2(&base, &bytes, address);
    if (error) return CU_INVALID_VALUE;
    if (attribute == ASKS_BYTES)
        memcpy(to, &bytes, sizeof bytes);
    else
        memcpy(to, &base, sizeof base); /* also the buffer's number */
    return CU_SUCCESS;
}

DRIVER_API int cuPointerGetAttribute(void *to, int attribute,
                                     driver_address address) {
    struct pointer p = {0};
    int error = driver_begin();
    if (!error && !to) error = CU_INVALID_VALUE;
    if (!error)
        error = driver_result(driver_runtime()->cudaPointerGetAttributes(
            &p, driver_pointer(address)));
    if (error || p.type == POINTER_UNKNOWN)
        return error ? error : (int)CU_INVALID_VALUE;
    bool is_host = p.type == POINTER_HOST;
    switch (attribute) {
    case ASKS_CONTEXT:
        *(struct driver_context **)to = driver_primary(p.device);
        return CU_SUCCESS;
    case ASKS_TYPE: *(unsigned *)to = is_host ? 1 : 2; return CU_SUCCESS;
    case ASKS_DEVICE_POINTER:
        *(void **)to = p.to_device;
        return p.to_device ? CU_SUCCESS : CU_INVALID_VALUE;
    case ASKS_HOST_POINTER:
        *(void **)to = p.to_host;
        return p.to_host ? CU_SUCCESS : CU_INVALID_VALUE;
    case ASKS_IS_MANAGED:
        *(unsigned *)to = p.type == POINTER_MANAGED;
        return CU_SUCCESS;
    case ASKS_DEVICE: *(int *)to = p.device; return CU_SUCCESS;
    case ASKS_BUFFER:
    case ASKS_FIRST:
    case ASKS_BYTES: return pointer_range(address, attribute, to);
    default: return driver_refuse(VGPU_CALL_cuPointerGetAttribute);
    }
}

DRIVER_API int cuPointerGetAttributes(unsigned n, const int *attributes,
                                      void **to, driver_address address) {
    int error = CU_SUCCESS;
    for (unsigned k = 0; !error && k < n; k++)
        error = cuPointerGetAttribute(to[k], attributes[k], address);
    return error;
}
