/* SPDX-License-Identifier: MIT
 *
 * client_host_memory.c: pinned host memory. Pages need no pinning here. What
 * cudaMallocHost and cudaHostAlloc give lies on pages that the device sees,
 * too, at the same address (client_mapped.c); under a judge, which lends no
 * file, it is ordinary memory that kernels cannot reach. Memory that the
 * program had before and registers is remembered, no more: copies work, kernels
 * do not reach it.
 */
#include "client.h"

#include <stdlib.h>

struct block {
    char *base;
    size_t bytes;
    unsigned flags;
    bool is_registered; /* the program's own memory */
    bool is_mapped;
    struct block *next;
};
static struct block *blocks; /* guarded by the client's lock */

static struct block **client_host_memory_find(const void *pointer) {
    struct block **b = &blocks;
    while (*b && ((const char *)pointer < (*b)->base ||
                  (const char *)pointer >= (*b)->base + (*b)->bytes))
        b = &(*b)->next;
    return b;
}

bool client_host_find(const void *pointer, void **base) {
    struct block *b = *client_host_memory_find(pointer);
    if (b) *base = b->base;
    return b != NULL;
}

static int client_host_memory_remember(void *base, size_t bytes, unsigned flags,
                                       bool is_registered) {
    struct block *b = malloc(sizeof *b);
    if (!b) return cudaErrorMemoryAllocation;
    *b = (struct block){.base = base,
                        .bytes = bytes,
                        .flags = flags,
                        .is_registered = is_registered,
                        .is_mapped = client_is_device_address(base),
                        .next = blocks};
    blocks = b;
    if (is_registered) client_order_share(base, bytes);
    return cudaSuccess;
}

static int client_host_memory_take(void **base, size_t bytes) {
    enum { PAGE = 4096 };
    if (client_can_map())
        return client_map_new(base, bytes, VGPU_MEMORY_PINNED);
    return posix_memalign(base, PAGE, bytes) ? (int)cudaErrorMemoryAllocation
                                             : cudaSuccess;
}

static void client_host_memory_give_back(void *base) {
    if (client_is_device_address(base))
        client_unmap(base);
    else
        free(base);
}

static int allocate(void **pointer, size_t bytes, unsigned flags) {
    enum { PORTABLE = 1, MAPPED = 2, WRITE_COMBINED = 4 };
    void *base;
    int error = client_unsafe();
    if (error) return error;
    if (!pointer || flags > (PORTABLE | MAPPED | WRITE_COMBINED))
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    error = client_host_memory_take(&base, bytes);
    if (error) return error;
    error = client_host_memory_remember(base, bytes, flags, false);
    if (error)
        client_host_memory_give_back(base);
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
    client_lock();
    int error = client_unsafe();
    if (error || !pointer) return client_end(error);
    struct block **b = client_host_memory_find(pointer), *gone = *b;
    if (!gone || gone->is_registered || gone->base != pointer)
        return client_end(client_misuse(
            VGPU_MISUSE_FREE_DEVICE_POINTER, VGPU_CALL_cudaFreeHost,
            (uint64_t)(uintptr_t)pointer, cudaErrorInvalidValue));
    client_order_free(VGPU_CALL_cudaFreeHost, gone->base, gone->bytes);
    *b = gone->next;
    client_host_memory_give_back(gone->base);
    free(gone);
    return client_end(cudaSuccess);
}

void client_host_forget(void) {
    for (struct block **b = &blocks; *b;) {
        struct block *gone = *b;
        if (!gone->is_mapped) {
            b = &gone->next;
            continue;
        }
        *b = gone->next;
        free(gone);
    }
}

CUDA_API int cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
    if (!pointer || !bytes || client_is_device(pointer))
        return client_keep(cudaErrorInvalidValue);
    client_lock();
    int error = client_unsafe();
    if (!error)
        error = *client_host_memory_find(pointer)
                    ? (int)cudaErrorHostMemoryAlreadyRegistered
                    : client_host_memory_remember(pointer, bytes, flags, true);
    return client_end(error);
}

CUDA_API int cudaHostUnregister(void *pointer) {
    client_lock();
    int error = client_unsafe();
    if (error) return client_end(error);
    struct block **b = client_host_memory_find(pointer), *gone = *b;
    if (!gone || !gone->is_registered || gone->base != pointer)
        return client_end(cudaErrorHostMemoryNotRegistered);
    client_order_free(VGPU_CALL_cudaHostUnregister, gone->base, gone->bytes);
    client_order_unshare(gone->base);
    *b = gone->next;
    free(gone);
    return client_end(cudaSuccess);
}

CUDA_API int cudaHostGetFlags(unsigned *flags, void *pointer) {
    client_lock();
    struct block *b = *client_host_memory_find(pointer);
    if (b) *flags = b->flags;
    return client_end(b ? cudaSuccess : cudaErrorInvalidValue);
}

/* What the device does not see, it cannot be given a pointer to. */
CUDA_API int cudaHostGetDevicePointer(void **device, void *host,
                                      UNUSED unsigned flags) {
    static bool said;
    if (!device) return client_keep(cudaErrorInvalidValue);
    *device = NULL;
    int error = client_begin();
    const struct block *b = error ? NULL : *client_host_memory_find(host);
    if (!error && !b) error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    if (b->is_mapped) {
        *device = host;
        return client_end(cudaSuccess);
    }
    if (!said)
        client_say("cudaHostGetDevicePointer: the virtual GPU cannot reach "
                   "%s",
                   b->is_registered ? "memory from cudaHostRegister; allocate "
                                      "it with cudaHostAlloc"
                                    : "host memory here");
    said = true;
    return client_end(client_misuse(
        VGPU_MISUSE_NOT_MAPPED, VGPU_CALL_cudaHostGetDevicePointer,
        (uint64_t)(uintptr_t)host, cudaErrorNotSupported));
}
