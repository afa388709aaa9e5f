/* SPDX-License-Identifier: MIT
 *
 * gpu.c: a call's buffers on a real GPU: copied up, the function called with
 * device pointers, waited for, copied back. libcudart is opened by name before
 * the student's library, so that a cudaMemcpy of the student's own is not
 * picked up here. Not compiled against CUDA: the few calls are looked up.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"

/* As cudaIpcMemHandle_t, which is passed by value. */
struct handle {
    unsigned char bytes[WIRE_HANDLE_BYTES];
};

/* X(name, arguments); all return cudaError_t. */
#define CUDA_CALLS(X)                                                          \
    X(cudaMalloc, (void **, size_t))                                           \
    X(cudaFree, (void *))                                                      \
    X(cudaMemcpy, (void *, const void *, size_t, int))                         \
    X(cudaIpcOpenMemHandle, (void **, struct handle, unsigned))                \
    X(cudaDeviceSynchronize, (void))                                           \
    X(cudaGetLastError, (void))

enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    ALIGNMENT = 256,
    IPC_LAZY_PEER_ACCESS = 1,
    SMALL_BYTES = 1024
};

struct gpu {
    void *library;
    void *shared_in, *shared_out; /* NULL: none */
    void *small;
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

/* What the runtime would load when it is first needed. */
static void load_driver(void) {
    static const char *const names[] = {"libcuda.so.1",
                                        "libnvidia-ptxjitcompiler.so.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        dlopen(names[i], RTLD_NOW);
}

struct gpu *gpu_open(int library, char text[WIRE_TEXT_BYTES]) {
    char name[RUNTIME_BYTES];
    struct gpu *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    if (!needs_runtime(library, name)) strcpy(name, "libcudart.so.13");
    g->library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    bool ok = g->library != NULL;
    if (ok) {
#define X(name, arguments)                                                     \
    *(void **)&g->name = symbol_of(g->library, #name, &ok);
        CUDA_CALLS(X)
#undef X
        *(void **)&g->error_text =
            symbol_of(g->library, "cudaGetErrorString", &ok);
    }
    if (ok) load_driver();
    if (ok) return g;
    const char *why = dlerror();
    snprintf(text, WIRE_TEXT_BYTES, "cannot use the CUDA runtime: %s",
             why ? why : "a call is missing");
    free(g);
    return NULL;
}

static bool gpu_failed(const struct gpu *g, int error,
                       char text[WIRE_TEXT_BYTES]) {
    if (error)
        snprintf(text, WIRE_TEXT_BYTES, "the GPU reports error %d: %s", error,
                 g->error_text(error));
    return error != 0;
}

/* The driver opens this anew whenever it maps memory that the host and the
 * device share: pinned memory, what kernels print. */
static void keep_spares(void) {
    enum { SPARES = 64 };
    static const char device[] = "/dev/nvidiactl";
    for (int i = 0, fd; i < SPARES; i++)
        if ((fd = open(device, O_RDWR | O_CLOEXEC)) >= 0 &&
            !signals_spare(device, fd))
            close(fd);
}

bool gpu_begin(struct gpu *g, char text[WIRE_TEXT_BYTES]) {
    int error = g->cudaFree(NULL);
    if (!error) keep_spares();
    return !gpu_failed(g, error, text);
}

struct mirror {
    char *base;
    void *data; /* as far from 256-byte alignment as the host's */
};

static int mirror_up(const struct gpu *g, struct mirror *m, const void *host,
                     size_t bytes) {
    size_t shift = (uintptr_t)host % ALIGNMENT;
    int error = g->cudaMalloc((void **)&m->base, bytes + ALIGNMENT);
    if (error) return error;
    m->data = m->base + shift;
    return bytes ? g->cudaMemcpy(m->data, host, bytes, TO_DEVICE) : 0;
}

/* The four buffers of a frame, in order. */
enum { IN, IN2, OUT, OUT2, N_MIRRORS };

static int all_up(const struct gpu *g, struct mirror mirrors[N_MIRRORS],
                  const struct frame *f, const struct widths *w,
                  bool in_place) {
    const void *const hosts[N_MIRRORS] = {f->in, f->in2, f->out, f->out2};
    const size_t bytes[N_MIRRORS] = {w->in, w->in2, w->out, w->out2};
    int error = 0;
    for (int i = 0; i < N_MIRRORS && !error; i++)
        if (bytes[i] && !(i == IN && in_place))
            error = mirror_up(g, &mirrors[i], hosts[i], f->n * bytes[i]);
    if (in_place) mirrors[IN].data = mirrors[OUT].data;
    return error ? error : g->cudaDeviceSynchronize();
}

static int outputs_down(const struct gpu *g,
                        const struct mirror mirrors[N_MIRRORS],
                        const struct frame *f, const struct widths *w) {
    int error = 0;
    if (f->n && w->out)
        error =
            g->cudaMemcpy(f->out, mirrors[OUT].data, f->n * w->out, TO_HOST);
    if (!error && f->n && w->out2)
        error =
            g->cudaMemcpy(f->out2, mirrors[OUT2].data, f->n * w->out2, TO_HOST);
    return error;
}

bool gpu_call(struct gpu *g, trampoline *call, void *function,
              struct frame *frame, const struct widths *w, bool in_place,
              int64_t *status, char text[WIRE_TEXT_BYTES]) {
    struct mirror mirrors[N_MIRRORS] = {0};
    struct frame on_device = *frame;
    int error = all_up(g, mirrors, frame, w, in_place);
    if (!error) {
        on_device.in = mirrors[IN].data;
        on_device.in2 = mirrors[IN2].data;
        on_device.out = mirrors[OUT].data;
        on_device.out2 = mirrors[OUT2].data;
        *status = call(function, &on_device);
        frame->n_out = on_device.n_out;
        error = g->cudaDeviceSynchronize();
        if (!error) error = g->cudaGetLastError();
        /* What the function reports is the judge's to explain. */
        if (*status != 0) error = 0;
    }
    if (!error && *status == 0) error = outputs_down(g, mirrors, frame, w);
    bool failed = gpu_failed(g, error, text);
    for (int i = 0; i < N_MIRRORS; i++) g->cudaFree(mirrors[i].base);
    return !failed;
}

bool gpu_share(struct gpu *g, const struct wire_share *share,
               char text[WIRE_TEXT_BYTES]) {
    struct handle in, out;
    memcpy(in.bytes, share->in, sizeof in.bytes);
    memcpy(out.bytes, share->out, sizeof out.bytes);
    int error =
        g->cudaIpcOpenMemHandle(&g->shared_in, in, IPC_LAZY_PEER_ACCESS);
    if (!error)
        error =
            g->cudaIpcOpenMemHandle(&g->shared_out, out, IPC_LAZY_PEER_ACCESS);
    /* Never used: while it lives the driver keeps the page that small
     * allocations come from, as in any program that has some; otherwise a
     * function's scratch would be mapped anew in every timed call. */
    if (!error) error = g->cudaMalloc(&g->small, SMALL_BYTES);
    return !gpu_failed(g, error, text);
}

bool gpu_is_shared(const struct gpu *g) {
    return g->shared_out != NULL;
}

bool gpu_call_shared(struct gpu *g, trampoline *call, void *function,
                     struct frame *frame, int64_t *status,
                     char text[WIRE_TEXT_BYTES]) {
    frame->in = g->shared_in;
    frame->out = g->shared_out;
    frame->in2 = frame->out2 = NULL;
    *status = call(function, frame);
    int error = g->cudaDeviceSynchronize();
    if (!error) error = g->cudaGetLastError();
    return *status != 0 || !gpu_failed(g, error, text);
}
