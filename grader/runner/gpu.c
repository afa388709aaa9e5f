/* SPDX-License-Identifier: MIT
 *
 * gpu.c: a call's buffers on a real GPU: copied up, the function called with
 * device pointers, waited for, copied back. libcudart is opened by name before
 * the student's library, so that a cudaMemcpy of the student's own is not
 * picked up here. Not compiled against CUDA: the few calls are looked up.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner.h"

/* X(name, arguments); all return cudaError_t. */
#define CUDA_CALLS(X)                                                          \
    X(cudaMalloc, (void **, size_t))                                           \
    X(cudaFree, (void *))                                                      \
    X(cudaMemcpy, (void *, const void *, size_t, int))                         \
    X(cudaDeviceSynchronize, (void))                                           \
    X(cudaGetLastError, (void))

enum { TO_DEVICE = 1, TO_HOST = 2, ALIGNMENT = 256 };

struct gpu {
    void *library;
#define X(name, arguments) int(*name) arguments;
    CUDA_CALLS(X)
#undef X
    const char *(*error_text)(int);
};

static void *symbol_of(void *library, const char *name, bool *ok) {
    void *symbol = dlsym(library, name);
    if (!symbol) *ok = false;
    return symbol;
}

struct gpu *gpu_open(char text[WIRE_TEXT_BYTES]) {
    struct gpu *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->library = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    bool ok = g->library != NULL;
    if (ok) {
#define X(name, arguments)                                                     \
    *(void **)&g->name = symbol_of(g->library, #name, &ok);
        CUDA_CALLS(X)
#undef X
        *(void **)&g->error_text =
            symbol_of(g->library, "cudaGetErrorString", &ok);
    }
    if (ok) return g;
    const char *why = dlerror();
    snprintf(text, WIRE_TEXT_BYTES, "cannot use the CUDA runtime: %s",
             why ? why : "a call is missing");
    free(g);
    return NULL;
}

struct mirror {
    char *base;
    int32_t *data; /* as far from 256-byte alignment as the host's */
};

static int mirror_up(const struct gpu *g, struct mirror *m, const int32_t *host,
                     size_t n) {
    size_t shift = (uintptr_t)host % ALIGNMENT;
    int error = g->cudaMalloc((void **)&m->base, n * sizeof *host + ALIGNMENT);
    if (error) return error;
    m->data = (int32_t *)(void *)(m->base + shift);
    return n ? g->cudaMemcpy(m->data, host, n * sizeof *host, TO_DEVICE) : 0;
}

bool gpu_call(struct gpu *g, int64_t (*call)(void *, struct frame *),
              void *function, struct frame *frame, bool in_place,
              int64_t *status, char text[WIRE_TEXT_BYTES]) {
    struct mirror in = {0}, out = {0};
    struct frame on_device = *frame;
    int error = mirror_up(g, &out, frame->out, frame->n);
    if (!error && !in_place) error = mirror_up(g, &in, frame->in, frame->n);
    if (!error) error = g->cudaDeviceSynchronize();
    if (!error) {
        on_device.in = in_place ? out.data : in.data;
        on_device.out = out.data;
        *status = call(function, &on_device);
        frame->n_out = on_device.n_out;
        error = g->cudaDeviceSynchronize();
        if (!error) error = g->cudaGetLastError();
        /* What the function reports is the judge's to explain. */
        if (*status != 0) error = 0;
    }
    if (!error && *status == 0 && frame->n)
        error = g->cudaMemcpy(frame->out, out.data,
                              frame->n * sizeof *frame->out, TO_HOST);
    if (error)
        snprintf(text, WIRE_TEXT_BYTES, "the GPU reports error %d: %s", error,
                 g->error_text(error));
    g->cudaFree(in.base);
    g->cudaFree(out.base);
    return error == 0;
}
