/* SPDX-License-Identifier: MIT
 *
 * driver.h: what the files of libcuda.so.1 share.
 *
 * How to read this: the driver's calls are put into words of the runtime, whose
 * library (cuda/client) has the channel, the streams, the memory. So a program
 * may use both, and what it gets from one it may give to the other. The runtime
 * is looked for when the first call comes: the one that the program has loaded,
 * or CUDA 13's beside this library (driver.c). Numbers of errors are the same
 * in both interfaces, but for a few.
 *
 * As in the client, the state is in static variables; driver.c's lock guards
 * it, and what belongs to a thread is the thread's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver_table.h"
#include "protocol.h"
#include "vgpu.h"

#define DRIVER_API __attribute__((visibility("default")))
#define UNUSED     __attribute__((unused))

enum { /* CUresult */
       CU_SUCCESS = 0,
       CU_INVALID_VALUE = 1,
       CU_OUT_OF_MEMORY = 2,
       CU_NOT_INITIALIZED = 3,
       CU_NO_DEVICE = 100,
       CU_INVALID_DEVICE = 101,
       CU_INVALID_IMAGE = 200,
       CU_INVALID_CONTEXT = 201,
       CU_NO_BINARY_FOR_GPU = 209,
       CU_INVALID_PTX = 218,
       CU_FILE_NOT_FOUND = 301,
       CU_INVALID_HANDLE = 400,
       CU_NOT_FOUND = 500,
       CU_CONTEXT_IS_DESTROYED = 709,
       CU_NOT_SUPPORTED = 801
};

typedef uint64_t driver_address; /* CUdeviceptr */

struct rt3 { /* dim3 */
    unsigned x, y, z;
};
/* cudaFuncAttributes and what follows it in later versions. */
struct rt_attributes {
    size_t shared, constant, local;
    int max_threads, registers, ptx, binary, caches, max_dynamic, carveout,
        more[64];
};

/* The runtime's functions that are used here: X(name, (arguments)). Each
 * returns a cudaError_t. */
#define DRIVER_USES(X)                                                         \
    X(cudaGetLastError, (void))                                                \
    X(cudaPeekAtLastError, (void))                                             \
    X(cudaGetDeviceCount, (int *))                                             \
    X(cudaSetDevice, (int))                                                    \
    X(cudaGetDeviceProperties, (void *, int))                                  \
    X(cudaDeviceGetAttribute, (int *, int, int))                               \
    X(cudaDeviceGetPCIBusId, (char *, int, int))                               \
    X(cudaDeviceGetByPCIBusId, (int *, const char *))                          \
    X(cudaDeviceCanAccessPeer, (int *, int, int))                              \
    X(cudaDeviceGetP2PAttribute, (int *, int, int, int))                       \
    X(cudaDeviceEnablePeerAccess, (int, unsigned))                             \
    X(cudaDeviceDisablePeerAccess, (int))                                      \
    X(cudaDeviceSynchronize, (void))                                           \
    X(cudaDeviceReset, (void))                                                 \
    X(cudaDeviceSetLimit, (int, size_t))                                       \
    X(cudaDeviceGetLimit, (size_t *, int))                                     \
    X(cudaDeviceGetStreamPriorityRange, (int *, int *))                        \
    X(cudaDeviceGetDefaultMemPool, (void **, int))                             \
    X(cudaDeviceGetMemPool, (void **, int))                                    \
    X(cudaDeviceSetMemPool, (int, void *))                                     \
    X(cudaMemPoolCreate, (void **, const void *))                              \
    X(cudaMemPoolDestroy, (void *))                                            \
    X(cudaMemPoolTrimTo, (void *, size_t))                                     \
    X(cudaMemPoolGetAttribute, (void *, int, void *))                          \
    X(cudaMemPoolSetAttribute, (void *, int, void *))                          \
    X(cudaMemPoolSetAccess, (void *, const void *, size_t))                    \
    X(cudaMemPoolGetAccess, (int *, void *, void *))                           \
    X(cudaMalloc, (void **, size_t))                                           \
    X(cudaMallocPitch, (void **, size_t *, size_t, size_t))                    \
    X(cudaMallocManaged, (void **, size_t, unsigned))                          \
    X(cudaMallocAsync, (void **, size_t, void *))                              \
    X(cudaMallocFromPoolAsync, (void **, size_t, void *, void *))              \
    X(cudaFree, (void *))                                                      \
    X(cudaFreeAsync, (void *, void *))                                         \
    X(cudaHostAlloc, (void **, size_t, unsigned))                              \
    X(cudaFreeHost, (void *))                                                  \
    X(cudaHostRegister, (void *, size_t, unsigned))                            \
    X(cudaHostUnregister, (void *))                                            \
    X(cudaHostGetDevicePointer, (void **, void *, unsigned))                   \
    X(cudaHostGetFlags, (unsigned *, void *))                                  \
    X(cudaMemGetInfo, (size_t *, size_t *))                                    \
    X(cudaPointerGetAttributes, (void *, const void *))                        \
    X(cudaMemcpy, (void *, const void *, size_t, int))                         \
    X(cudaMemcpy_ptds, (void *, const void *, size_t, int))                    \
    X(cudaMemcpyAsync, (void *, const void *, size_t, int, void *))            \
    X(cudaMemcpyPeer, (void *, int, const void *, int, size_t))                \
    X(cudaMemcpyPeerAsync, (void *, int, const void *, int, size_t, void *))   \
    X(cudaMemcpy2D,                                                            \
      (void *, size_t, const void *, size_t, size_t, size_t, int))             \
    X(cudaMemcpy2DAsync,                                                       \
      (void *, size_t, const void *, size_t, size_t, size_t, int, void *))     \
    X(cudaMemset, (void *, int, size_t))                                       \
    X(cudaMemsetAsync, (void *, int, size_t, void *))                          \
    X(cudaMemset2D, (void *, size_t, int, size_t, size_t))                     \
    X(cudaMemset2DAsync, (void *, size_t, int, size_t, size_t, void *))        \
    X(cudaStreamCreateWithPriority, (void **, unsigned, int))                  \
    X(cudaStreamDestroy, (void *))                                             \
    X(cudaStreamSynchronize, (void *))                                         \
    X(cudaStreamQuery, (void *))                                               \
    X(cudaStreamWaitEvent, (void *, void *, unsigned))                         \
    X(cudaStreamAddCallback, (void *, void *, void *, unsigned))               \
    X(cudaStreamGetFlags, (void *, unsigned *))                                \
    X(cudaStreamGetPriority, (void *, int *))                                  \
    X(cudaStreamGetId, (void *, unsigned long long *))                         \
    X(cudaStreamGetDevice, (void *, int *))                                    \
    X(cudaStreamIsCapturing, (void *, int *))                                  \
    X(cudaLaunchHostFunc, (void *, void *, void *))                            \
    X(cudaEventCreateWithFlags, (void **, unsigned))                           \
    X(cudaEventDestroy, (void *))                                              \
    X(cudaEventRecordWithFlags, (void *, void *, unsigned))                    \
    X(cudaEventSynchronize, (void *))                                          \
    X(cudaEventQuery, (void *))                                                \
    X(cudaEventElapsedTime, (float *, void *, void *))                         \
    X(cudaProfilerStart, (void))                                               \
    X(cudaProfilerStop, (void))                                                \
    X(cudaFuncGetAttributes, (struct rt_attributes *, const void *))           \
    X(cudaFuncSetAttribute, (const void *, int, int))                          \
    X(cudaFuncGetParamInfo, (const void *, size_t, size_t *, size_t *))        \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                  \
      (int *, const void *, int, size_t, unsigned))                            \
    X(cudaOccupancyAvailableDynamicSMemPerBlock,                               \
      (size_t *, const void *, int, int))                                      \
    X(cudaLaunchKernel,                                                        \
      (const void *, struct rt3, struct rt3, void **, size_t, void *))         \
    X(cudaLaunchCooperativeKernel,                                             \
      (const void *, struct rt3, struct rt3, void **, size_t, void *))         \
    X(cudaLaunchKernelExC, (const void *, const void *, void **))              \
    X(cudaGetSymbolAddress, (void **, const void *))                           \
    X(cudaGetSymbolSize, (size_t *, const void *))

