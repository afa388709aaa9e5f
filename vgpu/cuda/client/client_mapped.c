/* SPDX-License-Identifier: MIT
 *
 * client_mapped.c: memory that host code and device both see: managed memory,
 * __managed__ variables, pinned host memory. The device says where it lies;
 * here the same pages of the common file are mapped at that address, so that a
 * pointer is one on both sides.
 *
 * A launch is asynchronous to the program: until it waits, managed memory
 * belongs to the kernel (CUDA C++ Programming Guide, "Coherency and
 * Concurrency"; the device says concurrentManagedAccess 0). So a launch takes
 * the host's access away and the next wait gives it back; a host access in
 * between becomes a finding, and is then let through.
 */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct mapped {
    char *base;
    size_t bytes;
    vgpu_memory_kind kind;
    bool is_attached; /* cudaStreamAttachMemAsync: not every kernel's */
    bool is_variable; /* __managed__: not for cudaFree */
    struct mapped *next;
};

/* Guarded by the client's lock; the fault handler only reads. */
static struct {
    struct mapped *list;
    bool is_closed;     /* a kernel may be at managed memory */
    int file, has_file; /* has_file: -1 not asked yet */
    bool is_pending;    /* a fault to be reported */
    struct vgpu_request_FAULT fault;
} mapped = {.file = -1, .has_file = -1};

/* The descriptor that the tool left open. */
static bool find_file(void) {
    const char *text = getenv(VGPU_SHARED_VARIABLE);
    char *end = NULL;
    long fd = text && *text ? strtol(text, &end, 10) : -1;
    if (fd < 0 || fd > 1 << 20 || *end) return false;
    if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) != 0) return false;
    mapped.file = (int)fd;
    return true;
}

bool client_can_map(void) {
    if (mapped.has_file < 0) mapped.has_file = find_file();
    return mapped.has_file > 0;
}

/* As under a judge, who counts what passes between host and device. */
static bool is_for_kernels_only(void) {
    const char *text = getenv(VGPU_SHARED_VARIABLE);
    return text && strcmp(text, VGPU_SHARED_NEVER) == 0;
}

static struct mapped **client_mapped_find(const void *pointer) {
    struct mapped **m = &mapped.list;
    while (*m && ((const char *)pointer < (*m)->base ||
                  (const char *)pointer - (*m)->base >=
                      (ptrdiff_t)((*m)->bytes ? (*m)->bytes : 1)))
        m = &(*m)->next;
    return m;
}

vgpu_memory_kind client_mapped_kind(const void *pointer) {
    const struct mapped *m = *client_mapped_find(pointer);
    return m ? m->kind : VGPU_MEMORY_DEVICE;
}

int client_map(void *at, size_t bytes, vgpu_memory_kind kind,
               bool is_variable) {
    struct mapped *m = malloc(sizeof *m);
    if (!m) return cudaErrorMemoryAllocation;
    void *got = mmap(at, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE, mapped.file,
                     (off_t)((uintptr_t)at - VGPU_ADDRESS_BASE));
    if (got != at) {
        if (got != MAP_FAILED) munmap(got, bytes);
        free(m);
        return cudaErrorMapBufferObjectFailed;
    }
    *m = (struct mapped){.base = at,
                         .bytes = bytes,
                         .kind = kind,
                         .is_variable = is_variable,
                         .next = mapped.list};
    mapped.list = m;
    return cudaSuccess;
}

int client_map_new(void **pointer, size_t bytes, vgpu_memory_kind kind) {
    struct vgpu_request_MALLOC request = {.bytes = bytes, .kind = kind};
    struct vgpu_reply_MALLOC reply = {0};
    int error = client_ask(VGPU_REQUEST_MALLOC, &request, &reply);
    if (error) return error;
    error = client_map((void *)(uintptr_t)reply.address, bytes, kind, false);
    struct vgpu_request_FREE back = {.address = reply.address};
    if (error)
        client_ask(VGPU_REQUEST_FREE, &back, NULL);
    else
        *pointer = (void *)(uintptr_t)reply.address;
    return error;
}

int client_unmap(void *pointer) {
    struct mapped **at = client_mapped_find(pointer), *m = *at;
    struct vgpu_request_FREE request = {.address = (uintptr_t)pointer};
    if (!m || m->base != pointer || m->is_variable)
        return cudaErrorInvalidValue;
    int error = client_ask(VGPU_REQUEST_FREE, &request, NULL);
    *at = m->next;
    munmap(m->base, m->bytes);
    free(m);
    return error;
}

