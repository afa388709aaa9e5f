/* SPDX-License-Identifier: MIT
 *
 * real.c: programs on a real GPU (machine.h), through libcuda.so.1.
 */
#include <stdlib.h>

#include "driver.h"
#include "machine.h"

struct real_gpu {
    struct driver cuda;
    address memory;
    size_t bytes;
};

struct real_gpu *real_open(char message[MACHINE_MESSAGE]) {
    enum { STACK = 0 };
    struct real_gpu *g = calloc(1, sizeof *g);
    const char *missing = g ? driver_open(&g->cuda) : "memory";
    /* Functions call themselves and others: 1920 bytes unoptimised was the most
     * of 4994 programs (vgpu/docs/semantics.md); the default is 1024. */
    if (!missing && g->cuda.limit(STACK, 8192)) missing = "stack of 8 KB";
    if (!missing) return g;
    snprintf(message, MACHINE_MESSAGE, "no %s", missing);
    free(g);
    return NULL;
}

struct real_module *real_load(struct real_gpu *g, const char *ptx, int optimise,
                              char message[MACHINE_MESSAGE]) {
    enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6, OPTIMISATION = 7 };
    int options[] = {ERROR_LOG, ERROR_LOG_BYTES, OPTIMISATION};
    void *values[] = {message, (void *)(size_t)MACHINE_MESSAGE,
                      (void *)(size_t)optimise};
    void *m;
    message[0] = 0;
    int e = g->cuda.load(&m, ptx, 3, options, values);
    if (!e) return m;
    if (!*message) snprintf(message, MACHINE_MESSAGE, "CUDA error %d", e);
    return NULL;
}

void real_unload(struct real_gpu *g, struct real_module *m) {
    if (m) g->cuda.unload(m);
}

bool real_run(struct real_gpu *g, struct real_module *m,
              const struct program *p, const char *kernel, uint8_t *memory,
              size_t bytes, char message[MACHINE_MESSAGE]) {
    struct program_shape s;
    uint8_t block[PROGRAM_PARAMETERS];
    size_t block_bytes = sizeof block;
    void *f;
    program_get_shape(p, &s);
    int e = g->bytes < bytes ? g->cuda.allocate(&g->memory, bytes) : 0;
    if (!e && g->bytes < bytes) g->bytes = bytes; /* the old one stays */
    if (!e) e = g->cuda.to_device(g->memory, memory, bytes);
    if (!e) e = g->cuda.find(&f, m, kernel);
    program_parameters(p, g->memory, block);
    void *extra[] = {(void *)1, block, (void *)2, &block_bytes, NULL};
    if (!e)
        e = g->cuda.launch(f, s.grid[0], s.grid[1], s.grid[2], s.block[0],
                           s.block[1], s.block[2], s.dynamic_smem, NULL, NULL,
                           extra);
    if (!e) e = g->cuda.synchronise();
    if (!e) e = g->cuda.to_host(memory, g->memory, bytes);
    if (e) snprintf(message, MACHINE_MESSAGE, "CUDA error %d", e);
    return !e;
}

void real_describe(struct real_gpu *g, char *text, size_t bytes) {
    char name[128] = "";
    int version = 0;
    g->cuda.name(name, sizeof name, g->cuda.ordinal);
    g->cuda.version(&version);
    snprintf(text, bytes, "%s, driver for CUDA %d.%d", name, version / 1000,
             version % 1000 / 10);
}
