/* SPDX-License-Identifier: MIT
 *
 * driver_context.c: contexts, and which one is the calling thread's. A device
 * has one state here: all its contexts, the primary one and those that were
 * created, share memory, modules and streams.
 */
#include "driver.h"

#include <stdlib.h>

enum { CONTEXT_MAGIC = 0x43545856, MOST_PUSHED = 64, API_VERSION = 3020 };

static struct driver_context primary[VGPU_MOST_GPUS]; /* under the lock */
static uint64_t last_id;                              /* likewise */
static _Thread_local struct driver_context *pushed[MOST_PUSHED];
static _Thread_local int n_pushed;

struct driver_context *driver_current(void) {
    return n_pushed ? pushed[n_pushed - 1] : NULL;
}

int driver_check(const struct driver_context *c) {
    if (!c || c->magic != CONTEXT_MAGIC) return CU_INVALID_CONTEXT;
    return c->is_gone ? CU_CONTEXT_IS_DESTROYED : CU_SUCCESS;
}

static int has_device(int device) {
    int n = 0, error = driver_begin();
    if (!error) error = driver_result(driver_runtime()->cudaGetDeviceCount(&n));
    return error                       ? error
           : device < 0 || device >= n ? (int)CU_INVALID_DEVICE
                                       : CU_SUCCESS;
}

static void context_make(struct driver_context *c, int device, unsigned flags) {
    driver_lock();
    c->id = ++last_id;
    driver_unlock();
    c->magic = CONTEXT_MAGIC;
    c->device = device;
    c->flags = flags;
}

static int push(struct driver_context *c) {
    int error = driver_check(c);
    if (error) return error;
    if (n_pushed == MOST_PUSHED) return CU_OUT_OF_MEMORY;
    pushed[n_pushed++] = c;
    return CU_SUCCESS;
}

/* ---- those that are created ---- */

DRIVER_API int cuCtxCreate_v2(struct driver_context **context, unsigned flags,
                              int device) {
    int error = has_device(device);
    if (error || !context) return error ? error : (int)CU_INVALID_VALUE;
    /* Never freed: a handle that is used after its end is seen. */
    struct driver_context *c = calloc(1, sizeof *c);
    if (!c) return CU_OUT_OF_MEMORY;
    context_make(c, device, flags);
    *context = c;
    return push(c);
}
DRIVER_API int cuCtxCreate_v3(struct driver_context **context,
                              UNUSED void *affinities, int n, unsigned flags,
                              int device) {
    if (n) return driver_refuse(VGPU_CALL_cuCtxCreate_v3);
    return cuCtxCreate_v2(context, flags, device);
}
DRIVER_API int cuCtxCreate_v4(struct driver_context **context, void *params,
                              unsigned flags, int device) {
    if (params) return driver_refuse(VGPU_CALL_cuCtxCreate_v4);
    return cuCtxCreate_v2(context, flags, device);
}

DRIVER_API int cuCtxDestroy_v2(struct driver_context *context) {
    int error = driver_begin();
    if (!error) error = driver_check(context);
    if (!error && context->is_primary) error = CU_INVALID_CONTEXT;
    if (error) return error;
    context->is_gone = true;
    if (driver_current() == context) n_pushed--;
    return CU_SUCCESS;
}
DRIVER_ALSO(cuCtxDestroy, cuCtxDestroy_v2);

/* ---- the primary one ---- */

struct driver_context *driver_primary(int device) {
    struct driver_context *c = &primary[device];
    if (!c->magic) context_make(c, device, 0);
    c->is_primary = true;
    return c;
}

DRIVER_API int cuDevicePrimaryCtxRetain(struct driver_context **context,
                                        int device) {
    int error = has_device(device);
    if (error || !context) return error ? error : (int)CU_INVALID_VALUE;
    *context = driver_primary(device);
    driver_lock();
    (*context)->references++;
    driver_unlock();
    return CU_SUCCESS;
}

