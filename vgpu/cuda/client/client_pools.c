/* SPDX-License-Identifier: MIT
 *
 * client_pools.c: memory pools. Nothing is kept back here: memory that is freed
 * is free, so a pool is a handle with attributes that can be set and read.
 */
#include "client.h"

#include <stdlib.h>

enum { /* cudaMemPoolAttr: the first are int, the others 64 bits wide */
       REUSE_FIRST = 1,
       REUSE_LAST = 3,
       RELEASE_THRESHOLD = 4,
       USAGE_FIRST = 5,
       USAGE_LAST = 8,
       N_ATTRIBUTES
};
enum { ALLOCATION_PINNED = 1, READ_WRITE = 3 };

struct pool {
    uint64_t attributes[N_ATTRIBUTES];
    struct pool *next;
};

static const uint64_t fresh[N_ATTRIBUTES] = {0, 1, 1, 1};

/* Guarded by the client's lock. The default pool is never destroyed. */
static struct pool usual = {.attributes = {0, 1, 1, 1}};
static struct pool *pools, *current = &usual;

static struct pool **client_pools_find(const void *handle) {
    struct pool **p = &pools;
    while (*p && *p != handle) p = &(*p)->next;
    return p;
}

static bool is_pool(const void *handle) {
    return handle && (handle == &usual || *client_pools_find(handle));
}

/* Locks, connects, checks the handle. */
static int client_pools_begin(const void *handle) {
    int error = client_begin();
    if (error) return error;
    return is_pool(handle) ? cudaSuccess : (int)cudaErrorInvalidValue;
}

static int give(void **to, void *pool, int device) {
    int error = client_begin();
    if (!error && device) error = cudaErrorInvalidDevice;
    if (!error && !to) error = cudaErrorInvalidValue;
    if (!error) *to = pool;
    return client_end(error);
}

CUDA_API int cudaDeviceGetDefaultMemPool(void **pool, int device) {
    return give(pool, &usual, device);
}

CUDA_API int cudaDeviceGetMemPool(void **pool, int device) {
    return give(pool, current, device);
}

CUDA_API int cudaDeviceSetMemPool(int device, void *pool) {
    int error = client_pools_begin(pool);
    if (!error && device) error = cudaErrorInvalidDevice;
    if (!error) current = pool;
    return client_end(error);
}

/* Memory of this device, not to be handed to other processes. */
CUDA_API int cudaMemPoolCreate(void **pool, const struct rt_pool_props *props) {
    int error = client_begin();
    if (!error && (!pool || !props || props->alloc_type != ALLOCATION_PINNED))
        error = cudaErrorInvalidValue;
    if (!error &&
        (props->handle_types || props->location.type != RT_LOCATION_DEVICE))
        error = client_misuse(VGPU_MISUSE_NOT_SUPPORTED,
                              VGPU_CALL_cudaMemPoolCreate, 0,
                              cudaErrorNotSupported);
    if (!error && props->location.id) error = cudaErrorInvalidDevice;
    struct pool *p = error ? NULL : calloc(1, sizeof *p);
    if (!error && !p) error = cudaErrorMemoryAllocation;
    if (error) return client_end(error);
    for (int i = 0; i < N_ATTRIBUTES; i++) p->attributes[i] = fresh[i];
    p->next = pools;
    pools = p;
    *pool = p;
    return client_end(cudaSuccess);
}

CUDA_API int cudaMemPoolDestroy(void *pool) {
    int error = client_pools_begin(pool);
    struct pool **p = client_pools_find(pool), *gone = *p;
    if (!error && !gone) error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    if (current == gone) current = &usual;
    *p = gone->next;
    free(gone);
    return client_end(cudaSuccess);
}

CUDA_API int cudaMemPoolTrimTo(void *pool, UNUSED size_t keep) {
    return client_end(client_pools_begin(pool));
}

CUDA_API int cudaMemPoolSetAttribute(void *pool, int attribute,
                                     const void *value) {
    int error = client_pools_begin(pool);
    struct pool *p = pool;
    if (!error && (!value || attribute < REUSE_FIRST || attribute > USAGE_LAST))
        error = cudaErrorInvalidValue;
    if (!error && attribute <= REUSE_LAST)
        p->attributes[attribute] = (uint64_t)(*(const int *)value != 0);
    else if (!error && attribute == RELEASE_THRESHOLD)
        p->attributes[attribute] = *(const uint64_t *)value;
    return client_end(error); /* usage: high-water marks begin anew */
}

/* A pool has no memory of its own: what is in use is the device's. */
static int used(uint64_t *bytes) {
    struct vgpu_request_MEM_INFO none = {0};
    struct vgpu_reply_MEM_INFO reply = {0};
    int error = client_ask(VGPU_REQUEST_MEM_INFO, &none, &reply);
    *bytes = reply.total_bytes - reply.free_bytes;
    return error;
}

CUDA_API int cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
    int error = client_pools_begin(pool);
    const struct pool *p = pool;
    if (!error && (!value || attribute < REUSE_FIRST || attribute > USAGE_LAST))
        error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    if (attribute <= REUSE_LAST)
        *(int *)value = (int)p->attributes[attribute];
    else if (attribute == RELEASE_THRESHOLD)
        *(uint64_t *)value = p->attributes[attribute];
    else
        error = used(value);
    return client_end(error);
}

/* There is one device, and it sees its own memory. */
CUDA_API int cudaMemPoolSetAccess(void *pool, UNUSED const void *descriptions,
                                  UNUSED size_t n) {
    return client_end(client_pools_begin(pool));
}

CUDA_API int cudaMemPoolGetAccess(int *flags, void *pool,
                                  const struct rt_mem_location *location) {
    int error = client_pools_begin(pool);
    if (!error && (!flags || !location)) error = cudaErrorInvalidValue;
    if (!error)
        *flags = location->type == RT_LOCATION_DEVICE && !location->id
                     ? READ_WRITE
                     : 0;
    return client_end(error);
}

CUDA_API int cudaMallocFromPoolAsync(void **pointer, size_t bytes, void *pool,
                                     void *stream) {
    int error = client_pools_begin(pool);
    if (!error)
        error = client_not_captured(VGPU_CALL_cudaMallocFromPoolAsync, stream);
    if (!error) error = client_unsafe();
    if (error) return client_end(error);
    client_order_begin(VGPU_CALL_cudaMallocFromPoolAsync, stream);
    error = client_allocate(pointer, bytes);
    client_order_end(false);
    return client_end(error);
}
CUDA_API int cudaMallocFromPoolAsync_ptsz(void **pointer, size_t bytes,
                                          void *pool, void *stream) {
    return cudaMallocFromPoolAsync(pointer, bytes, pool,
                                   client_of_thread(stream));
}
