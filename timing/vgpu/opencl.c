/* SPDX-License-Identifier: MIT
 *
 * opencl.c: runs one kernel of kernels.cl under whatever OpenCL there is:
 *
 *     oclgrind --data-races --uninitialized bench-opencl FILE KERNEL N RUNS
 *
 * prints "cpu wall" in seconds per run, of enqueueing and finishing the kernel
 * alone: the compilation of the OpenCL C and the copies are not in it. Exit 1:
 * it could not, or the result was wrong.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

struct setup {
    cl_context context;
    cl_command_queue queue;
    cl_device_id device;
    cl_kernel kernel;
    cl_mem in, out, aux;
};

static char *read_text(const char *path) {
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    size_t n = f && text ? fread(text, 1, (1 << 16) - 1, f) : 0;
    if (f) fclose(f);
    if (n) return text;
    free(text);
    return NULL;
}

static bool open_kernel(struct setup *s, const char *path, const char *name) {
    cl_platform_id platform;
    cl_int e = clGetPlatformIDs(1, &platform, NULL);
    if (e) return false;
    e = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s->device, NULL);
    if (e) return false;
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &e);
    if (e) return false;
    s->queue = clCreateCommandQueue(s->context, s->device, 0, &e);
    char *text = read_text(path);
    if (e || !text) return false;
    const char *texts[] = {text};
    cl_program p = clCreateProgramWithSource(s->context, 1, texts, NULL, &e);
    free(text);
    if (e || clBuildProgram(p, 1, &s->device, "", NULL, NULL)) return false;
    s->kernel = clCreateKernel(p, name, &e);
    return !e;
}

static bool open_buffers(struct setup *s, const int32_t *in, uint32_t n) {
    cl_int a, b, c;
    s->in =
        clCreateBuffer(s->context, CL_MEM_READ_ONLY, n * sizeof *in, NULL, &a);
    s->out =
        clCreateBuffer(s->context, CL_MEM_READ_WRITE, n * sizeof *in, NULL, &b);
    s->aux = clCreateBuffer(s->context, CL_MEM_READ_WRITE, work_aux_bytes(n),
                            NULL, &c);
    return !a && !b && !c &&
           !clEnqueueWriteBuffer(s->queue, s->in, CL_TRUE, 0, n * sizeof *in,
                                 in, 0, NULL, NULL);
}

static bool run(struct setup *s, const struct work *w, uint32_t n,
                struct work_time *took) {
    cl_int items = (cl_int)n, arg = w->arg;
    size_t local = WORK_THREADS, global = n / w->items_per_block * local;
    /* Not clEnqueueFillBuffer: Oclgrind 21.10 takes what that fills for
     * uninitialised. */
    void *zeros = calloc(n, 4);
    if (!zeros) return false;
    cl_int e = clEnqueueWriteBuffer(s->queue, s->out, CL_TRUE, 0, n * 4ull,
                                    zeros, 0, NULL, NULL);
    e |= clEnqueueWriteBuffer(s->queue, s->aux, CL_TRUE, 0, work_aux_bytes(n),
                              zeros, 0, NULL, NULL);
    free(zeros);
    e |= clFinish(s->queue);
    e |= clSetKernelArg(s->kernel, 0, sizeof s->in, &s->in);
    e |= clSetKernelArg(s->kernel, 1, sizeof s->out, &s->out);
    e |= clSetKernelArg(s->kernel, 2, sizeof s->aux, &s->aux);
    e |= clSetKernelArg(s->kernel, 3, sizeof items, &items);
    e |= clSetKernelArg(s->kernel, 4, sizeof arg, &arg);
    work_clock(took);
    e |= clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &global, &local,
                                0, NULL, NULL);
    e |= clFinish(s->queue);
    work_since(took);
    return !e;
}

int main(int argc, char **argv) {
    const struct work *w = argc == 5 ? work_find(argv[2]) : NULL;
    if (!w) {
        fprintf(stderr, "usage: bench-opencl FILE KERNEL N RUNS\n");
        return 2;
    }
    uint32_t n = (uint32_t)strtoul(argv[3], NULL, 10);
    int32_t *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
    struct setup s;
    if (!in || !out) return 1;
    work_input(in, n);
    bool ok = open_kernel(&s, argv[1], w->name) && open_buffers(&s, in, n);
    if (!ok) fprintf(stderr, "bench-opencl: OpenCL does not work\n");
    for (int k = 0; ok && k < atoi(argv[4]); k++) {
        struct work_time took;
        ok = run(&s, w, n, &took) &&
             !clEnqueueReadBuffer(s.queue, s.out, CL_TRUE, 0, n * sizeof *out,
                                  out, 0, NULL, NULL) &&
             work_verify(w, "OpenCL", in, out, n);
        if (ok) printf("%.9f %.9f\n", took.cpu, took.wall);
    }
    free(in);
    free(out);
    return ok ? 0 : 1;
}