DRIVER_API int cuDevicePrimaryCtxRelease_v2(int device) {
    int error = has_device(device);
    if (error) return error;
    struct driver_context *c = driver_primary(device);
    driver_lock();
    if (!c->references)
        error = CU_INVALID_CONTEXT;
    else
        c->references--;
    driver_unlock();
    return error;
}
DRIVER_ALSO(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

DRIVER_API int cuDevicePrimaryCtxReset_v2(int device) {
    int error = has_device(device);
    const struct driver_runtime *rt = driver_runtime();
    if (!error) error = driver_result(rt->cudaSetDevice(device));
    return error ? error : driver_result(rt->cudaDeviceReset());
}
DRIVER_ALSO(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

DRIVER_API int cuDevicePrimaryCtxGetState(int device, unsigned *flags,
                                          int *is_active) {
    int error = has_device(device);
    if (error || !flags || !is_active)
        return error ? error : (int)CU_INVALID_VALUE;
    *flags = driver_primary(device)->flags;
    *is_active = driver_primary(device)->references > 0;
    return CU_SUCCESS;
}

DRIVER_API int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    int error = has_device(device);
    if (!error) driver_primary(device)->flags = flags;
    return error;
}
DRIVER_ALSO(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

/* ---- the thread's ---- */

DRIVER_API int cuCtxGetCurrent(struct driver_context **context) {
    int error = driver_begin();
    if (!error && !context) error = CU_INVALID_VALUE;
    if (!error) *context = driver_current();
    return error;
}

DRIVER_API int cuCtxSetCurrent(struct driver_context *context) {
    int error = driver_begin();
    if (!error && context) error = driver_check(context);
    if (error) return error;
    if (n_pushed) n_pushed--;
    return context ? push(context) : CU_SUCCESS;
}

DRIVER_API int cuCtxPushCurrent_v2(struct driver_context *context) {
    int error = driver_begin();
    return error ? error : push(context);
}
DRIVER_ALSO(cuCtxPushCurrent, cuCtxPushCurrent_v2);

DRIVER_API int cuCtxPopCurrent_v2(struct driver_context **context) {
    int error = driver_begin();
    if (!error && !n_pushed) error = CU_INVALID_CONTEXT;
    if (error) return error;
    if (context) *context = driver_current();
    n_pushed--;
    return CU_SUCCESS;
}
DRIVER_ALSO(cuCtxPopCurrent, cuCtxPopCurrent_v2);

DRIVER_API int cuCtxGetDevice(int *device) {
    int error = driver_enter();
    if (!error && !device) error = CU_INVALID_VALUE;
    if (!error) *device = driver_current()->device;
    return error;
}
DRIVER_API int cuCtxGetDevice_v2(int *device, struct driver_context *context) {
    int error = context ? driver_check(context) : driver_enter();
    if (!error && !device) error = CU_INVALID_VALUE;
    if (!error) *device = (context ? context : driver_current())->device;
    return error;
}

DRIVER_API int cuCtxGetApiVersion(UNUSED struct driver_context *context,
                                  unsigned *version) {
    if (!version) return CU_INVALID_VALUE;
    *version = API_VERSION;
    return driver_begin();
}

DRIVER_API int cuCtxGetFlags(unsigned *flags) {
    int error = driver_enter();
    if (!error && !flags) error = CU_INVALID_VALUE;
    if (!error) *flags = driver_current()->flags;
    return error;
}

DRIVER_API int cuCtxGetId(const struct driver_context *context, uint64_t *id) {
    int error = context ? driver_check(context) : driver_enter();
    if (!error && !id) error = CU_INVALID_VALUE;
    if (!error) *id = (context ? context : driver_current())->id;
    return error;
}

DRIVER_API int cuCtxSynchronize(void) {
    DRIVER_DOES(cudaDeviceSynchronize());
}
DRIVER_API int cuCtxSynchronize_v2(struct driver_context *context) {
    if (!context) return cuCtxSynchronize();
    int error = cuCtxPushCurrent_v2(context);
    if (error) return error;
    error = cuCtxSynchronize();
    n_pushed--;
    return error;
}
DRIVER_API int cuCtxSetLimit(int limit, size_t value) {
    DRIVER_DOES(cudaDeviceSetLimit(limit, value));
}
DRIVER_API int cuCtxGetLimit(size_t *value, int limit) {
    DRIVER_DOES(cudaDeviceGetLimit(value, limit));
}
DRIVER_API int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    DRIVER_DOES(cudaDeviceGetStreamPriorityRange(least, greatest));
}
DRIVER_API int cuCtxEnablePeerAccess(struct driver_context *peer,
                                     unsigned flags) {
    int error = driver_check(peer);
    if (error) return error;
    DRIVER_DOES(cudaDeviceEnablePeerAccess(peer->device, flags));
}
DRIVER_API int cuCtxDisablePeerAccess(struct driver_context *peer) {
    int error = driver_check(peer);
    if (error) return error;
    DRIVER_DOES(cudaDeviceDisablePeerAccess(peer->device));
}

/* Hints, which change nothing here. */
DRIVER_API int cuCtxGetCacheConfig(int *config) {
    if (config) *config = 0;
    return driver_enter();
}
DRIVER_API int cuCtxSetCacheConfig(UNUSED int config) {
    return driver_enter();
}
DRIVER_API int cuCtxGetSharedMemConfig(int *config) {
    if (config) *config = 1; /* banks of 4 bytes */
    return driver_enter();
}
DRIVER_API int cuCtxSetSharedMemConfig(UNUSED int config) {
    return driver_enter();
}