void client_mapped_forget(void) {
    while (mapped.list) {
        struct mapped *m = mapped.list;
        mapped.list = m->next;
        munmap(m->base, m->bytes);
        free(m);
    }
}

static void protect(int access) {
    for (const struct mapped *m = mapped.list; m; m = m->next)
        if (m->kind == VGPU_MEMORY_MANAGED && !m->is_attached)
            mprotect(m->base, m->bytes, access);
}

void client_mapped_close(void) {
    /* Without our handler the program would die of what is now a finding. */
    if (mapped.is_closed || !mapped.list || !client_fault_is_ours()) return;
    mapped.is_closed = true;
    protect(PROT_NONE);
}

bool client_mapped_is_closed(const void *address) {
    const struct mapped *m = *client_mapped_find(address);
    return mapped.is_closed && m && m->kind == VGPU_MEMORY_MANAGED &&
           !m->is_attached;
}

void client_mapped_open(void) {
    if (!mapped.is_closed) return;
    protect(PROT_READ | PROT_WRITE);
    mapped.is_closed = false;
}

bool client_mapped_fault(const void *address, unsigned access) {
    const struct mapped *m = *client_mapped_find(address);
    int error = errno;
    if (!mapped.is_closed || !m || m->kind != VGPU_MEMORY_MANAGED) return false;
    if (!mapped.is_pending)
        mapped.fault = (struct vgpu_request_FAULT){(uint64_t)(uintptr_t)address,
                                                   access, true};
    mapped.is_pending = true;
    client_mapped_open();
    errno = error;
    return true;
}

bool client_mapped_pending(struct vgpu_request_FAULT *fault) {
    if (!mapped.is_pending) return false;
    mapped.is_pending = false;
    *fault = mapped.fault;
    return true;
}

/* ---- the calls ---- */

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 };

CUDA_API int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    client_lock();
    int error = client_unsafe();
    if (!error && (!pointer || !bytes ||
                   (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)))
        error = cudaErrorInvalidValue;
    if (!error && is_for_kernels_only()) /* a host access is a finding */
        return client_end(client_allocate(pointer, bytes));
    if (!error && !client_can_map())
        error = client_misuse(VGPU_MISUSE_MANAGED, VGPU_CALL_cudaMallocManaged,
                              0, cudaErrorNotSupported);
    if (!error) error = client_map_new(pointer, bytes, VGPU_MEMORY_MANAGED);
    return client_end(error);
}

/* Attached to the host or to one stream, memory is no longer every kernel's. */
CUDA_API int cudaStreamAttachMemAsync(void *stream, void *pointer,
                                      UNUSED size_t bytes, unsigned flags) {
    client_lock();
    int error = client_stream_use(stream, NULL);
    struct mapped *m = *client_mapped_find(pointer);
    if (is_for_kernels_only()) return client_end(error);
    if (!error && (!m || m->kind != VGPU_MEMORY_MANAGED ||
                   (flags != ATTACH_GLOBAL && flags != ATTACH_HOST &&
                    flags != ATTACH_SINGLE)))
        error = cudaErrorInvalidValue;
    if (!error) {
        client_mapped_open();
        m->is_attached = flags != ATTACH_GLOBAL;
    }
    return client_end(error);
}
CUDA_ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/* Where memory lies and is wanted changes nothing here: a pointer that is not
 * managed is still an error. */
static int hint(const void *pointer, size_t bytes, const void *stream) {
    int error = client_begin();
    if (!error && !client_stream_is_valid(stream))
        error = cudaErrorInvalidResourceHandle;
    const struct mapped *m = *client_mapped_find(pointer);
    if (!error && !is_for_kernels_only() &&
        (!m || m->kind != VGPU_MEMORY_MANAGED || !bytes ||
         bytes > m->bytes - (size_t)((const char *)pointer - m->base)))
        error = cudaErrorInvalidValue;
    return client_end(error);
}

CUDA_API int cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                           UNUSED struct rt_mem_location location) {
    if (advice < 1 || advice > 6) return client_keep(cudaErrorInvalidValue);
    return hint(pointer, bytes, NULL);
}

CUDA_API int cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                  UNUSED struct rt_mem_location location,
                                  unsigned flags, void *stream) {
    if (flags) return client_keep(cudaErrorInvalidValue);
    return hint(pointer, bytes, stream);
}
CUDA_ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