struct driver_runtime {
#define X(name, arguments) int(*name) arguments;
    DRIVER_USES(X)
#undef X
    void **(*registers_image)(void *);
    void (*registers_function)(void **, const char *, char *, const char *, int,
                               void *, void *, void *, void *, int *);
    void (*registers_variable)(void **, char *, char *, const char *, int,
                               size_t, int, int);
    void (*forgets_image)(void **);
    const struct vgpu_driver_table *table;
};

/* ---- driver.c ---- */
void driver_lock(void);
void driver_unlock(void);
/* NULL: there is none, which was said. */
const struct driver_runtime *driver_runtime(void);
/* A call begins that needs cuInit, or also a current context, whose device is
 * made the runtime's. A CUresult. */
int driver_begin(void);
int driver_enter(void);
/* What the runtime answered, as a CUresult. */
int driver_result(int error);
/* A call that is not there. A CUresult. */
int driver_refuse(int call);
/* The body of most calls: what a function of the runtime does. */
#define DRIVER_DOES(...)                                                       \
    do {                                                                       \
        int error_before = driver_enter();                                     \
        if (error_before) return error_before;                                 \
        const struct driver_runtime *rt = driver_runtime();                    \
        return driver_result(rt->__VA_ARGS__);                                 \
    } while (0)
/* A second name for a function. */
#define DRIVER_ALSO(other, name)                                               \
    DRIVER_API extern __typeof__(name) other __attribute__((alias(#name)))
static inline void *driver_pointer(driver_address a) {
    return (void *)(uintptr_t)a;
}
/* Default streams of a program compiled for its threads' (names in _ptsz). */
static inline void *driver_of_thread(void *stream) {
    enum { PER_THREAD = 2 };
    return stream ? stream : (void *)(uintptr_t)PER_THREAD;
}

/* ---- contexts (driver_context.c) ---- */
struct driver_context {
    uint32_t magic;
    int device;
    unsigned flags, references; /* references: of a primary one */
    bool is_primary, is_gone;
    uint64_t id;
};
/* The calling thread's; NULL: none. */
struct driver_context *driver_current(void);
struct driver_context *driver_primary(int device);
/* CUresult: is this one that lives? */
int driver_check(const struct driver_context *);

/* ---- images and kernels (driver_module.c) ---- */
struct driver_module;
struct driver_function;
/* Any image that cuModuleLoadData takes. A CUresult. */
int driver_load(struct driver_module **, const void *image);
/* The name by which the runtime knows it; NULL: no such function. */
const void *driver_function(const void *handle);
/* Tells what a log buffer asked for: nothing. */
void driver_options(unsigned n, const int *options, void **values);

/* ---- names (driver_names.c) ---- */
struct driver_call {
    const char *name;
    int version;
    int (*function)(void);
};
/* Of the calls of this name, with _v2, _v3 ... or without, and with of_thread
 * ("", "_ptsz", "_ptds") behind it, the newest that the version of CUDA has.
 * NULL: none. */
const struct driver_call *driver_find(const char *asked, const char *of_thread,
                                      int version);
