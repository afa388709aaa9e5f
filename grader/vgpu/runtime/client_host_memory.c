/* SPDX-License-Identifier: MIT
 *
 * client_host_memory.c: pinned host memory. Pages need no pinning here, so it
 * is ordinary memory that is remembered, to tell a wrong pointer from a right
 * one. Kernels cannot reach it: the device is another process's.
 */
#include "client.h"

#include <stdlib.h>

struct block {
    char *base;
    size_t bytes;
    unsigned flags;
    bool is_registered; /* the program's own memory */
    struct block *next;
};
static struct block *blocks; /* guarded by the client's lock */

static struct block **find(const void *pointer) {
    struct block **b = &blocks;
    while (*b && ((const char *)pointer < (*b)->base ||
                  (const char *)pointer >= (*b)->base + (*b)->bytes))
        b = &(*b)->next;
    return b;
}

bool client_host_find(const void *pointer, void **base) {
    struct block *b = *find(pointer);
    if (b) *base = b->base;
    return b != NULL;
}

static int remember(void *base, size_t bytes, unsigned flags,
                    bool is_registered) {
    struct block *b = malloc(sizeof *b);
    if (!b) return cudaErrorMemoryAllocation;
    *b = (struct block){base, bytes, flags, is_registered, blocks};
    blocks = b;
    return cudaSuccess;
}

static int allocate(void **pointer, size_t bytes, unsigned flags) {
    enum { PAGE = 4096 };
    void *base;
    int error = client_connect();
    if (error) return error;
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    if (posix_memalign(&base, PAGE, bytes) != 0)
        return cudaErrorMemoryAllocation;
    error = remember(base, bytes, flags, false);
    if (error)
        free(base);
    else
        *pointer = base;
    return error;
}

CUDA_API int cudaMallocHost(void **pointer, size_t bytes) {
    client_lock();
    return client_end(allocate(pointer, bytes, 0));
}

CUDA_API int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    client_lock();
    return client_end(allocate(pointer, bytes, flags));
}

CUDA_API int cudaFreeHost(void *pointer) {
    if (!pointer) return cudaSuccess;
    client_lock();
    struct block **b = find(pointer), *gone = *b;
    if (!gone || gone->is_registered || gone->base != pointer)
        return client_end(client_misuse(
            VGPU_MISUSE_FREE_DEVICE_POINTER, VGPU_CALL_cudaFreeHost,
            (uint64_t)(uintptr_t)pointer, cudaErrorInvalidValue));
    *b = gone->next;
    free(gone->base);
    free(gone);
    return client_end(cudaSuccess);
}

CUDA_API int cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
    if (!pointer || !bytes || client_is_device(pointer))
        return client_keep(cudaErrorInvalidValue);
    client_lock();
    int error = client_connect();
    if (!error)
        error = *find(pointer) ? (int)cudaErrorHostMemoryAlreadyRegistered
                               : remember(pointer, bytes, flags, true);
    return client_end(error);
}

CUDA_API int cudaHostUnregister(void *pointer) {
    client_lock();
    struct block **b = find(pointer), *gone = *b;
    if (!gone || !gone->is_registered || gone->base != pointer)
        return client_end(cudaErrorHostMemoryNotRegistered);
    *b = gone->next;
    free(gone);
    return client_end(cudaSuccess);
}

CUDA_API int cudaHostGetFlags(unsigned *flags, void *pointer) {
    client_lock();
    struct block *b = *find(pointer);
    if (b) *flags = b->flags;
    return client_end(b ? cudaSuccess : cudaErrorInvalidValue);
}

/* Mapped memory would need the device to reach into this process. */
CUDA_API int cudaHostGetDevicePointer(void **device, UNUSED void *host,
                                      UNUSED unsigned flags) {
    static bool said;
    *device = NULL;
    client_lock();
    if (!said)
        client_say("mapped host memory is not supported by the virtual GPU");
    said = true;
    return client_end(client_misuse(VGPU_MISUSE_NOT_SUPPORTED,
                                    VGPU_CALL_cudaHostGetDevicePointer, 0,
                                    cudaErrorNotSupported));
}
