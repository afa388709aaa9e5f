/* SPDX-License-Identifier: MIT
 *
 * real.c: programs on a real GPU (machine.h), through libcuda.so.1.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

typedef unsigned long long address;
struct real_gpu {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*name)(char *, int, int);
    int (*version)(int *);
    int (*retain)(void **, int);
    int (*current)(void *);
    int (*limit)(int, size_t);
    int (*load)(struct real_module **, const void *, unsigned, int *, void **);
    int (*unload)(struct real_module *);
    int (*find)(void **, struct real_module *, const char *);
    int (*allocate)(address *, size_t);
    int (*to_device)(address, const void *, size_t);
    int (*to_host)(void *, address, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, void *, void **, void **);
    int (*synchronise)(void);
    int ordinal;
    address memory;
    size_t bytes;
};

struct real_gpu *real_open(char message[MACHINE_MESSAGE]) {
    struct real_gpu *g = calloc(1, sizeof *g);
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    if (!g || !library) {
        snprintf(message, MACHINE_MESSAGE, "no CUDA driver");
        free(g);
        return NULL;
    }
    const struct {
        void *to;
        const char *name;
    } names[] = {{&g->init, "cuInit"},
                 {&g->device, "cuDeviceGet"},
                 {&g->name, "cuDeviceGetName"},
                 {&g->version, "cuDriverGetVersion"},
                 {&g->retain, "cuDevicePrimaryCtxRetain"},
                 {&g->current, "cuCtxSetCurrent"},
                 {&g->limit, "cuCtxSetLimit"},
                 {&g->load, "cuModuleLoadDataEx"},
                 {&g->unload, "cuModuleUnload"},
                 {&g->find, "cuModuleGetFunction"},
                 {&g->allocate, "cuMemAlloc_v2"},
                 {&g->to_device, "cuMemcpyHtoD_v2"},
                 {&g->to_host, "cuMemcpyDtoH_v2"},
                 {&g->launch, "cuLaunchKernel"},
                 {&g->synchronise, "cuCtxSynchronize"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        void *symbol = dlsym(library, names[k].name);
        memcpy(names[k].to, &symbol, sizeof symbol);
        if (symbol) continue;
        snprintf(message, MACHINE_MESSAGE, "no %s", names[k].name);
        free(g);
        return NULL;
    }
    enum { STACK = 0 };
    int e = g->init(0);
    if (!e) e = g->device(&g->ordinal, 0);
    if (!e) e = g->retain(&context, g->ordinal);
    if (!e) e = g->current(context);
    /* Functions call themselves and others: 1920 bytes unoptimised was the most
     * of 4994 programs (docs/semantics.md); the default is 1024. */
    if (!e) e = g->limit(STACK, 8192);
    if (!e) return g;
    snprintf(message, MACHINE_MESSAGE, "no GPU: CUDA error %d", e);
    free(g);
    return NULL;
}

struct real_module *real_load(struct real_gpu *g, const char *ptx, int optimise,
                              char message[MACHINE_MESSAGE]) {
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6, OPTIMISATION = 7 };
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES, OPTIMISATION};
    void *values[] = {message, (void *)(size_t)MACHINE_MESSAGE,
                      (void *)(size_t)optimise};
    struct real_module *m;
    message[0] = 0;
    int e = g->load(&m, ptx, 3, options, values);
    if (!e) return m;
    if (!*message) snprintf(message, MACHINE_MESSAGE, "CUDA error %d", e);
    return NULL;
}

void real_unload(struct real_gpu *g, struct real_module *m) {
    if (m) g->unload(m);
}

bool real_run(struct real_gpu *g, struct real_module *m,
              const struct program *p, const char *kernel, uint8_t *memory,
              size_t bytes, char message[MACHINE_MESSAGE]) {
    struct program_shape s;
    uint8_t block[PROGRAM_PARAMETERS];
    size_t block_bytes = sizeof block;
    void *f;
    program_get_shape(p, &s);
    int e = g->bytes < bytes ? g->allocate(&g->memory, bytes) : 0;
    if (!e && g->bytes < bytes) g->bytes = bytes; /* the old one stays */
    if (!e) e = g->to_device(g->memory, memory, bytes);
    if (!e) e = g->find(&f, m, kernel);
    program_parameters(p, g->memory, block);
    void *extra[] = {(void *)1, block, (void *)2, &block_bytes, NULL};
    if (!e)
        e = g->launch(f, s.grid[0], s.grid[1], s.grid[2], s.block[0],
                      s.block[1], s.block[2], s.dynamic_smem, NULL, NULL,
                      extra);
    if (!e) e = g->synchronise();
    if (!e) e = g->to_host(memory, g->memory, bytes);
    if (e) snprintf(message, MACHINE_MESSAGE, "CUDA error %d", e);
    return !e;
}

void real_describe(struct real_gpu *g, char *text, size_t bytes) {
    char name[128] = "";
    int version = 0;
    g->name(name, sizeof name, g->ordinal);
    g->version(&version);
    snprintf(text, bytes, "%s, driver for CUDA %d.%d", name, version / 1000,
             version % 1000 / 10);
}
