/* SPDX-License-Identifier: MIT
 *
 * driver.h: CUDA's driver, loaded by name, so that what asks a real GPU builds
 * without CUDA. What a call returns is a CUresult; 0: it worked.
 */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef unsigned long long address;
struct driver {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*version)(int *);
    int (*retain)(void **context, int);
    int (*current)(void *context);
    int (*limit)(int, size_t);
    int (*load)(void **module, const void *, unsigned, int *, void **);
    int (*unload)(void *module);
    int (*find)(void **function, void *module, const char *);
    int (*allocate)(address *, size_t);
    int (*release)(address);
    int (*to_device)(address, const void *, size_t);
    int (*to_host)(void *, address, size_t);
    int (*launch)(void *function, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, unsigned, void *, void **, void **);
    int (*synchronise)(void);
    int ordinal; /* of the device */
};

/* Takes the first device. NULL, or what there is not. */
static inline const char *driver_open(struct driver *d) {
    const struct {
        void *to;
        const char *name;
    } names[] = {{&d->init, "cuInit"},
                 {&d->device, "cuDeviceGet"},
                 {&d->name, "cuDeviceGetName"},
                 {&d->version, "cuDriverGetVersion"},
                 {&d->retain, "cuDevicePrimaryCtxRetain"},
                 {&d->current, "cuCtxSetCurrent"},
                 {&d->limit, "cuCtxSetLimit"},
                 {&d->load, "cuModuleLoadDataEx"},
                 {&d->unload, "cuModuleUnload"},
                 {&d->find, "cuModuleGetFunction"},
                 {&d->allocate, "cuMemAlloc_v2"},
                 {&d->release, "cuMemFree_v2"},
                 {&d->to_device, "cuMemcpyHtoD_v2"},
                 {&d->to_host, "cuMemcpyDtoH_v2"},
                 {&d->launch, "cuLaunchKernel"},
                 {&d->synchronise, "cuCtxSynchronize"}};
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    if (!library) return "CUDA driver";
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void *symbol = dlsym(library, names[k].name);
        if (!symbol) return names[k].name;
        memcpy(names[k].to, &symbol, sizeof symbol);
    }
    bool ok = !d->init(0) && !d->device(&d->ordinal, 0) &&
              !d->retain(&context, d->ordinal) && !d->current(context);
    return ok ? NULL : "GPU";
}
