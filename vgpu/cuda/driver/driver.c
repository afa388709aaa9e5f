/* SPDX-License-Identifier: MIT
 *
 * driver.c: how libcuda.so.1 finds the runtime that it stands on, how a call
 * begins, and what errors are called. Only `vgpu` puts the folder of this
 * library in a program's way; a judge does not.
 */
#define _GNU_SOURCE /* dladdr, RTLD_NOLOAD */
#include "driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { DRIVER_VERSION = 13000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t found = PTHREAD_ONCE_INIT;
static struct driver_runtime runtime;
static bool is_found, is_initialised;
/* The runtime's last error before a call: what the call makes of it is not the
 * runtime's. */
static _Thread_local int runtime_before;

void driver_lock(void) {
    pthread_mutex_lock(&lock);
}
void driver_unlock(void) {
    pthread_mutex_unlock(&lock);
}

/* Ours lie in the folder above this library's. One that the program has loaded
 * comes first: two would be in each other's way on the channel. */
static void *open_runtime(void) {
    static const char *const names[] = {"libcudart.so.12", "libcudart.so.13"};
    char path[PATH_MAX];
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)&is_found, &self)) return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    int n = slash ? (int)(slash - self.dli_fname) : 0;
    for (int k = 0; k < 3; k++) {
        if (snprintf(path, sizeof path, "%.*s%s../%s", n, self.dli_fname,
                     n ? "/" : "", names[k == 0 ? 0 : 1]) >= (int)sizeof path)
            return NULL;
        void *library = dlopen(path, RTLD_NOW | (k < 2 ? RTLD_NOLOAD : 0));
        if (library) return library;
    }
    return NULL;
}

/* A function's address as a pointer to a function: ISO C has no conversion. */
static bool driver_take(void *library, const char *name, void *to) {
    void *at = library ? dlsym(library, name) : NULL;
    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static void find_runtime(void) {
    void *library = open_runtime();
    bool all = true;
#define X(name, arguments) all &= driver_take(library, #name, &runtime.name);
    DRIVER_USES(X)
#undef X
    all &= driver_take(library, "__cudaRegisterFatBinary",
                       &runtime.registers_image);
    all &= driver_take(library, "__cudaRegisterFunction",
                       &runtime.registers_function);
    all &=
        driver_take(library, "__cudaRegisterVar", &runtime.registers_variable);
    all &= driver_take(library, "__cudaUnregisterFatBinary",
                       &runtime.forgets_image);
    all &= driver_take(library, VGPU_DRIVER_TABLE_NAME, &runtime.table);
    is_found = all && runtime.table->version == VGPU_DRIVER_TABLE;
    if (!is_found)
        fputs("vgpu: this libcuda.so.1 needs the libcudart beside it\n",
              stderr);
}

const struct driver_runtime *driver_runtime(void) {
    pthread_once(&found, find_runtime);
    return is_found ? &runtime : NULL;
}

int driver_begin(void) {
    const struct driver_runtime *rt = driver_runtime();
    if (!rt || !is_initialised) return CU_NOT_INITIALIZED;
    runtime_before = rt->cudaPeekAtLastError();
    return CU_SUCCESS;
}

int driver_enter(void) {
    int error = driver_begin();
    if (error) return error;
    struct driver_context *c = driver_current();
    if (!c) return CU_INVALID_CONTEXT;
    error = driver_check(c);
    return error ? error : driver_result(runtime.cudaSetDevice(c->device));
}

/* Of the runtime's errors those that the driver has no number for. */
int driver_result(int error) {
    static const struct {
        int runtime, driver;
    } others[] = {{9, CU_INVALID_VALUE},    /* configuration */
                  {12, CU_INVALID_VALUE},   /* pitch */
                  {13, CU_NOT_FOUND},       /* symbol */
                  {20, CU_INVALID_VALUE},   /* channel */
                  {21, CU_INVALID_VALUE},   /* direction */
                  {26, CU_INVALID_VALUE},   /* filter */
                  {27, CU_INVALID_VALUE},   /* norm */
                  {98, CU_INVALID_HANDLE}}; /* function */
    if (error && !runtime_before) runtime.cudaGetLastError();
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].runtime == error) return others[k].driver;
    return error;
}

int driver_refuse(int call) {
    const struct driver_runtime *rt = driver_runtime();
    if (!rt) return CU_NOT_SUPPORTED;
    runtime_before = rt->cudaPeekAtLastError();
    return driver_result(rt->table->refuse(call));
}

DRIVER_API int cuInit(unsigned flags) {
    const struct driver_runtime *rt = driver_runtime();
    int n = 0;
    if (flags) return CU_INVALID_VALUE;
    if (!rt) return CU_NO_DEVICE;
    runtime_before = rt->cudaPeekAtLastError();
    int error = driver_result(rt->cudaGetDeviceCount(&n));
    if (!error) is_initialised = true;
    return error;
}

DRIVER_API int cuDriverGetVersion(int *version) {
    if (!version) return CU_INVALID_VALUE;
    *version = DRIVER_VERSION;
    return CU_SUCCESS;
}

DRIVER_API int cuProfilerStart(void) {
    DRIVER_DOES(cudaProfilerStart());
}
DRIVER_API int cuProfilerStop(void) {
    DRIVER_DOES(cudaProfilerStop());
}
